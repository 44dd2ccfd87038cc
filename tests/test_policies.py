"""The contract on every registered policy, and what each one promises of its own."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budgeted import Belief, Feature, Problem, Purchase, State
from budgeted.errors import BudgetedError, PolicyError
from budgeted.policies import POLICIES, Policy, policy
from tests import contracts, oracles
from tests.strategies import problems

VARIANTS = {
    **{name: (name, {}) for name in POLICIES},
    "sfl-2": ("sfl", {"max_depth": 2}),
    "sfl-zero-one": ("sfl", {"loss": "zero_one", "max_depth": 3}),
    "greedy-entropy": ("greedy", {"loss": "entropy"}),
    "greedy-particles": ("greedy", {"engine": "particles", "particles": 50}),
    "biased-robin-cells": ("biased-robin", {"over": "cells"}),
    "biased-robin-zero-one": ("biased-robin", {"loss": "zero_one"}),
}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("check", contracts.CHECKS, ids=lambda check: check.__name__)
def test_contract(check, variant):
    name, parameters = VARIANTS[variant]
    check(policy(name, **parameters))


@pytest.mark.parametrize("kind", POLICIES.values(), ids=POLICIES.keys())
def test_every_policy_is_documented_and_typed(kind):
    assert isinstance(kind(), Policy)
    assert len(kind.summary) < 80
    assert ">>>" in kind.__doc__
    assert kind() == kind()


def equal_cost_states(draw_from):
    """States in the middle of a run."""
    problem = draw_from.draw(problems(features=(1, 4), values=(2, 3)))
    state = State.start(problem, cases=(6, 6))
    for _ in range(draw_from.draw(st.integers(0, 6))):
        action = draw_from.draw(st.sampled_from(state.affordable()))
        value = draw_from.draw(st.integers(0, problem.sizes[action.feature] - 1))
        state = state.after(Purchase(*action, value, "1"))
    return state


@given(st.data(), st.sampled_from(["gini", "entropy", "zero_one"]), st.integers(0, 2**32))
@settings(max_examples=60)
def test_lookahead_of_depth_one_is_greedy(data, kind, seed):
    state = equal_cost_states(data)
    greedy = policy("greedy", loss=kind).choose(state, np.random.default_rng(seed))
    shallow = policy("sfl", max_depth=1, loss=kind).choose(state, np.random.default_rng(seed))
    assert (greedy.action, greedy.scores) == (shallow.action, shallow.scores)


@given(st.data(), st.sampled_from(["gini", "entropy"]), st.integers(1, 6))
@settings(max_examples=60)
def test_lookahead_agrees_with_the_paper_by_enumeration(data, kind, max_depth):
    """Scores within 1e-10, and the choice is one of the best."""
    state = equal_cost_states(data)
    choice = policy("sfl", max_depth=max_depth, loss=kind).choose(state, np.random.default_rng(1))
    left = 10 - len(state.history)
    depths = {
        cell: min(left, max_depth, 6 - sum(each.action == cell for each in state.history))
        for cell in state.problem.actions
    }
    slow = oracles.slow_sfl_scores(
        oracles.counts_of(state.belief), state.problem.prior, depths, kind
    )
    assert set(slow) == set(choice.scores)
    for cell, score in slow.items():
        assert choice.scores[cell] == pytest.approx(score, abs=1e-10)
    assert slow[choice.action] <= min(slow.values()) + 1e-10


def test_lookahead_weighs_costs_by_depth():
    """Of two equal features the cheaper one can be bought more often, so it scores lower."""
    problem = contracts.make_problem(["1", "4"], budget="12")
    choice = policy("sfl").choose(State.start(problem), np.random.default_rng(0))
    assert choice.action.feature == 0
    slow = oracles.slow_sfl_scores(
        oracles.counts_of(Belief.prior(problem)),
        problem.prior,
        {(0, 0): 12, (0, 1): 12, (1, 0): 3, (1, 1): 3},
        "gini",
    )
    for cell, score in slow.items():
        assert choice.scores[cell] == pytest.approx(score, abs=1e-10)


def test_lookahead_counts_pending_requests_as_bought():
    """What is under way has its expected effect on the scores."""
    problem = contracts.make_problem(["1", "1"], budget="10")
    state = State.start(problem).reserve((0, 0)).reserve((0, 1)).reserve((0, 1))
    choice = policy("sfl", max_depth=2).choose(state, np.random.default_rng(0))
    model = oracles.counts_of(Belief.prior(problem))
    for cell, score in choice.scores.items():
        bought = {(0, 0): 1, (0, 1): 2}
        bought[cell] = bought.get(cell, 0) + 2
        truth = oracles.brute_expected_loss(model, problem.prior, bought, "gini")
        assert score == pytest.approx(truth, abs=1e-10)


def test_ties_are_broken_by_the_generator():
    problem = contracts.make_problem(["1"] * 3)
    chosen = Counter(
        policy("sfl").choose(State.start(problem), np.random.default_rng(seed)).action
        for seed in range(300)
    )
    assert len(chosen) == 6
    # Binomial(300, 1/6) has mean 50 and standard deviation 6.5; four of those either way.
    assert all(24 <= number <= 76 for number in chosen.values())


@pytest.mark.parametrize(("name", "parameters"), [("greedy", {}), ("sfl", {"max_depth": 2})])
def test_of_equally_good_cells_the_cheapest_is_bought(name, parameters):
    problem = contracts.make_problem(["99.90", "0.75", "99.90"], budget="400")
    for seed in range(20):
        choice = policy(name, **parameters).choose(
            State.start(problem), np.random.default_rng(seed)
        )
        assert choice.action.feature == 1


def test_round_robin_goes_round():
    state = contracts.play(policy("round-robin"), contracts.make_problem(["1"] * 2), (9, 9))
    bought = [tuple(each.action) for each in state.history]
    assert bought == [
        (0, 0),
        (0, 1),
        (1, 0),
        (1, 1),
        (0, 0),
        (0, 1),
        (1, 0),
        (1, 1),
        (0, 0),
        (0, 1),
    ]


def test_uniform_expenditure_spends_evenly():
    problem = contracts.make_problem(["1", "2", "5"], budget="60")
    state = contracts.play(policy("uniform-expenditure"), problem, (50, 50))
    spent = Counter()
    for each in state.history:
        spent[each.feature] += each.cost
    assert [spent[feature] for feature in range(3)] == [20, 20, 20]
    labels = Counter((each.feature, each.label) for each in state.history)
    assert abs(labels[0, 0] - labels[0, 1]) <= 1


def state_after(values, budget="10"):
    """Purchases of (feature, label, value) in a two-feature problem."""
    state = State.start(contracts.make_problem(["1", "1"], budget=budget))
    for feature, label, value in values:
        state = state.after(Purchase(feature, label, value, "1"))
    return state


@pytest.mark.parametrize("over", ["features", "cells"])
def test_biased_robin_stays_while_the_loss_falls(over):
    robin = policy("biased-robin", over=over)
    rng = np.random.default_rng(0)
    # One sighting against a flat prior lowers the loss: stay.
    fell = robin.choose(state_after([(0, 0, 0)]), rng)
    assert fell.action.feature == 0
    assert "lowered" in fell.reason
    # The same value under the other label makes the labels alike again: on to the next.
    rose = robin.choose(state_after([(0, 0, 0), (0, 1, 0)]), rng)
    assert rose.action == (1, 0) if over == "cells" else rose.action.feature == 1
    assert "did not lower" in rose.reason
    # Nothing came back: nothing to stay for.
    empty = robin.choose(state_after([(0, 0, None)]), rng)
    assert tuple(empty.action) == (0, 1) if over == "cells" else empty.action.feature == 1


def test_biased_robin_draws_the_label_from_the_prior():
    features = [Feature("f", ("a", "b"), 1)]
    problem = Problem(features, ("rare", "common"), (0.2, 0.8), 10)
    labels = Counter(
        policy("biased-robin")
        .choose(State.start(problem), np.random.default_rng(seed))
        .action.label
        for seed in range(1000)
    )
    assert abs(labels[0] - 200) < 4 * np.sqrt(1000 * 0.2 * 0.8)


def test_random_shopper_buys_everything_equally_often():
    problem = contracts.make_problem(["1"] * 2)
    bought = Counter(
        policy("random-shopper").choose(State.start(problem), np.random.default_rng(seed)).action
        for seed in range(1000)
    )
    assert all(abs(number - 250) < 4 * np.sqrt(1000 * 0.25 * 0.75) for number in bought.values())


@pytest.mark.parametrize(
    ("name", "parameters", "says"),
    [
        ("slf", {}, "did you mean 'sfl'"),
        ("best", {}, "round-robin"),
        ("sfl", {"depth": 3}, "max_depth"),
        ("sfl", {"max_depth": 0}, "max_depth: must be a whole number from 1, got 0"),
        ("sfl", {"max_depth": 2.5}, "max_depth"),
        ("sfl", {"max_depth": True}, "max_depth"),
        ("greedy", {"loss": "brier"}, "there is no loss 'brier'"),
        ("round-robin", {"loss": "gini"}, "it takes none"),
        ("biased-robin", {"over": "arms"}, "'features' or 'cells'"),
    ],
)
def test_wrong_names_and_parameters_are_explained(name, parameters, says):
    with pytest.raises(BudgetedError, match=says):
        policy(name, **parameters)


def test_unknown_policy_has_its_own_error():
    with pytest.raises(PolicyError):
        policy("slf")
