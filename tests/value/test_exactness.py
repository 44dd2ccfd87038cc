"""The engines against brute force: all outcomes and all x."""

import itertools
import math
import operator
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from budgeted import Belief, Feature, Problem
from budgeted.learners.layout import layout_of
from budgeted.value import (
    beta_binomial,
    expected_loss,
    feature_lookahead,
    grid,
    lookahead,
    particles,
)
from tests import oracles
from tests.strategies import allocations, beliefs, ordinary_counts, tiny_counts

SMOOTH = st.sampled_from(["gini", "entropy"])
ANY = st.sampled_from(["gini", "entropy", "zero_one"])


def draw_allocation(data, belief, most_terms=30_000):
    allocation = data.draw(allocations(belief))
    assume(oracles.brute_size(oracles.counts_of(belief), allocation) <= most_terms)
    return allocation


def check_expected_loss(belief, allocation, kind):
    found = expected_loss(belief, allocation, kind)
    model = oracles.counts_of(belief)
    truth = oracles.brute_expected_loss(model, belief.problem.prior, allocation, kind)
    assert found.engine == ("grid" if kind == "zero_one" else "spectral")
    assert abs(found - truth) <= max(found.resolution / 2, 1e-10)
    assert found.resolution < 1e-4


@given(st.data(), beliefs(features=(1, 4)), ANY)
@settings(max_examples=200)
@pytest.mark.slow
def test_two_label_expected_loss_equals_brute_force(data, belief, kind):
    check_expected_loss(belief, draw_allocation(data, belief), kind)


@given(st.data(), beliefs(features=(1, 4), prior_counts=tiny_counts), SMOOTH)
@settings(max_examples=60)
@pytest.mark.slow
def test_two_label_expected_loss_equals_brute_force_with_tiny_counts(data, belief, kind):
    check_expected_loss(belief, draw_allocation(data, belief), kind)


@given(beliefs(features=(5, 8), values=(2, 4)), ANY)
@settings(max_examples=60)
@pytest.mark.slow
def test_two_label_loss_of_many_features_equals_brute_force(belief, kind):
    check_expected_loss(belief, {}, kind)


@pytest.mark.parametrize("kind", ["gini", "entropy"])
@pytest.mark.parametrize("depth", [16_383, 16_384, 20_000, 40_000])
def test_a_depth_that_needs_several_tables_equals_a_plain_sum(depth, kind):
    """One Boolean feature: two values times depth + 1 counts."""
    counts, prior = ((2.0, 3.0), (1.5, 4.0)), (0.3, 0.7)
    problem = Problem([Feature("f", ("a", "b"), 1, prior_counts=counts)], ("n", "y"), prior, 10)
    seen, truth = np.arange(depth + 1), 0.0
    for stays, moves in zip(*counts, strict=True):
        chances = stats.betabinom(depth, moves, 5.5 - moves).pmf(seen)
        chances /= chances.sum()
        first, second = 0.3 * stays / 5, 0.7 * (moves + seen) / (5.5 + depth)
        total = first + second
        if kind == "gini":
            truth += chances @ (2 * first * second / total)
        else:
            truth -= chances @ (first * np.log(first / total) + second * np.log(second / total))
    assert abs(expected_loss(Belief.prior(problem), {(0, 1): depth}, kind) - truth) < 1e-10


@given(st.data(), beliefs(features=(2, 4)), st.sampled_from([0.5, 1.0, 3.0]))
@settings(max_examples=60)
def test_the_resolution_holds_where_the_grid_is_too_narrow(data, belief, widest):
    """What lies beyond the grid comes round at its other end."""
    allocation = draw_allocation(data, belief)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grid, "WIDEST", widest)
        found = expected_loss(belief, allocation, "zero_one")
    model = oracles.counts_of(belief)
    truth = oracles.brute_expected_loss(model, belief.problem.prior, allocation, "zero_one")
    assert abs(found - truth) <= found.resolution / 2


@pytest.mark.parametrize("prior", [(0.5, 0.5), (0.999, 0.001)])
def test_hardly_anything_is_felt_of_what_lies_beyond_the_grid(prior):
    """The log-odds of nine features add up to 74, and the grid ends at 60."""
    rows = [((each, 1.0), (1.0, 2 * each)) for each in (200.0, 9_000.0) for _ in range(4)]
    rows.append(((2.0, 1.0), (3.0, 4.0)))
    features = [Feature(f"f{i}", ("a", "b"), 1, prior_counts=each) for i, each in enumerate(rows)]
    belief = Belief.prior(Problem(features, ("no", "yes"), prior, 10))
    model = oracles.counts_of(belief)
    means = [np.array(each) / np.sum(each, axis=1, keepdims=True) for each in rows]
    reach = sum(abs(np.log(each[0] / each[1])).max() for each in means)
    assert reach > grid.WIDEST, "else this tests nothing"
    for bought in ({}, {(8, 0): 20}):
        found = expected_loss(belief, bought, "zero_one")
        truth = oracles.brute_expected_loss(model, prior, bought, "zero_one")
        assert abs(found - truth) <= found.resolution / 2 < 1e-6


def test_the_resolution_holds_where_a_feature_has_more_outcomes_than_the_grid_has_bins(monkeypatch):
    """Both labels bought deeply; on the coarsest grid a feature is merged before it is used."""
    counts, bought, prior = (((2, 1), (1, 3)), ((1, 4), (2, 2))), (30, 25), (0.4, 0.6)
    features = [Feature(f"f{i}", ("a", "b"), 1, prior_counts=rows) for i, rows in enumerate(counts)]
    belief = Belief.prior(Problem(features, ("no", "yes"), prior, 10))
    (first, second), (other_first, other_second) = (
        masses_by_scipy(rows, bought) for rows in counts
    )
    truth = np.minimum(
        prior[0] * np.multiply.outer(first, other_first),
        prior[1] * np.multiply.outer(second, other_second),
    ).sum()
    reach = sum(
        abs(np.log(odds)).max() for odds in (first / second, other_first / other_second, 1.5)
    )
    assert len(first) > 2 * reach / grid.COARSEST + 10, "else this tests nothing"
    allocation = {(i, j): bought[j] for i in (0, 1) for j in (0, 1)}
    fine = expected_loss(belief, allocation, "zero_one")
    monkeypatch.setattr(grid, "FINEST", grid.COARSEST)
    coarse = expected_loss(belief, allocation, "zero_one")
    for found, width in [(fine, 1e-6), (coarse, 3e-5)]:
        assert abs(found - truth) <= found.resolution / 2
        assert found.resolution < width
    assert coarse.resolution > 1e-6


def masses_by_scipy(rows, bought):
    """Joint masses of a feature's values and all outcomes of its two cells, each label's."""
    first, second = [], []
    for alphas in zip(*rows, strict=True):
        chances, after = [], []
        for alpha, row, depth in zip(alphas, rows, bought, strict=True):
            seen = np.arange(depth + 1)
            chance = stats.betabinom(depth, alpha, sum(row) - alpha).pmf(seen)
            chances.append(chance / chance.sum())
            after.append((alpha + seen) / (sum(row) + depth))
        both = np.multiply.outer(*chances)
        first.append((both * after[0][:, None]).ravel())
        second.append((both * after[1]).ravel())
    return np.concatenate(first), np.concatenate(second)


@given(
    beliefs(most_seen=2, features=(1, 3), values=(2, 3), prior_counts=st.just(1.0)),
    st.integers(1, 3),
    st.sampled_from([1, 2, 32]),
)
@settings(max_examples=40)
def test_zero_one_of_every_cell_equals_brute_force(belief, depth, block):
    """Also where features are halved, where the same is known of two, and with requests pending."""
    twice = Problem(
        [replace(each, name=f"{each.name} {at}") for each in belief.problem.features
         for at in range(2)],
        belief.problem.labels, belief.problem.prior, 10,
    )  # fmt: skip
    columns = [belief.columns(at) for at in range(len(belief.problem.features)) for _ in range(2)]
    both = Belief(twice, np.column_stack([belief.observed[:, at] for at in columns]))
    depths = np.full((len(columns), 2), depth)
    pending = {(0, 1): 1}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grid, "_BLOCK", block)
        found = lookahead(both, depths, "zero_one", given=pending)
        wide = feature_lookahead(both, np.minimum(depths, 1), "zero_one", given=pending)
    model, prior = oracles.counts_of(both), twice.prior
    for feature in (0, 1, len(columns) - 1):
        asked = [({(feature, label): depth}, found, (feature, label)) for label in (0, 1)]
        asked.append(({(feature, 0): 1, (feature, 1): 1}, wide, feature))
        for more, cells, at in asked:
            bought = Counter(pending) + Counter(more)
            truth = oracles.brute_expected_loss(model, prior, bought, "zero_one")
            assert abs(cells.values[at] - truth) <= cells.resolution / 2 < 1e-4


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


@pytest.mark.parametrize("every_case", [True, False], ids=["loss now summed", "loss now drawn"])
@pytest.mark.parametrize("kind", ["gini", "zero_one"])
def test_standard_errors_of_cells_cover_the_truth(monkeypatch, kind, every_case):
    """Also with a rare label, and few cases: as many lie within two of them as should."""
    if not every_case:
        monkeypatch.setattr(particles, "MOST_CASES", 0)
    rng, beyond, squares = np.random.default_rng(20), [], []
    depths = np.full((4, 3), 20)
    for seed in range(60):
        prior = ((0.3, 0.3, 0.4), (0.9, 0.09, 0.01))[seed % 2]
        belief = example_belief(rng, 3, (2, 3, 4, 3), prior)
        truth = lookahead(belief, depths, kind, engine="enumeration").values
        found = lookahead(belief, depths, kind, engine="particles", particles=200, rng=seed)
        apart = np.abs(found.values - truth) / found.standard_errors
        beyond.append((apart > 2).mean())
        squares.append((apart**2).mean())
        assert apart.max() < 5
    # Cells of a state share their cases: the mean of 60 states has the error of 60 numbers.
    error = np.std(beyond, ddof=1) / np.sqrt(len(beyond))
    assert np.mean(beyond) - 2 * error < 0.05
    # Nor are they much too large: a standard deviation of 60 draws has a relative error of 9 %.
    assert 0.64 < np.sqrt(np.mean(squares)) < 1.36


@pytest.mark.parametrize("kind", ["gini", "entropy"])
def test_drawn_cases_leave_less_than_half_the_error_of_plain_means(kind):
    """What cases cost now, which varies most, is known of all of them."""
    belief, drawn_cases = example_belief(np.random.default_rng(21), 3), 500
    masses = oracles.all_masses(oracles.counts_of(belief), belief.problem.prior)
    chances = masses.sum(axis=1)
    posterior = masses / chances[:, None]
    losses = 1 - (posterior**2).sum(axis=1)
    if kind == "entropy":
        losses = -(posterior * np.log(posterior)).sum(axis=1)
    plain = math.sqrt(chances @ (losses - chances @ losses) ** 2 / drawn_cases)
    depths = np.full((3, 3), 20)
    found = lookahead(belief, depths, kind, engine="particles", particles=drawn_cases)
    truth = lookahead(belief, depths, kind, engine="enumeration")
    assert found.standard_errors.max() < plain / 2
    assert np.sqrt(((found.values - truth.values) ** 2).mean()) < plain / 2


def example_belief(rng, labels, sizes=(2, 3, 4), prior=None):
    problem = Problem(
        [Feature(f"f{i}", [str(k) for k in range(size)], 1) for i, size in enumerate(sizes)],
        [f"label {j}" for j in range(labels)],
        prior=prior or [1 / labels] * labels,
        budget=10,
    )
    return Belief(problem, rng.integers(0, 6, layout_of(problem).shape))


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


def exact_weights(alpha, total, depth):
    """The beta-binomial of these very floats, in whole numbers; only the last division rounds."""
    alpha, total = Fraction(alpha), Fraction(total)
    unit = math.lcm(alpha.denominator, total.denominator)

    def rising(base):
        return list(itertools.accumulate(
            (int(base * unit) + step * unit for step in range(depth)), operator.mul, initial=1
        ))  # fmt: skip

    seen, unseen, all_of_them = rising(alpha), rising(total - alpha), rising(total)[-1]
    return [
        math.comb(depth, number) * seen[number] * unseen[depth - number] / all_of_them
        for number in range(depth + 1)
    ]


wide_counts = st.floats(math.log(1e-6), math.log(1e9)).map(math.exp)


@given(wide_counts, wide_counts, st.integers(1, 8))
@settings(max_examples=200)
def test_beta_binomial_weights_equal_fractions(alpha, others, depth):
    total = alpha + others
    assume(total > alpha)
    found = beta_binomial.weights(np.array([alpha]), np.array([total]), depth)[0]
    np.testing.assert_allclose(found, exact_weights(alpha, total, depth), rtol=1e-12, atol=0)


@pytest.mark.parametrize(
    ("alpha", "total", "depth"),
    [(0.1, 0.3, 50), (1e5, 1.5e5, 200), (3.0, 1e6, 1000), (1.0, 2.0, 1)],
)
def test_large_counts_and_depths_keep_their_digits(alpha, total, depth):
    found = beta_binomial.weights(np.array([alpha]), np.array([total]), depth)[0]
    assert found.sum() == pytest.approx(1, abs=1e-13)
    np.testing.assert_allclose(found, exact_weights(alpha, total, depth), rtol=1e-11, atol=1e-300)
