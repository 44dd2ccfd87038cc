"""A few points stand for all outcomes of purchases: how exactly, and whether that is known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from budgeted.learners.belief import Belief
from budgeted.problem import Feature, Problem
from budgeted.value import particles
from budgeted.value.base import Sampling
from budgeted.value.beta_binomial import (
    ENOUGH,
    NUMBERS,
    Bought,
    every_outcome,
    few_outcomes,
    gauss,
    radau,
)
from budgeted.value.loss import ENTROPY, GINI, ZERO_ONE
from budgeted.value.particles import Particles
from tests.thorough import sized

COUNTS = st.floats(-1.5, 3).map(lambda power: 10**power)
PURCHASES = st.integers(30, 2_000)
SMOOTH = (GINI, ENTROPY)


def sightings(count, other, purchases):
    """Outcomes and their probabilities by another library."""
    seen = np.arange(purchases + 1)
    return seen, stats.betabinom.pmf(seen, purchases, count, other)


@given(COUNTS, COUNTS, PURCHASES, st.sampled_from(NUMBERS), st.integers(0, 15))
def test_polynomials_are_summed_exactly(count, other, purchases, number, degree):
    seen, chances = sightings(count, other, purchases)
    for rule, most in ((gauss, 2 * number - 1), (radau, 2 * number - 2)):
        points, weights = rule(np.array([count]), np.array([count + other]), purchases, number)
        assert degree <= most
        found = weights[0] @ (points[0] / purchases) ** degree
        assert found == pytest.approx(chances @ (seen / purchases) ** degree, rel=1e-6, abs=1e-9)


@given(COUNTS, COUNTS, PURCHASES, st.sampled_from(NUMBERS), st.floats(-4, 2))
def test_the_two_rules_bracket_the_sum(count, other, purchases, number, power):
    ratio, scale = 10**power, count + other + purchases
    seen, chances = sightings(count, other, purchases)
    exactly = chances @ (1 / (ratio + (count + seen) / scale))
    bounds = []
    for rule in (gauss, radau):
        points, weights = rule(np.array([count]), np.array([count + other]), purchases, number)
        bounds.append(weights[0] @ (1 / (ratio + (count + points[0]) / scale)))
    low, high = bounds
    assert low <= exactly * (1 + 1e-7)
    assert high >= exactly * (1 - 1e-7)


@pytest.mark.parametrize("loss", SMOOTH, ids=lambda loss: loss.name)
@given(
    counts=st.lists(COUNTS, min_size=2, max_size=6),
    others=st.lists(st.floats(0.001, 1), min_size=2, max_size=5),
    purchases=PURCHASES,
    data=st.data(),
)
def test_the_error_is_no_larger_than_it_is_said_to_be(loss, counts, others, purchases, data):
    """Against all outcomes one by one, for masses of the other labels that may be."""
    cell = Bought(np.array(counts), float(sum(counts)), purchases)
    (few,) = few_outcomes([cell], loss)
    shares = np.array(others) / sum(others)  # of the labels, the last one moves
    tables = np.array(data.draw(st.lists(
        st.lists(st.floats(0.001, 1), min_size=len(counts), max_size=len(counts)),
        min_size=len(others) - 1, max_size=len(others) - 1,
    )))  # fmt: skip
    fixed = shares[:-1, None] * tables / tables.sum(axis=1, keepdims=True)  # labels × values

    def expected(outcomes):
        total = 0.0
        for value in range(len(counts)):
            moving = shares[-1] * outcomes.after[value]
            masses = np.column_stack([
                np.broadcast_to(fixed[:, value], (len(moving), len(fixed))), moving
            ])  # fmt: skip
            total += outcomes.chances[value] @ loss(masses)
        return total

    (every,) = every_outcome([cell])
    apart = abs(expected(few) - expected(every))
    assert apart <= few.error + 1e-9
    assert few.after.shape[1] <= max(NUMBERS)


def test_what_is_not_smooth_and_what_is_little_is_gone_through_one_by_one():
    few, many = Bought(np.array([1.0, 2.0]), 3.0, 5), Bought(np.array([1.0, 2.0]), 3.0, 500)
    for cell, loss in ((few, GINI), (many, ZERO_ONE)):
        (found,) = few_outcomes([cell], loss)
        assert found.after.shape[1] == cell.purchases + 1
        assert found.error == 0
    (found,) = few_outcomes([many], GINI)
    assert found.after.shape[1] in NUMBERS
    assert 0 < found.error <= ENOUGH


def beliefs(rng, number):
    """Beliefs after random purchases, of random problems with three to five labels."""
    for _ in range(number):
        labels = tuple(f"label {at}" for at in range(rng.integers(3, 6)))
        sizes = rng.integers(2, 6, size=rng.integers(3, 7)).tolist()
        features = [Feature(f"f{at}", tuple(map(str, range(size))), 1)
                    for at, size in enumerate(sizes)]  # fmt: skip
        shares = rng.dirichlet(np.full(len(labels), 2.0))
        belief = Belief.prior(Problem(features, labels, tuple(shares.tolist()), 500))
        for _ in range(rng.integers(0, 60)):
            feature = int(rng.integers(len(sizes)))
            value = int(rng.integers(sizes[feature]))
            belief = belief.observe_at(feature, int(rng.integers(len(labels))), value)
        yield belief


def test_the_same_is_chosen_as_with_all_outcomes(monkeypatch):
    """In 99 of 100 states; where it differs, by less than the error that is allowed."""
    number, differ = sized(150, 2_000), 0
    for at, belief in enumerate(beliefs(np.random.default_rng(20), number)):
        depths = np.full((len(belief.problem.features), len(belief.problem.labels)), 300)
        asked = (belief, depths, np.zeros_like(depths), GINI, Sampling(200, at))
        few = Particles().cells(*asked)
        with monkeypatch.context() as patched:
            patched.setattr(particles, "few_outcomes", lambda cells, _: every_outcome(cells))
            every = Particles().cells(*asked)
        assert 0 < np.abs(few.values - every.values).max() <= ENOUGH
        one, other = np.nanargmin(few.values), np.nanargmin(every.values)
        if one != other:
            differ += 1
            apart = every.values.flat[one] - every.values.flat[other]
            assert apart <= 2 * ENOUGH
    assert differ <= number / 100
