"""Engines say what they support; the most exact one is taken, and none is an error in words."""

import ast
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest

import budgeted
from budgeted import Belief, Feature, Problem
from budgeted.errors import EngineError
from budgeted.learners import Hierarchical
from budgeted.value import (
    ENGINES,
    Estimate,
    expected_loss,
    feature_lookahead,
    gains,
    lookahead,
    loss,
)
from budgeted.value.base import EXPECTED, GAINS, Partial
from budgeted.value.information import Worth
from budgeted.value.loss import GINI, LOSSES, Loss
from tests.beliefs import Doubtful

COPY = Loss("copy", GINI.term, GINI.gather, GINI.finish, GINI.largest)
"""A loss of one's own that is known to be GINI's."""


def a_problem(labels=2, features=2):
    return Problem([Feature(f"f{at}", ("no", "yes"), 1) for at in range(features)],
                   [f"l{at}" for at in range(labels)], [1 / labels] * labels, 100)  # fmt: skip


class Oracle(Partial):
    """Knows one number, of beliefs with two labels."""

    name: ClassVar[str] = "oracle"
    rank: ClassVar[int] = 0
    answers: ClassVar = frozenset({EXPECTED})

    def supports(self, known, loss, labels):
        return not self.refusal(known, loss, labels)

    def refusal(self, known, loss, labels):
        return "" if labels == 2 else "is for two labels"

    def feasible(self, known, question, depths, given):
        return True

    def expected(self, known, allocation, loss, sampling):
        return Estimate(0.125, self.name)


@pytest.fixture
def oracle(monkeypatch):
    monkeypatch.setitem(ENGINES._members, "oracle", Oracle())


def test_the_most_exact_one_that_supports_it_is_taken(oracle):
    assert loss(Belief.prior(a_problem())).engine == "oracle"
    assert loss(Belief.prior(a_problem()), engine="spectral").engine == "spectral"
    assert loss(Belief.prior(a_problem(3))).engine == "enumeration"
    assert lookahead(Belief.prior(a_problem()), np.ones((2, 2), dtype=int)).engine == "spectral"
    with pytest.raises(EngineError, match="oracle engine does not answer this; use spectral"):
        lookahead(Belief.prior(a_problem()), np.ones((2, 2), dtype=int), engine="oracle")
    with pytest.raises(EngineError, match="oracle engine is for two labels; use enumeration"):
        loss(Belief.prior(a_problem(3)), engine="oracle")


def test_what_is_no_engine_cannot_be_registered():
    with pytest.raises(EngineError, match="'x': must have supports, refusal, feasible, rank"):
        ENGINES.register(SimpleNamespace(name="x"))


def test_every_engine_names_what_it_answers():
    for engine in ENGINES.values():
        assert all(callable(getattr(engine, each)) for each in engine.answers)
    assert [each.name for each in ENGINES.values() if each.draws] == [
        "particles", "samples", "fresh-samples"
    ]  # fmt: skip


@pytest.mark.parametrize("labels", [2, 3])
def test_a_loss_of_ones_own_is_enumerated_or_drawn(labels):
    belief = Belief.prior(a_problem(labels)).observe("f0", "l1", "yes", 3)
    bought, depths = {("f0", "l0"): 2}, np.full((2, labels), 2)
    ours = expected_loss(belief, bought, COPY)
    assert ours.engine == "enumeration"
    assert float(ours) == pytest.approx(float(expected_loss(belief, bought, GINI)), abs=1e-9)
    one, two = (lookahead(belief, depths, each).values for each in (COPY, GINI))
    np.testing.assert_allclose(one, two, atol=1e-9)
    one, two = (feature_lookahead(belief, depths, each).values for each in (COPY, GINI))
    np.testing.assert_allclose(one, two, atol=1e-9)
    large = Belief.prior(a_problem(labels, 30))
    assert loss(large, COPY).engine == "particles"


def test_a_loss_of_ones_own_is_refused_in_words():
    belief = Belief.prior(a_problem())
    with pytest.raises(EngineError, match="spectral engine has no copy loss; use enumeration, par"):
        loss(belief, COPY, engine="spectral")
    with pytest.raises(EngineError, match="grid engine is for zero_one, not copy; use enumeration"):
        loss(belief, COPY, engine="grid")
    known = Hierarchical().believed(belief)
    says = "no engine can compute the copy loss here.*information engine is for gini, not copy"
    with pytest.raises(EngineError, match=says):
        gains(known, COPY)


def test_a_belief_of_another_form_is_refused_in_words():
    """Its cells have something in common, so that closed forms would be wrong."""
    other = Doubtful.prior(a_problem())
    says = "computes with independent Dirichlet counts, which Doubtful has not"
    for ask in (loss, lambda known: lookahead(known, np.ones((2, 2), dtype=int)), gains):
        with pytest.raises(EngineError, match=says):
            ask(other)


def test_gains_of_a_plain_belief_are_differences_of_losses():
    belief = Belief.prior(a_problem(features=3)).observe("f0", "l1", "yes", 3)
    numbers = np.array([[2, 1], [0, 0], [1, 1]])
    for kind in LOSSES:
        found = gains(belief, kind).gains(numbers)
        assert found[1] == 0
        for at in (0, 2):
            bought = {(f"f{at}", f"l{label}"): int(numbers[at, label]) for label in (0, 1)}
            fall = float(loss(belief, kind)) - float(expected_loss(belief, bought, kind))
            assert found[at] == pytest.approx(fall, abs=1e-5)


def test_gains_of_what_the_hierarchical_learner_believes():
    belief = Belief.prior(a_problem()).observe("f0", "l1", "yes", 3)
    known, numbers = Hierarchical().believed(belief), np.ones((2, 2), dtype=int)
    np.testing.assert_array_equal(gains(known).gains(numbers), Worth(known).gains(numbers))
    assert GAINS in ENGINES["information"].answers
    with pytest.raises(EngineError, match="the information engine does not answer this"):
        expected_loss(belief, {}, engine="information")


def test_no_module_asks_for_a_kind_of_belief():
    """Nor of predictor: what can be done with them is asked of themselves."""
    kinds = {"Belief", "Committee", "Members", "Posterior", "Hierarchical", "NaiveBayes"}
    found = []
    for file in Path(budgeted.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            call = isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance"
            if not call and not isinstance(node, ast.Compare):
                continue
            names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
            if (call or "type" in names) and names & kinds:
                found.append(f"{file.name}:{node.lineno}")
    assert found == []
