"""What values are worth to a classifier with a limit for each case, against brute force."""

from __future__ import annotations

from decimal import Decimal
from itertools import chain, combinations, product
from math import comb, lgamma, prod
from math import exp as exponential

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budgeted import Belief, Feature, Problem
from budgeted.errors import EngineError
from budgeted.learners import Hierarchical
from budgeted.problem.prices import Tariff
from budgeted.value import bounded as of_sets
from budgeted.value import gains
from budgeted.value.affordable import Affordable
from budgeted.value.bounded import Within, merged
from budgeted.value.loss import GINI, ZERO_ONE


def problem_of(costs, sizes, prior=(0.6, 0.4), prices=None):
    features = [
        Feature(f"t{at}", tuple("abc"[:size]), cost)
        for at, (cost, size) in enumerate(zip(costs, sizes, strict=True))
    ]
    return Problem(features, [f"y{at}" for at in range(len(prior))], prior, 100, prices)


def seen(problem, values):
    belief = Belief.prior(problem)
    for feature, label, value in values:
        at = value % len(problem.features[feature].values)
        belief = belief.observe_at(feature, label % len(problem.labels), at, 1)
    return belief


def means_of(problem, counts):
    """Feature → labels × values, with one prior count for each value."""
    return [(each + 1) / (each + 1).sum(axis=1, keepdims=True) for each in counts]


def error_with(problem, means, tests):
    """Go through all values of some tests."""
    right = 0.0
    for values in product(*(range(means[at].shape[1]) for at in tests)):
        right += max(
            share * prod(means[at][label, value] for at, value in zip(tests, values, strict=True))
            for label, share in enumerate(problem.prior)
        )
    return 1 - right


def best_error(problem, means, sets):
    return min(error_with(problem, means, tests) for tests in sets)


def ways(number, size):
    """All counts of `size` values that add up to a number."""
    if size == 1:
        return [(number,)]
    return [(one, *rest) for one in range(number + 1) for rest in ways(number - one, size - 1)]


def chance(counts, more):
    """Dirichlet-multinomial probability of more values, after counts with one prior count each."""
    before, number = [each + 1 for each in counts], sum(more)
    log = lgamma(sum(before)) - lgamma(sum(before) + number)
    log += sum(lgamma(a + n) - lgamma(a) for a, n in zip(before, more, strict=True))
    log += lgamma(number + 1) - sum(lgamma(n + 1) for n in more)
    return exponential(log)


def gain_by_brute_force(problem, counts, sets, feature, numbers):
    now = best_error(problem, means_of(problem, counts), sets)
    size = counts[feature].shape[1]
    then = 0.0
    for outcome in product(*(ways(number, size) for number in numbers)):
        likely = prod(chance(row, more) for row, more in zip(counts[feature], outcome, strict=True))
        after = [*counts]
        after[feature] = counts[feature] + np.array(outcome)
        then += likely * best_error(problem, means_of(problem, after), sets)
    return now - then


def every_affordable_set(costs, limit):
    """Not only the largest ones; prices of tests that stand for themselves."""
    every = range(len(costs))
    sets = chain.from_iterable(combinations(every, size) for size in range(len(costs) + 1))
    return [each for each in sets if sum(costs[at] for at in each) <= limit]


def counts_of(problem, values):
    counts = [np.zeros((len(problem.labels), len(each.values))) for each in problem.features]
    for feature, label, value in values:
        row = counts[feature][label % len(problem.labels)]
        row[value % len(row)] += 1
    return counts


SEEN = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 2)), max_size=14)


@given(
    values=SEEN,
    costs=st.lists(st.integers(1, 4), min_size=3, max_size=3),
    limit=st.integers(1, 12),
    sizes=st.lists(st.integers(2, 3), min_size=3, max_size=3),
    numbers=st.tuples(st.integers(0, 2), st.integers(0, 2)),
    labels=st.sampled_from([(0.6, 0.4), (0.5, 0.3, 0.2)]),
)
@settings(max_examples=40, deadline=None)
def test_it_is_what_going_through_all_sets_and_all_outcomes_gives(
    values, costs, limit, sizes, numbers, labels
):
    if limit < min(costs):
        return
    problem = problem_of(costs, sizes, labels)
    bought = np.zeros((3, len(labels)), dtype=np.int64)
    bought[:, :2] = numbers
    found = gains(seen(problem, values), ZERO_ONE.within(Decimal(limit))).gains(bought)
    sets, counts = every_affordable_set(costs, limit), counts_of(problem, values)
    wanted = [
        gain_by_brute_force(problem, counts, sets, at, bought[at].tolist()) for at in range(3)
    ]
    assert found == pytest.approx(wanted, abs=1e-9)


@given(values=SEEN, limit=st.integers(1, 3), number=st.sampled_from([1, 4, 8]))
@settings(max_examples=25, deadline=None)
def test_under_the_default_belief_it_is_never_below_zero_and_all_tests_give_the_usual_gain(
    values, limit, number
):
    problem = problem_of((1, 1, 1), (2, 3, 2))
    known = Hierarchical().believed(seen(problem, values))
    more = np.full((3, 2), number)
    assert (gains(known, ZERO_ONE.within(Decimal(limit))).gains(more) > -1e-9).all()
    everything = gains(known, ZERO_ONE.within(Decimal(3))).gains(more)
    assert everything == pytest.approx(gains(known, ZERO_ONE).gains(more), abs=1e-9)


def test_a_test_that_no_limit_pays_for_is_worth_nothing():
    problem = problem_of((1, 1, 7), (2, 2, 2))
    known = Hierarchical().believed(Belief.prior(problem))
    found = gains(known, ZERO_ONE.within(Decimal(3))).gains(np.full((3, 2), 8))
    assert found[2] == pytest.approx(0, abs=1e-12)
    assert (found[:2] > 0.001).all()
    dear = ZERO_ONE.within(Decimal(3), (("t2", Decimal(2)),))
    assert gains(known, dear).gains(np.full((3, 2), 8))[2] > 0.001


def test_fees_and_panels_count():
    panel = {"name": "blood", "features": ["t1", "t2"], "setup": 3}
    problem = problem_of((1, 1, 1), (2, 2, 2), prices=Tariff("2", panels=[panel]))
    assert Affordable(problem, Decimal(3)).largest == [(0,)]
    assert Affordable(problem, Decimal(6)).largest == [(0,), (1,), (2,)]
    assert Affordable(problem, Decimal(7)).largest == [(0, 1), (0, 2), (1, 2)]
    assert Affordable(problem, Decimal(8)).largest == [(0, 1, 2)]
    assert Affordable(problem, Decimal(8)).price((0, 1, 2)) == 8


@pytest.mark.parametrize("prices", [None, Tariff("0.50")])
def test_sets_that_grow_find_what_all_sets_would_give(monkeypatch, prices):
    problem = problem_of((1, 2, 3, 1, 2, 1), (2, 3, 2, 2, 3, 2), prices=prices)
    rng = np.random.default_rng(3)
    belief = Belief.prior(problem)
    for at, label in product(range(6), range(2)):
        for _ in range(3):
            size = len(problem.features[at].values)
            belief = belief.observe_at(at, label, int(rng.integers(size)), 1)
    known = Hierarchical().believed(belief)
    more = np.full((6, 2), 4)
    every = Within(known, Affordable(problem, Decimal(5)))
    monkeypatch.setattr("budgeted.value.affordable.MOST_SETS", 3)
    monkeypatch.setattr("budgeted.value.affordable.MOST_QUOTES", 3)
    few = Affordable(problem, Decimal(5))
    assert few.largest is None
    grown = Within(known, few)
    assert grown.gains(more) == pytest.approx(every.gains(more), abs=1e-3)
    assert all(few.price(tests) <= 5 for tests in grown._candidates.sets)


def test_the_beam_stays_small(monkeypatch):
    monkeypatch.setattr(of_sets, "BEAM", 2)
    problem = problem_of([1] * 40, [2] * 40)
    known = Hierarchical().believed(Belief.prior(problem))
    within = Within(known, Affordable(problem, Decimal(6)))
    assert within._candidates.has.any(axis=0).all(), "each feature is in some set"
    assert (within._candidates.has.sum(axis=1) == 6).all()


@given(st.integers(0, 10**6), st.sampled_from([2, 3]))
@settings(max_examples=20, deadline=None)
def test_merged_masses_understate_no_error(seed, labels):
    masses = np.random.default_rng(seed).dirichlet(np.ones(labels * 900)).reshape(labels, 900)
    few = merged(masses, 512)
    assert few.shape[1] <= 512
    assert few.sum() == pytest.approx(1)
    exact, found = 1 - masses.max(axis=0).sum(), 1 - few.max(axis=0).sum()
    assert exact - 1e-12 <= found <= exact + (0.01 if labels == 2 else 0.1)


def test_only_losses_within_a_limit_and_only_errors():
    problem = problem_of((1, 1), (2, 2))
    belief = Belief.prior(problem)
    with pytest.raises(EngineError, match="is for zero_one, not gini"):
        gains(belief, GINI.within(Decimal(1)))
    with pytest.raises(EngineError, match="is for losses within a limit, which zero_one has not"):
        gains(belief, ZERO_ONE, engine="bounded")
    with pytest.raises(EngineError, match="may spend a limit on each case"):
        gains(belief, ZERO_ONE.within(Decimal(1)), engine="enumeration")


@pytest.mark.parametrize(
    ("limit", "costs", "says"),
    [
        ("0.50", {}, "a limit of 0.50 pays for no test; the cheapest costs 1"),
        ("2", {"t9": Decimal(1)}, "there is no test 't9'"),
        ("1", {"t0": Decimal(4), "t1": Decimal(4)}, "pays for no test; the cheapest costs 4"),
    ],
)
def test_what_is_wrong_with_a_limit_is_said(limit, costs, says):
    problem = problem_of((1, 1), (2, 2))
    (found,) = Affordable(problem, Decimal(limit), costs).mistakes
    assert says in found


def test_pairs_of_a_hundred_tests_are_all_gone_through():
    affordable = Affordable(problem_of([1] * 100, [2] * 100), Decimal(2))
    assert affordable.largest is not None
    assert len(affordable.largest) == comb(100, 2)
