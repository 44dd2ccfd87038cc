"""Policies and tables of the user's own: in an experiment, and on workers that know neither."""

import pickle
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import pytest
from click.testing import CliRunner

from budgeted.cli.main import main
from budgeted.errors import ExperimentError, RunnerError
from budgeted.experiments import executors
from budgeted.experiments.runner import run
from budgeted.experiments.spec import parse, read
from budgeted.experiments.store import Store, provenance, read_results
from budgeted.policies import POLICIES

POLICY = '''
"""Buys the dearest feature that it can afford, of the label that comes first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from budgeted.policies import Choice
from budgeted.state import State
from mine_helpers import dearest


@dataclass(frozen=True)
class Dearest:
    """Money shows."""

    name: ClassVar[str] = "dearest"
    summary: ClassVar[str] = "the dearest feature"
    least: int = 0

    def choose(self, state: State, rng: np.random.Generator) -> Choice | None:
        found = dearest(state)
        return None if found is None else Choice(found)
'''
HELPERS = """
def dearest(state):
    cells = [cell for cell in state.affordable() if cell.label == 0]
    return max(cells, key=lambda cell: state.problem.features[cell.feature].cost, default=None)
"""
TOML = """
budget = 20
runs = 2
seed = 3
modules = ["mine_helpers.py", "mine.py"]

[problem]
file = "visits.csv"
label = "state"
ignore = ["id"]
costs = {fever = 1, age = 4, smoker = 2}

[[policy]]
name = "dearest"
least = 1

[[policy]]
name = "round-robin"
"""


@pytest.fixture
def folder(tmp_path):
    """A user's folder: an experiment, two modules and a table."""
    rows = [
        f"{n},{'yes' if n % 3 else 'no'},{20 + n},{'yn'[n % 2]},{'ill' if n % 3 else 'well'}"
        for n in range(60)
    ]
    (tmp_path / "visits.csv").write_text("id,fever,age,smoker,state\n" + "\n".join(rows) + "\n")
    (tmp_path / "mine.py").write_text(POLICY)
    (tmp_path / "mine_helpers.py").write_text(HELPERS)
    (tmp_path / "mine.toml").write_text(TOML)
    return tmp_path


def run_here(experiment, out):
    with ThreadPoolExecutor(1) as executor:
        return run(experiment, out, executor)


def test_an_own_policy_spends_money_like_any_other(folder):
    experiment = read(folder / "mine.toml")
    store = run_here(experiment, folder / "out")
    dearest, robin = store.load().values()
    assert set(dearest.runs[0].feature.tolist()) == {1}, "age costs most"
    assert dearest.runs[0].label.tolist() == [0] * 5
    assert set(robin.runs[0].feature.tolist()) == {0, 1, 2}
    told, _ = read_results(store.results)
    assert told["experiment"]["modules"] == ["mine_helpers.py", "mine.py"]
    document = dict(told["experiment"])
    assert parse(document, document.pop("name"), folder=folder) == experiment
    assert "dearest" not in POLICIES
    assert "mine" not in sys.modules


def test_the_code_of_an_own_policy_is_part_of_the_fingerprint(folder):
    before = read(folder / "mine.toml")
    run_here(before, folder / "out")
    (folder / "mine_helpers.py").write_text(HELPERS.replace("== 0", "== 1"))
    after = read(folder / "mine.toml")
    store = Store(folder / "out", after)
    assert len(store.missing()) == 4
    assert store.survey().others == [Store(folder / "out", before).runs_folder]
    run_here(after, folder / "out")
    assert store.load()["dearest"].runs[0].label.tolist() == [1] * 5
    assert provenance(before).fingerprint != provenance(after).fingerprint


def test_where_the_files_are_does_not_count(folder, tmp_path_factory):
    moved = tmp_path_factory.mktemp("elsewhere")
    for file in folder.iterdir():
        (moved / file.name).write_bytes(file.read_bytes())
    one, other = read(folder / "mine.toml"), read(moved / "mine.toml")
    assert one.digest() == other.digest()
    assert provenance(one).fingerprint == provenance(other).fingerprint
    (moved / "visits.csv").write_text((folder / "visits.csv").read_text() + "99,no,3,y,ill\n")
    assert read(moved / "mine.toml").digest() != one.digest()


def test_a_file_that_changes_under_way_is_not_used(folder):
    experiment = read(folder / "mine.toml")
    (folder / "visits.csv").write_text((folder / "visits.csv").read_text() + "99,no,3,y,ill\n")
    with pytest.raises(ExperimentError, match=r"visits\.csv: has changed since the experiment"):
        run_here(experiment, folder / "out")


@pytest.mark.slow
def test_a_module_can_be_named_on_the_command_line(folder):
    (folder / "mine.toml").write_text(TOML.replace("modules =", "# modules ="))
    command = ["experiment", "run", str(folder / "mine.toml"), "--out", str(folder / "out"),
               "--workers", "1", "--figure", "none"]  # fmt: skip
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 1
    assert "there is no policy 'dearest'" in result.output
    modules = [str(folder / name) for name in ("mine_helpers.py", "mine.py")]
    result = CliRunner().invoke(main, [*command, "--module", modules[0], "--module", modules[1]])
    assert result.exit_code == 0, result.output
    assert "dearest" in result.stdout


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"mine.py": None}, r"modules: .*mine\.py: cannot be read"),
        ({"mine.py": "def"}, r"mine\.py: line 1: invalid syntax"),
        ({"mine.py": "x = 1\n"}, r"modules: no policy in mine_helpers\.py, mine\.py; a policy is"),
        ({"mine.py": "import nothing_of_that_name\n"}, r"mine\.py: ModuleNotFoundError: .*line 1"),
        ({"mine.py": POLICY.replace('"dearest"', '"greedy"')}, "a policy 'greedy' already"),
        ({"mine.py": POLICY.replace("@dataclass(frozen=True)", "")}, "must be a dataclass"),
        ({"mine.py": POLICY.replace('"dearest"', '"my own"')}, "a name begins with a letter"),
        ({"mine.toml": TOML.replace("mine.py", "mine.txt")}, r"must be a Python file \(\.py\)"),
        ({"mine.toml": TOML.replace('"mine.py"', "3")}, "modules: must be a list of Python files"),
        ({"mine.toml": TOML.replace("mine.py", "json.py"), "json.py": POLICY}, "rename the file"),
        ({"mine.toml": TOML.replace("least", "most")}, "'dearest' has no parameter 'most'"),
        ({"visits.csv": None}, r"problem\.file: .*visits\.csv: cannot be read"),
        ({"mine.toml": TOML.replace('"visits.csv"', "7")}, r"problem\.file: must be the name"),
    ],
)
def test_mistakes_in_own_files_are_named(folder, files, says):
    for name, content in files.items():
        if content is None:
            (folder / name).unlink()
        else:
            (folder / name).write_text(content)
    with pytest.raises(ExperimentError, match=says) as caught:
        read(folder / "mine.toml")
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value), "it may have to come back from a worker"


def test_an_error_in_an_own_policy_names_its_line(folder):
    (folder / "mine_helpers.py").write_text("def dearest(state):\n    return {}['gone']\n")
    experiment = read(folder / "mine.toml")
    with pytest.raises(
        RunnerError, match=r"dearest, run 0: KeyError: 'gone' \(mine_helpers\.py, line 2\)"
    ):
        run_here(experiment, folder / "out")


def for_sale(path):
    """The names of the features of an experiment."""
    return tuple(feature.name for feature in read(path).rehearsal(0, "0").problem.features)


def test_cells_may_be_separated_by_something_else(folder):
    content = (folder / "visits.csv").read_text().replace(",", ";")
    (folder / "visits.csv").write_text(content)
    assert for_sale(folder / "mine.toml") == ("fever", "age", "smoker")
    (folder / "visits.csv").write_text(content.replace("id;fever", "id;f|ever"))
    with pytest.raises(ExperimentError, match="giving the delimiter"):
        read(folder / "mine.toml")
    (folder / "mine.toml").write_text(
        TOML.replace("[problem]", '[problem]\ndelimiter = ";"').replace("{fever", '{"f|ever"')
    )
    assert for_sale(folder / "mine.toml") == ("f|ever", "age", "smoker")


@contextmanager
def started(command, says, folder):
    """A process in a folder of its own, from the moment on at which it has said something."""
    log = folder / f"{command[0]}.log"
    with log.open("w") as stderr:
        process = subprocess.Popen([sys.executable, "-m", *command], cwd=folder, stderr=stderr)
    try:
        found = None
        while found is None:
            ended = process.poll() is not None
            found = re.search(says, log.read_text())
            assert found or not ended, f"it ended and never said {says}:\n{log.read_text()}"
            time.sleep(0.05)
        yield found[1]
    finally:
        process.kill()
        process.wait()


def scheduler(folder):
    command = ["distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0",
               "--no-dashboard"]  # fmt: skip
    return started(command, r"Scheduler at:\s+(tcp://\S+)", folder)


def worker(address, folder):
    command = ["distributed.cli.dask_worker", address, "--nthreads", "2", "--no-nanny",
               "--no-dashboard", "--host", "127.0.0.1"]  # fmt: skip
    return started(command, r"Registered to:\s+(\S+)", folder)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("joins", ["before", "later"])
def test_own_policy_and_table_reach_a_worker_that_has_neither(
    joins, folder, tmp_path_factory, monkeypatch
):
    """A real scheduler and a real worker.

    When the worker is sent the first run, the user's files are nowhere on this machine any more.
    """
    here = run_here(read(folder / "mine.toml"), folder / "here")
    elsewhere, real = tmp_path_factory.mktemp("elsewhere"), executors.handing_over
    with ExitStack() as running:
        address = running.enter_context(scheduler(elsewhere))
        if joins == "before":
            running.enter_context(worker(address, elsewhere))

        @contextmanager
        def then_remove_the_files(executor, contents):
            with real(executor, contents):
                for name in ("mine.py", "mine_helpers.py", "visits.csv"):
                    (folder / name).unlink()
                if joins == "later":
                    running.enter_context(worker(address, elsewhere))
                yield

        monkeypatch.setattr(executors, "handing_over", then_remove_the_files)
        result = CliRunner().invoke(
            main, ["experiment", "run", str(folder / "mine.toml"), "--dask", address,
                   "--out", str(folder / "there"), "--figure", "none"],
        )  # fmt: skip
        assert result.exit_code == 0, result.output
    assert not (folder / "mine.py").exists()
    assert "dearest" in result.stdout
    there = folder / "there" / here.results.name
    assert there.read_bytes() == here.results.read_bytes()
