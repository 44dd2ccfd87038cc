"""A newcomer's member is one file of the package: in its folder it is found, and known by name."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import budgeted

SOURCE = Path(budgeted.__file__).parent
POLICY = '''
from dataclasses import dataclass
from typing import ClassVar

from budgeted.policies.round_robin import RoundRobin


@dataclass(frozen=True)
class Newcomer(RoundRobin):
    """Round robin under another name."""

    name: ClassVar[str] = "newcomer"
    summary: ClassVar[str] = "as round robin"

    turns: int = 1
'''
LEARNER = '''
from dataclasses import dataclass
from typing import ClassVar

from budgeted.learners.naive_bayes import NaiveBayes


@dataclass(frozen=True)
class Pupil(NaiveBayes):
    """Naive Bayes under another name."""

    name: ClassVar[str] = "pupil"
'''
LOSS = """
from budgeted.value.loss.base import Loss
from budgeted.value.loss.gini import GINI

DOUBLED = Loss("copied", GINI.term, GINI.gather, GINI.finish, GINI.largest)
"""
PRICES = '''
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar

from budgeted.problem.orders import CaseSoFar, Order


@dataclass(frozen=True)
class Flat:
    """Every value costs the same."""

    name: ClassVar[str] = "flat"
    summary: ClassVar[str] = "every value costs the same"

    price: str = "2"
    features: tuple = ()

    def quote(self, order: Order, case: CaseSoFar) -> Decimal:
        return Decimal(self.price) * len(order.of(self.features))
'''
OPERATION = '''
from dataclasses import dataclass
from typing import ClassVar, Literal

from budgeted.studies import events
from budgeted.studies.commands.base import Command, parameter


@dataclass(frozen=True)
class Remarked(events.Event):
    """Somebody has something to say of the study."""

    text: str
    kind: Literal["remarked"] = "remarked"

    def words(self):
        return f"remark: {self.text}"


@dataclass(frozen=True)
class Remark(Command):
    """Say something of the study as a whole."""

    name: ClassVar[str] = "remark"
    text: str = parameter("What there is to say.", longest=200)

    def decide(self, draft):
        return [Remarked(self.text)]
'''
FILES = {
    "policies/newcomer.py": POLICY,
    "learners/pupil.py": LEARNER,
    "value/loss/copied.py": LOSS,
    "problem/prices/flat.py": PRICES,
}
DECIDING = tuple(FILES)
FILES["studies/commands/remark.py"] = OPERATION
STUDY = """
name = "new"
budget = 10
labels = ["well", "ill"]
loss = "copied"
learner = "pupil"
[policy]
name = "newcomer"
[prices]
list = "flat"
price = "2.50"
[[features]]
name = "fever"
values = ["no", "yes"]
cost = 1
[[features]]
name = "cough"
values = ["no", "yes"]
cost = 1
"""
EXPERIMENT = """
budget = 4
runs = 2
[problem]
synthetic = "figure-3b"
[[policy]]
name = "newcomer"
learner = "pupil"
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """A copy of the package, with one file more for each kind of member."""
    copy = tmp_path_factory.mktemp("copy") / "budgeted"
    shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for name, text in FILES.items():
        assert not (copy / name).exists()
        (copy / name).write_text(text)
    return copy


@pytest.fixture
def run(package, tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(package.parent)}

    def command(*words, code=0):
        done = subprocess.run(
            [sys.executable, *words], cwd=tmp_path, env=environment, capture_output=True,
            text=True, check=False,
        )  # fmt: skip
        assert done.returncode == code, done.stderr
        return done.stdout + (done.stderr if code else "")

    return command


def test_a_policy_is_listed_and_plays(run):
    listed = json.loads(run("-m", "budgeted", "policies", "--json"))
    names = [each["name"] for each in listed]
    assert names[0] == "round-robin", "the old ones stay where they were"
    assert names[-1] == "newcomer"
    options = ("--runs", "2", "--budget", "4", "--json")
    mine, theirs = (
        json.loads(run("-m", "budgeted", "simulate", "--policy", each, *options))
        for each in ("newcomer", "round-robin")
    )
    assert mine["curve"] == theirs["curve"]


def test_a_study_uses_all_of_them_by_name(run, tmp_path):
    (tmp_path / "study.toml").write_text(STUDY)
    cases = "".join(f"P{at},{('well', 'ill')[at % 2]}\n" for at in range(8))
    (tmp_path / "cases.csv").write_text(f"case,label\n{cases}")
    run("-m", "budgeted", "study", "new", "study.toml", "--cases", "cases.csv")
    asked = json.loads(run("-m", "budgeted", "study", "ask", "-n", "2", "--json"))["requests"]
    assert [each["cost"] for each in asked] == ["2.50", "2.50"]
    run("-m", "budgeted", "study", "tell", "1", "yes")
    run("-m", "budgeted", "study", "status")
    assert "newcomer" in run("-m", "budgeted", "study", "why", "1")
    learner = run(
        "-c", "from budgeted import Study; print(Study.open('budgeted.db').created.learner)"
    )
    assert learner.strip() == "pupil"


LAST_WORDS = """
from budgeted import Study

with Study.open("budgeted.db") as study:
    print(study.history()[-1].event.words())
    print(study.verify().events)
"""


def begin(run, tmp_path):
    (tmp_path / "study.toml").write_text(STUDY)
    (tmp_path / "cases.csv").write_text("case,label\nP1,well\nP2,ill\n")
    run("-m", "budgeted", "study", "new", "study.toml", "--cases", "cases.csv")


def test_what_an_operation_wrote_is_read_by_a_fresh_process(run, package, tmp_path):
    """Python does not import the module of an operation unless something asks for it."""
    begin(run, tmp_path)
    run("-m", "budgeted", "study", "remark", "slow week")
    assert run("-c", LAST_WORDS).split("\n") == ["remark: slow week", "2", ""]
    path = package / "studies" / "commands" / "remark.py"
    path.rename(path.with_suffix(".away"))
    try:
        said = run("-c", LAST_WORDS, code=1)
    finally:
        path.with_suffix(".away").rename(path)
    assert "an event of the kind 'remarked', which no operation" in said
    assert "install the package that has the operation" in said


def test_what_an_installed_operation_wrote_is_read_by_a_fresh_process(run, tmp_path):
    begin(run, tmp_path)
    renamed = OPERATION.replace("emarked", "emembered").replace('"remark"', '"remember"')
    (tmp_path / "outside.py").write_text(renamed)
    about = tmp_path / "outside-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: outside\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[budgeted.commands]\nremember = outside:Remark\n")
    run("-m", "budgeted", "study", "remember", "slow week")
    assert run("-c", LAST_WORDS).startswith("remark: slow week\n")


def test_an_experiment_and_a_loss_of_the_new_file(run, tmp_path):
    (tmp_path / "new.toml").write_text(EXPERIMENT)
    assert "newcomer" in run("-m", "budgeted", "experiment", "run", "new.toml", "--workers", "1")
    run("-m", "budgeted", "simulate", "--policy", "greedy", "--loss", "copied", "--runs", "1",
        "--budget", "2", "--features", "3")  # fmt: skip


def test_a_file_that_does_not_load_is_named_and_stops_nobody(run, package):
    path = package / "policies" / "wrong.py"
    path.write_text("import no_such_module\n")
    try:
        said = run("-c", "from budgeted.policies import POLICIES; print(POLICIES.broken()); "
                   "print(POLICIES.find('newcomer'))")  # fmt: skip
        assert "budgeted.policies.wrong: cannot be imported: ModuleNotFoundError" in said
        assert "Newcomer" in said
        said = run("-m", "budgeted", "simulate", "--policy", "wrong", code=1)
        assert "budgeted.policies.wrong: cannot be imported" in said
    finally:
        path.unlink()
