"""The package stays light: its files, its words, and how many modules one small thing passes.

What is measured stands in the table of docs/architecture.md, each with a limit. Whoever makes
something lighter lowers the limits there; whoever adds a module asks which one it replaces.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import threading
import tomllib
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import budgeted
from budgeted import Feature, Problem, Purchase, State, Study
from budgeted.policies import policy
from tests.forms import forms_in
from tests.webs import client, make_study

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = os.path.dirname(budgeted.__file__) + os.sep
POLICIES = ("greedy", "sfl", "biased-robin", "round-robin", "auto")


def limits():
    """The limits of the tables in docs/architecture.md: one number, or modules and functions."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([^|]+?) \| ([\d ]+)(?: \| (\d+))? \|$", page, re.MULTILINE)
    return {
        name: tuple(int(each.replace(" ", "")) for each in numbers if each)
        for name, *numbers in rows
    }


def files(*patterns):
    return [each for pattern in patterns for each in ROOT.glob(pattern)]


def lines(*patterns):
    return sum(each.read_text(encoding="utf-8").count("\n") for each in files(*patterns))


def words(*patterns):
    return sum(len(each.read_text(encoding="utf-8").split()) for each in files(*patterns))


def extras():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return len(project["optional-dependencies"]["dev"])


SIZES = {
    "modules of src": lambda: len(files("src/**/*.py")),
    "lines of src": lambda: lines("src/**/*.py"),
    "lines of tests": lambda: lines("tests/**/*.py"),
    "lines of research and tools": lambda: lines("research/**/*.py", "tools/**/*.py"),
    "words of docs": lambda: words("docs/**/*.md", "README.md", "CHANGELOG.md", "CONTRIBUTING.md"),
    "packages for development": extras,
}


class Passed:
    """The modules and functions of the package that are called while it looks, on any thread."""

    def __init__(self):
        self.looks, self._codes = False, set()

    def __call__(self, frame, event, argument):
        if self.looks and event == "call":
            self._codes.add(frame.f_code)

    def __enter__(self):
        threading.setprofile(self)
        sys.setprofile(self)
        return self

    def __exit__(self, *error):
        sys.setprofile(None)
        threading.setprofile(None)

    def of(self, do):
        """Do something, and count modules and functions; what is inside of one is not counted."""
        self.looks = True
        self._codes.clear()
        try:
            answer = do()
        finally:
            self.looks = False
        passed = {
            (code.co_filename, code.co_qualname.split(".<locals>")[0])
            for code in self._codes
            if code.co_filename.startswith(PACKAGE)
        }
        passed = {each for each in passed if not each[1].startswith("<")}
        assert passed
        return answer, len({file for file, _ in passed}), len(passed)


def tell(folder):
    """A value that came back is told to a study, as a program does."""
    with make_study(folder / "studies.db") as study:
        study.ask(3)
        study.tell(1, "yes")
        with Passed() as passed:
            _, *counts = passed.of(lambda: study.tell(2, "no"))
    return counts


def post(folder):
    """The same from the page, with all that the server answers."""
    with make_study(folder / "studies.db") as study:
        study.ask(3)
    # Threads that begin before somebody looks are not looked at.
    with Passed() as passed, client(folder) as site:
        for number in (1, 2):  # the first warms caches
            forms = forms_in(site.get("/studies/flu").text)
            action, fields = next(
                each for each in forms if each[0].endswith(f"/requests/{number}/tell")
            )
            send = partial(site.post, action, data=fields | {"value": "yes"},
                           headers={"HX-Request": "true"})  # fmt: skip
            answer, *counts = passed.of(send)
            assert answer.status_code == 200
    with Study.open(str(folder / "studies.db"), "flu") as study:
        assert [each.value for each in study.requests()][:2] == ["yes", "yes"]
    return counts


def decision(name):
    """A policy decides once more, a purchase after it decided before."""
    problem = Problem([Feature(f"f{at}", ("no", "yes"), 1 + at % 2) for at in range(8)],
                      ("well", "ill"), (0.6, 0.4), 60)  # fmt: skip
    state = State.start(problem, cases=(30, 30))
    for at in range(12):
        state = state.after(Purchase(at % 8, at % 2, at % 2, cost=1 + at % 2))
    chooser, rng = policy(name), np.random.default_rng(1)
    choice = chooser.choose(state, rng)
    price = problem.features[choice.action.feature].cost
    state = state.after(Purchase(*choice.action, value=1, cost=price))
    with Passed() as passed:
        choice, *counts = passed.of(lambda: chooser.choose(state, rng))
    assert choice is not None
    return counts


TRACES = {
    "one `tell`": tell,
    "one `tell` on the page": post,
    **{f"a decision of `{name}`": lambda _, name=name: decision(name) for name in POLICIES},
}


@pytest.mark.parametrize("name", SIZES)
def test_the_project_stays_small(name):
    (limit,) = limits()[name]
    assert SIZES[name]() <= limit


@pytest.mark.parametrize("name", TRACES)
def test_a_small_thing_passes_few_modules_and_functions(name, tmp_path):
    modules, functions = TRACES[name](tmp_path)
    most_modules, most_functions = limits()[name]
    assert modules <= most_modules
    assert functions <= most_functions


def test_the_tables_name_what_is_measured():
    assert set(limits()) == {*SIZES, *TRACES}


def test_the_architecture_names_every_room():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rooms = re.findall(r"^\| `(\w+)` \| [^|]+ \|$", page, re.MULTILINE)
    assert sorted(rooms) == sorted(each.parent.name for each in files("src/budgeted/*/__init__.py"))


if __name__ == "__main__":  # python -m tests.test_weight: what the limits may be lowered to
    for name, size in SIZES.items():
        print(f"{name}: {size()}")  # noqa: T201
    for name, trace in TRACES.items():
        with tempfile.TemporaryDirectory() as folder:
            print(f"{name}: %d modules, %d functions" % tuple(trace(Path(folder))))  # noqa: T201
