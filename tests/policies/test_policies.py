"""The contract on every registered policy, and what each one promises of its own."""

from collections import Counter
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budgeted import Belief, Feature, Problem, Purchase, State
from budgeted.errors import BudgetedError, PolicyError
from budgeted.learners.layout import layout_of
from budgeted.policies import POLICIES, Policy, biased_robin, policy
from budgeted.testing import check_policy
from budgeted.testing import policies as contracts
from budgeted.value import Estimate, loss, spectral
from tests import oracles
from tests.strategies import problems

VARIANTS = {
    **{name: (name, {}) for name in POLICIES},
    "round-robin-cases": ("round-robin", {"over": "cases"}),
    "sfl-zero-one": ("sfl", {"loss": "zero_one", "max_depth": 3}),
    "greedy-particles": ("greedy", {"engine": "particles", "particles": 50}),
    "biased-robin-cells": ("biased-robin", {"over": "cells"}),
    "rsfl-2": ("rsfl", {"best": 2, "temperature": 0.1, "max_depth": 3}),
    "auto-bounded": ("auto", {"case_limit": "6"}),
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_policy_keeps_the_contract(variant):
    name, parameters = VARIANTS[variant]
    check_policy(policy(name, **parameters))


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
        value = draw_from.draw(st.integers(0, layout_of(problem).sizes[action.feature] - 1))
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


SEEN = {
    "twin 1": ((3, 1), (1, 2)),
    "twin 2": ((3, 1), (1, 2)),
    "u": ((40, 31), (52, 21)),
    "v": ((6, 17), (5, 11)),
    "w": ((9, 2), (8, 3)),
}
"""Values seen of each feature, by label; the twins are worth the same, and more than the rest."""


def state_of_twins(order):
    features = [Feature(each, ("a", "b"), 1) for each in order]
    problem = Problem(features, ("no", "yes"), (0.4, 0.6), 4)
    observed = np.concatenate([SEEN[each] for each in order], axis=1)
    return State.start(problem, belief=Belief(problem, observed))


def bought_of(state, rule):
    """Names of the features that the policy buys, over seeds, and the scores of their cells."""
    choices = [rule.choose(state, np.random.default_rng(seed)) for seed in range(20)]
    cells = {choice.action for choice in choices}
    names = {state.problem.features[cell.feature].name for cell in cells}
    return names, {choices[0].scores[cell] for cell in cells}


LOOKING_AHEAD = pytest.mark.parametrize(
    ("name", "parameters"), [("greedy", {}), ("sfl", {}), ("rsfl", {"best": 1})]
)


@LOOKING_AHEAD
def test_twins_are_tied_in_whatever_order_they_are_summed(name, parameters):
    for order in list(permutations(SEEN))[::5]:
        names, scores = bought_of(state_of_twins(order), policy(name, **parameters))
        assert names == {"twin 1", "twin 2"}
        assert max(scores) - min(scores) < 1e-14


@LOOKING_AHEAD
@pytest.mark.parametrize("lower", ["twin 1", "twin 2"])
def test_cells_whose_scores_differ_by_rounding_are_tied(name, parameters, lower, monkeypatch):
    """Rounding is made here: which sums differ in their last bits depends on the processor."""
    order = ("u", "twin 1", "v", "twin 2", "w")
    state, exact = state_of_twins(order), spectral.cells
    rule = policy(name, **parameters)

    def off_by(resolutions):
        def cells(*arguments):
            found = exact(*arguments)
            values = found.values.copy()
            values[order.index(lower)] -= resolutions * found.resolution
            return replace(found, values=values)

        monkeypatch.setattr(spectral, "cells", cells)
        return bought_of(state, rule)

    names, scores = off_by(0.5)
    assert names == {"twin 1", "twin 2"}
    assert len(scores) > 1
    names, _ = off_by(2)
    assert names == {lower}, "beyond its resolution the engine is believed"


@pytest.mark.parametrize(("name", "parameters"), [("greedy", {}), ("sfl", {"max_depth": 2})])
def test_of_equally_good_cells_the_cheapest_is_bought(name, parameters):
    problem = contracts.make_problem(["99.90", "0.75", "99.90"], budget="400")
    for seed in range(20):
        choice = policy(name, **parameters).choose(
            State.start(problem), np.random.default_rng(seed)
        )
        assert choice.action.feature == 1


def test_uniform_expenditure_spends_evenly():
    problem = contracts.make_problem(["1", "2", "5"], budget="60")
    state = contracts.play(policy("uniform-expenditure"), problem, (50, 50))
    spent = Counter()
    for each in state.history:
        spent[each.feature] += each.cost
    assert [spent[feature] for feature in range(3)] == [20, 20, 20]
    labels = Counter((each.feature, each.label) for each in state.history)
    assert abs(labels[0, 0] - labels[0, 1]) <= 1


@pytest.mark.parametrize(
    ("bought", "following"), [([1], 2), ([2], 0), ([0, 2, 1], 2), ([2, 1, 0], 1), ([0, 1, 2], 0)]
)
def test_uniform_expenditure_goes_round_from_the_last_feature_where_money_ties(bought, following):
    state = State.start(contracts.make_problem(["1"] * 3))
    for feature in bought:
        state = state.after(Purchase(feature, 0, 0, "1"))
    choice = policy("uniform-expenditure").choose(state, np.random.default_rng(0))
    assert choice.action == (following, 1 if following in bought else 0)


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


@pytest.mark.parametrize("over", ["features", "cells"])
def test_biased_robin_does_not_stay_while_its_last_request_is_under_way(over):
    robin, rng = policy("biased-robin", over=over), np.random.default_rng(0)
    told = state_after([(0, 0, 0)])
    assert "lowered" in robin.choose(told, rng).reason
    asked = told.reserve((0, 1))
    for state in (asked, asked.release(2)):
        choice = robin.choose(state, rng)
        assert choice.action.feature == 1
        assert "no last value to judge by" in choice.reason


def test_biased_robin_judges_by_the_loss_that_it_was_given():
    """With shares of 0.8 and 0.2 one sighting lowers GINI and entropy; the best guess stays."""
    features = [Feature(name, ("a", "b"), 1) for name in ("f", "g")]
    problem = Problem(features, ("common", "rare"), (0.8, 0.2), 10)
    state = State.start(problem).after(Purchase(0, 1, 1, "1"))
    for kind, feature in {"gini": 0, "entropy": 0, "zero_one": 1}.items():
        choice = policy("biased-robin", loss=kind).choose(state, np.random.default_rng(0))
        assert choice.action.feature == feature
        assert f"the {kind} loss" in choice.reason


def test_biased_robin_does_not_take_rounding_for_a_lower_loss(monkeypatch):
    """The last value turns P(a) from 1 - t into t under one label, against a half: no change.

    Rounding is made here, too: half a resolution is none, two are a lower loss.
    """
    for total in np.linspace(0.25, 20, 60):
        share = total**2 / (2 * total + 1)  # so that (share + 1)/(total + 1) = 1 - share/total
        rows = ((1.0, 1.0), (share, total - share))
        features = [Feature("f", ("a", "b"), 1, prior_counts=rows), Feature("g", ("a", "b"), 1)]
        state = State.start(Problem(features, ("no", "yes"), (0.5, 0.5), 10))
        state = state.after(Purchase(0, 1, 0, "1"))
        for resolutions, feature in ((0, 1), (0.5, 1), (2, 0)):
            monkeypatch.setattr(biased_robin, "loss_of", lower_by(resolutions, state.belief))
            choice = policy("biased-robin").choose(state, np.random.default_rng(0))
            assert choice.action.feature == feature


def lower_by(resolutions, belief):
    """The loss, but that of one belief lowered by some resolutions of its engine."""

    def loss_of(each, *arguments, **options):
        found = loss(each, *arguments, **options)
        value = float(found) - (each == belief) * resolutions * found.resolution
        return Estimate(value, found.engine, resolution=found.resolution)

    return loss_of


def test_biased_robin_compares_on_the_same_sample():
    """A fall in the loss that is smaller than the noise of two samples apart is seen each time."""
    features = [Feature(f"f{i}", ("a", "b"), 1) for i in range(21)]
    problem = Problem(features, ("x", "y", "z"), (0.3, 0.3, 0.4), 10)
    seen = np.random.default_rng(1).integers(0, 3, layout_of(problem).shape)
    seen[:, :2] = [[20, 2], [2, 20], [2, 20]]
    before = Belief(problem, seen)
    state = State.start(problem, belief=before).after(Purchase(0, 0, 0, "1"))
    apart = [loss(state.belief, rng=seed) - loss(before, rng=100 + seed) for seed in range(10)]
    assert min(apart) < 0 < max(apart)
    for seed in range(10):
        choice = policy("biased-robin").choose(state, np.random.default_rng(seed))
        assert choice.engine == "particles"
        assert choice.action.feature == 0


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


def test_biased_robin_can_take_the_label_of_which_it_has_least():
    problem = Problem([Feature("f", ("a", "b"), 1)], ("rare", "common"), (0.2, 0.8), 10)
    fewest = policy("biased-robin", next_label="fewest")
    state, labels = State.start(problem).after(Purchase(0, 1, 0, 1)), []
    for seed in range(7):
        choice = fewest.choose(state, np.random.default_rng(seed))
        labels.append(choice.action.label)
        state = state.reserve(choice.action)  # what is under way counts
    assert labels[0] == 0
    assert sorted(labels) == [0, 0, 0, 0, 1, 1, 1]
    with pytest.raises(PolicyError, match="next_label: must be 'prior' or 'fewest', got 'rare'"):
        policy("biased-robin", next_label="rare")


def test_random_shopper_draws_the_label_from_the_prior():
    features = [Feature(name, ("a", "b"), 1) for name in ("f", "g")]
    problem = Problem(features, ("rare", "common"), (0.2, 0.8), 10)
    bought = Counter(
        policy("random-shopper").choose(State.start(problem), np.random.default_rng(seed)).action
        for seed in range(1000)
    )
    for (_, label), number in bought.items():
        share = problem.prior[label] / 2
        assert abs(number - 1000 * share) < 4 * np.sqrt(1000 * share * (1 - share))


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
        ("random-shopper", {"loss": "gini"}, "it takes none"),
        ("biased-robin", {"over": "arms"}, "'features' or 'cells'"),
    ],
)
def test_wrong_names_and_parameters_are_explained(name, parameters, says):
    with pytest.raises(BudgetedError, match=says):
        policy(name, **parameters)
