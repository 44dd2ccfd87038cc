"""The engines against brute force: all outcomes and all x."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from budgeted.expectation import expected_loss, lookahead, loss
from tests import oracles
from tests.strategies import allocations, beliefs, ordinary_counts

SMOOTH = st.sampled_from(["gini", "entropy"])
ANY = st.sampled_from(["gini", "entropy", "zero_one"])


def draw_allocation(data, belief, most_terms=30_000):
    allocation = data.draw(allocations(belief))
    assume(oracles.brute_size(oracles.counts_of(belief), allocation) <= most_terms)
    return allocation


@given(beliefs(), SMOOTH)
@settings(max_examples=200)
def test_two_label_loss_equals_brute_force(belief, kind):
    found = loss(belief, kind)
    truth = oracles.brute_loss(oracles.counts_of(belief), belief.problem.prior, kind)
    assert found.engine == "spectral"
    assert abs(found - truth) < 1e-10
    assert found.lower <= truth <= found.upper


@given(st.data(), beliefs(features=(1, 4)), SMOOTH)
@settings(max_examples=150)
def test_two_label_expected_loss_equals_brute_force(data, belief, kind):
    allocation = draw_allocation(data, belief)
    found = expected_loss(belief, allocation, kind)
    model = oracles.counts_of(belief)
    truth = oracles.brute_expected_loss(model, belief.problem.prior, allocation, kind)
    assert abs(found - truth) < 1e-10


@given(st.data(), beliefs(features=(1, 4)))
@settings(max_examples=100)
def test_zero_one_bounds_bracket_brute_force(data, belief):
    allocation = draw_allocation(data, belief)
    found = expected_loss(belief, allocation, "zero_one")
    model = oracles.counts_of(belief)
    truth = oracles.brute_expected_loss(model, belief.problem.prior, allocation, "zero_one")
    assert found.engine == "grid"
    assert found.lower <= truth <= found.upper
    assert found.lower <= found <= found.upper


@given(beliefs(features=(5, 8), values=(2, 4)))
@settings(max_examples=30)
def test_zero_one_bounds_bracket_brute_force_of_many_features(belief):
    found = loss(belief, "zero_one")
    truth = oracles.brute_loss(oracles.counts_of(belief), belief.problem.prior, "zero_one")
    assert found.lower <= truth <= found.upper
    assert found.upper - found.lower < 1e-4


@given(st.data(), st.integers(2, 4), ANY)
@settings(max_examples=80)
def test_enumeration_equals_brute_force(data, labels, kind):
    belief = data.draw(beliefs(labels=labels, features=(1, 3), values=(2, 3)))
    allocation = draw_allocation(data, belief, 5_000)
    found = expected_loss(belief, allocation, kind, engine="enumeration")
    model = oracles.counts_of(belief)
    truth = oracles.brute_expected_loss(model, belief.problem.prior, allocation, kind)
    assert abs(found - truth) < 1e-10


@given(st.data(), st.integers(2, 4), ANY)
@settings(max_examples=60)
def test_particles_are_within_four_standard_errors(data, labels, kind):
    belief = data.draw(beliefs(labels=labels, features=(1, 4), prior_counts=ordinary_counts))
    allocation = draw_allocation(data, belief, 10_000)
    found = expected_loss(belief, allocation, kind, engine="particles", particles=4_000)
    model = oracles.counts_of(belief)
    truth = oracles.brute_expected_loss(model, belief.problem.prior, allocation, kind)
    assert found.engine == "particles"
    assert abs(found - truth) < 4 * found.standard_error
    assert found.standard_error < 0.02


def test_particle_standard_errors_are_neither_too_small_nor_too_large():
    """Over 400 seeds the reported error must be the spread that is really there."""
    rng = np.random.default_rng(5)
    belief = example_belief(rng, labels=3)
    allocation = {(0, 1): 3, (1, 2): 2}
    found = [
        expected_loss(belief, allocation, engine="particles", particles=1_000, rng=seed)
        for seed in range(400)
    ]
    spread = np.std(found, ddof=1)
    reported = np.mean([each.standard_error for each in found])
    # The standard deviation of 400 normal draws has a relative error of 1/sqrt(2·400) = 3.5 %.
    assert 0.86 < spread / reported < 1.14
    truth = expected_loss(belief, allocation, engine="enumeration")
    assert abs(np.mean(found) - truth) < 4 * spread / 20


def example_belief(rng, labels, sizes=(2, 3, 4)):
    from budgeted import Belief, Feature, Problem

    problem = Problem(
        [Feature(f"f{i}", [str(k) for k in range(size)], 1) for i, size in enumerate(sizes)],
        [f"label {j}" for j in range(labels)],
        prior=[1 / labels] * labels,
        budget=10,
    )
    return Belief(problem, rng.integers(0, 6, problem.prior_counts.shape))


@pytest.mark.parametrize("under_way", [{}, {(0, 0): 1, (0, 1): 2, (2, 1): 3}], ids=["none", "some"])
@pytest.mark.parametrize("kind", ["gini", "entropy", "zero_one"])
def test_lookahead_of_all_cells_equals_one_allocation_each(kind, under_way):
    belief = example_belief(np.random.default_rng(1), labels=2)
    depths = np.array([[3, 0], [1, 4], [2, 2]])
    exact = lookahead(belief, depths, kind, given=under_way)
    assert np.isnan(exact.values[0, 1])
    model, prior = oracles.counts_of(belief), belief.problem.prior
    for cell in map(tuple, np.argwhere(depths)):
        bought = {**under_way, cell: under_way.get(cell, 0) + int(depths[cell])}
        truth = oracles.brute_expected_loss(model, prior, bought, kind)
        assert exact.values[cell] == pytest.approx(truth, abs=max(exact.resolution, 1e-10))


@pytest.mark.parametrize("under_way", [{}, {(0, 0): 1, (0, 1): 2, (2, 1): 3}], ids=["none", "some"])
@pytest.mark.parametrize("kind", ["gini", "entropy", "zero_one"])
def test_multi_label_lookahead_agrees_between_engines(kind, under_way):
    belief = example_belief(np.random.default_rng(2), labels=3)
    depths = np.array([[3, 0, 1], [1, 4, 0], [2, 2, 2]])
    exact = lookahead(belief, depths, kind, given=under_way, engine="enumeration")
    sampled = lookahead(belief, depths, kind, given=under_way, engine="particles", particles=20_000)
    model, prior = oracles.counts_of(belief), belief.problem.prior
    for cell in map(tuple, np.argwhere(depths)):
        bought = {**under_way, cell: under_way.get(cell, 0) + int(depths[cell])}
        truth = oracles.brute_expected_loss(model, prior, bought, kind)
        assert exact.values[cell] == pytest.approx(truth, abs=1e-10)
        assert abs(sampled.values[cell] - truth) < 4 * sampled.standard_errors[cell]


def test_large_counts_and_depths_keep_their_digits():
    """Beta-binomial weights against SciPy, where counts are far from one."""
    from scipy import stats

    from budgeted.expectation import beta_binomial

    for alpha, total, depth in [(0.1, 0.3, 50), (1e5, 1.5e5, 200), (3.0, 1e6, 1000), (1.0, 2.0, 1)]:
        found = beta_binomial.weights(np.array([alpha]), np.array([total]), depth)[0]
        peer = stats.betabinom(depth, alpha, total - alpha).pmf(np.arange(depth + 1))
        assert found.sum() == pytest.approx(1, abs=1e-13)
        np.testing.assert_allclose(found, peer / peer.sum(), rtol=1e-6, atol=1e-12)
