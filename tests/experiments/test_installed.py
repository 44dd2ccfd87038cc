"""What a worker does not have is said, and where; and an experiment names its price list."""

from __future__ import annotations

import os
import socket
from decimal import Decimal

import pytest

from budgeted.errors import ExperimentError, RunnerError
from budgeted.experiments.runner import play_one
from budgeted.experiments.spec import parse
from tests.price_lists import Panel, Visit, registered

DOCUMENT = {
    "budget": 20,
    "runs": 1,
    "problem": {"synthetic": "figure-3b", "features": 4},
    "prices": {"list": "visit", "fee": "2.50"},
    "policy": [{"name": "panel", "most": 2}],
}


def test_an_experiment_has_prices():
    with registered(Panel, Visit):
        found = parse(DOCUMENT, "mine")
        rehearsal = found.rehearsal(0, "20")
        assert rehearsal.problem.prices == Visit(Decimal("2.50"))
        run = found.play(found.contenders[0], 0)
        assert run.cost[:4] == (Decimal("3.5"), 1, Decimal("3.5"), 1), "a fee for each case"
        assert found.document()["prices"] == DOCUMENT["prices"]
        assert parse(found.document(), "mine").digest() == found.digest()
        plain = parse({**DOCUMENT, "prices": {"list": "per-feature"}}, "mine")
        assert plain.digest() != found.digest()


@pytest.mark.parametrize("problem", [{"table": "votes"}, {"synthetic": "figure-3a"}])
def test_tables_and_drawn_problems_have_them_too(problem):
    with registered(Panel, Visit):
        found = parse({**DOCUMENT, "problem": problem}, "mine").rehearsal(0, "20")
        assert set(found.problem.feature_prices) == {Decimal("3.50")}


def test_mistakes_in_the_prices_are_named():
    with registered(Panel), pytest.raises(ExperimentError, match="prices: there is no price list"):
        parse(DOCUMENT, "mine")
    with registered(Panel, Visit), pytest.raises(ExperimentError, match="no parameter 'fees'"):
        parse({**DOCUMENT, "prices": {"list": "visit", "fees": 3}}, "mine")


def test_a_worker_without_the_package_says_what_is_missing_and_where():
    with registered(Panel, Visit):
        found = parse(DOCUMENT, "mine")
    with pytest.raises(RunnerError) as caught:
        play_one(found, found.contenders[0], 0)
    said = str(caught.value)
    assert "the policy 'panel' and the price list 'visit' are not installed on" in said
    assert socket.gethostname() in said
    assert f"process {os.getpid()}" in said
