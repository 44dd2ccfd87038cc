"""A study whose policy, learner or loss is not installed here is still read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pytest
from click.testing import CliRunner

from budgeted import Study
from budgeted.cli.main import main
from budgeted.errors import BudgetedError, PolicyError
from budgeted.learners import LEARNERS, NaiveBayes
from budgeted.policies import POLICIES
from budgeted.policies.random_shopper import RandomShopper
from budgeted.value.loss import LOSSES, Loss
from tests.sample_studies import begin
from tests.webs import client


@dataclass(frozen=True)
class Mine(RandomShopper):
    name: ClassVar[str] = "mine"


@dataclass(frozen=True)
class MyLearner(NaiveBayes):
    name: ClassVar[str] = "my-learner"


def my_loss() -> Loss:
    gini = LOSSES["gini"]
    return Loss("my-loss", gini.term, gini.gather, gini.finish, gini.largest)


@pytest.mark.parametrize("missing", ["policy", "learner", "loss"])
def test_money_and_values_are_shown(tmp_path, missing):
    registry, member = {
        "policy": (POLICIES, Mine), "learner": (LEARNERS, MyLearner), "loss": (LOSSES, my_loss()),
    }[missing]  # fmt: skip
    registry.register(member)
    try:
        options = {"policy": "sfl" if missing == "loss" else "random-shopper"}
        with begin(str(tmp_path / "studies.db"), **{**options, missing: member.name}) as study:
            asked = study.ask(3)
            study.tell(asked[0].number, "yes")
    finally:
        del registry._members[member.name]
    place = ("--db", str(tmp_path / "studies.db"))
    shown = CliRunner().invoke(main, ["study", "status", *place])
    assert shown.exit_code == 0, shown.output
    assert "Pending: 2" in shown.output
    if missing == "learner":
        assert "not known: the study uses the learner" in " ".join(shown.output.split())
    with client(tmp_path) as web:
        page = web.get("/studies/study")
        assert page.status_code == 200
        plain = web.get("/api/studies/study").json()
        assert (plain["outlook"] is None) == (missing == "learner")
    if missing == "policy":
        refused = CliRunner().invoke(main, ["study", "ask", *place])
        assert refused.exit_code == 1
        assert "'mine'" in refused.output
        assert not isinstance(refused.exception, BudgetedError)


@dataclass(frozen=True)
class Fragile(RandomShopper):
    """It needs something that is not on every machine."""

    name: ClassVar[str] = "fragile"
    here: ClassVar[dict[str, str]] = {"FRAGILE_HOME": "/srv"}

    def __post_init__(self) -> None:
        _ = self.here["FRAGILE_HOME"]


def choose_a_learner(self: Fragile, learner: object) -> Fragile:
    raise IndexError("no such learner")


@pytest.mark.parametrize("broken", ["making it", "giving it the learner"])
def test_a_policy_that_cannot_be_made_does_not_keep_a_study_shut(tmp_path, monkeypatch, broken):
    monkeypatch.setitem(POLICIES._members, "fragile", Fragile)
    database = str(tmp_path / "studies.db")
    with begin(database, policy="fragile") as study:
        study.ask(2)
    if broken == "making it":
        monkeypatch.setattr(Fragile, "here", {})
        says = "policy 'fragile': KeyError: 'FRAGILE_HOME'"
    else:
        monkeypatch.setattr(Fragile, "for_learner", choose_a_learner, raising=False)
        says = "policy 'fragile': IndexError: no such learner"
    with Study.open(database) as study:
        study.tell(1, "yes")
        assert study.status()
        assert len(study.requests("pending")) == 1
        with pytest.raises(PolicyError, match=says):
            study.ask()
