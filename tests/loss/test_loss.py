"""Expected losses against brute force: all outcomes and all x; and against each other."""

import itertools
import math
import operator
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from budgeted import Belief, Feature, Problem
from budgeted.learners.believed import Believed
from budgeted.learners.layout import layout_of
from budgeted.loss import (
    GINI,
    ZERO_ONE,
    Loss,
    expected_loss,
    feature_lookahead,
    gains,
    lookahead,
    loss,
    replaced,
    tables,
)
from budgeted.loss.tally import gathered, sightings, tally
from tests import oracles
from tests.strategies import allocations, beliefs, ordinary_counts, tiny_counts

SMOOTH = st.sampled_from(["gini", "entropy"])
ANY = st.sampled_from(["gini", "entropy", "zero_one"])


def draw_allocation(data, belief, most_terms=20_000):
    allocation = data.draw(allocations(belief))
    assume(oracles.brute_size(oracles.counts_of(belief), allocation) <= most_terms)
    return allocation


def truth(belief, allocation, kind):
    model = oracles.counts_of(belief)
    return oracles.brute_expected_loss(model, belief.problem.prior, allocation, kind)


def example_belief(rng, labels, sizes=(2, 3, 4), prior=None):
    problem = Problem(
        [Feature(f"f{i}", [str(k) for k in range(size)], 1) for i, size in enumerate(sizes)],
        [f"label {j}" for j in range(labels)], prior or [1 / labels] * labels, 10,
    )  # fmt: skip
    return Belief(problem, rng.integers(0, 6, layout_of(problem).shape))


@given(st.data(), beliefs(features=(1, 4)), ANY)
@settings(max_examples=60)
def test_of_two_labels_it_equals_brute_force(data, belief, kind):
    allocation = draw_allocation(data, belief)
    within = 1e-10 if kind == "zero_one" else 1e-11
    assert abs(expected_loss(belief, allocation, kind) - truth(belief, allocation, kind)) < within


@given(st.data(), beliefs(features=(1, 4), prior_counts=tiny_counts), SMOOTH)
@settings(max_examples=30)
def test_tiny_prior_counts_are_no_exception(data, belief, kind):
    allocation = draw_allocation(data, belief)
    assert abs(expected_loss(belief, allocation, kind) - truth(belief, allocation, kind)) < 1e-10


@given(st.data(), st.integers(3, 4), ANY)
@settings(max_examples=40)
def test_of_more_labels_it_equals_brute_force(data, labels, kind):
    belief = data.draw(beliefs(labels=labels, features=(1, 3), values=(2, 3)))
    allocation = draw_allocation(data, belief, 5_000)
    assert abs(expected_loss(belief, allocation, kind) - truth(belief, allocation, kind)) < 1e-12


@given(st.data(), st.integers(2, 3), ANY, st.booleans())
@settings(max_examples=30)
def test_cells_and_features_equal_one_allocation_each_with_what_is_under_way(
    data, labels, kind, whole
):
    belief = data.draw(beliefs(labels=labels, features=(1, 3), values=(2, 3)))
    under_way = data.draw(allocations(belief, largest=2, cells=2))
    shape = len(belief.problem.features), labels
    depths = np.array(
        [[data.draw(st.integers(0, 2)) for _ in range(labels)] for _ in range(shape[0])]
    )
    ask = feature_lookahead if whole else lookahead
    found = ask(belief, depths, kind, under_way)
    for feature in range(shape[0]):
        for label in range(labels):
            more = {(feature, each): int(depths[feature, each]) for each in range(labels)
                    if whole or each == label}  # fmt: skip
            value = found.values[feature] if whole else found.values[feature, label]
            if not any(more.values()):
                assert np.isnan(value)
                continue
            bought = Counter({tuple(cell): number for cell, number in under_way.items()})
            bought.update(more)
            assume(oracles.brute_size(oracles.counts_of(belief), bought) <= 20_000)
            assert abs(value - truth(belief, bought, kind)) < 1e-10


@pytest.mark.parametrize("kind", ["gini", "entropy"])
@pytest.mark.parametrize("depth", [255, 256, 20_000])
def test_many_purchases_equal_a_plain_sum(depth, kind):
    """One Boolean feature: two values times depth + 1 counts."""
    counts, prior = ((2.0, 3.0), (1.5, 4.0)), (0.3, 0.7)
    problem = Problem([Feature("f", ("a", "b"), 1, prior_counts=counts)], ("n", "y"), prior, 10)
    seen, wanted = np.arange(depth + 1), 0.0
    for stays, moves in zip(*counts, strict=True):
        chances = stats.betabinom(depth, moves, 5.5 - moves).pmf(seen)
        chances /= chances.sum()
        first, second = 0.3 * stays / 5, 0.7 * (moves + seen) / (5.5 + depth)
        total = first + second
        if kind == "gini":
            wanted += chances @ (2 * first * second / total)
        else:
            wanted -= chances @ (first * np.log(first / total) + second * np.log(second / total))
    assert abs(expected_loss(Belief.prior(problem), {(0, 1): depth}, kind) - wanted) < 1e-10


def without_enumeration(monkeypatch):
    monkeypatch.setattr(tables.Kinds, "few", lambda kinds: False)


@given(st.data(), beliefs(features=(2, 6), values=(2, 3)))
@settings(max_examples=40)
def test_on_a_grid_the_error_is_within_the_resolution(data, belief):
    depths = np.full((len(belief.problem.features), 2), data.draw(st.integers(1, 4)))
    exact = lookahead(belief, depths, "zero_one").values
    with pytest.MonkeyPatch.context() as patch:
        without_enumeration(patch)
        found = lookahead(belief, depths, "zero_one")
    assert np.abs(found.values - exact).max() <= found.resolution < 0.01


@pytest.mark.parametrize("prior", [(0.5, 0.5), (0.999, 0.001)])
def test_hardly_anything_is_felt_of_what_lies_beyond_the_grid(monkeypatch, prior):
    """The log-odds of nine features add up to 74, and the grid ends at 60."""
    rows = [((each, 1.0), (1.0, 2 * each)) for each in (200.0, 9_000.0) for _ in range(4)]
    rows.append(((2.0, 1.0), (3.0, 4.0)))
    features = [Feature(f"f{i}", ("a", "b"), 1, prior_counts=each) for i, each in enumerate(rows)]
    belief = Belief.prior(Problem(features, ("no", "yes"), prior, 10))
    means = [np.array(each) / np.sum(each, axis=1, keepdims=True) for each in rows]
    assert sum(abs(np.log(each[0] / each[1])).max() for each in means) > 60, "else it tests nothing"
    without_enumeration(monkeypatch)
    for bought in ({}, {(8, 0): 20}):
        found = expected_loss(belief, bought, "zero_one")
        assert abs(found - truth(belief, bought, "zero_one")) <= found.resolution < 1e-4


@given(st.data(), st.integers(2, 4), ANY)
@settings(max_examples=30)
def test_drawn_cases_are_within_four_standard_errors(data, labels, kind):
    belief = data.draw(beliefs(labels=labels, features=(1, 4), prior_counts=ordinary_counts))
    allocation = draw_allocation(data, belief, 10_000)
    kinds = kinds_of(belief, allocation)
    with pytest.MonkeyPatch.context() as patch:
        without_enumeration(patch)
        found = tables.Cases(
            kinds, {"gini": GINI, "zero_one": ZERO_ONE}.get(kind, named(kind)), 2_000
        )
    assert 0 < found.standard_error < 0.03
    assert abs(found.now() - truth(belief, allocation, kind)) < 4 * found.standard_error


def named(kind):
    from budgeted.loss import LOSSES

    return LOSSES[kind]


def kinds_of(belief, allocation=()):
    shape = len(belief.problem.features), len(belief.problem.labels)
    under_way = np.zeros(shape, dtype=np.int64)
    for cell, number in dict(allocation).items():
        under_way[tuple(cell)] = number
    return tables.Kinds.among(belief, belief.problem.prior, belief.keys, under_way)


@pytest.mark.parametrize("kind", ["gini", "zero_one"])
def test_standard_errors_of_differences_are_neither_too_small_nor_much_too_large(monkeypatch, kind):
    """Cells of a state share their cases, so that each of the 60 states counts once."""
    rng, beyond, squares = np.random.default_rng(20), [], []
    depths = np.full((4, 3), 20)
    for seed in range(60):
        prior = ((0.3, 0.3, 0.4), (0.9, 0.09, 0.01))[seed % 2]
        belief = example_belief(rng, 3, (2, 3, 4, 3), prior)
        now, exact = loss(belief, kind), lookahead(belief, depths, kind).values
        with pytest.MonkeyPatch.context() as patch:
            without_enumeration(patch)
            found = lookahead(belief, depths, kind, particles=200, seed=seed)
            drawn_now = loss(belief, kind, 200, seed)
        apart = np.abs((found.values - drawn_now) - (exact - now)) / found.standard_errors
        beyond.append((apart > 2).mean())
        squares.append((apart**2).mean())
    error = np.std(beyond, ddof=1) / np.sqrt(len(beyond))
    assert np.mean(beyond) - 2 * error < 0.05
    assert np.sqrt(np.mean(squares)) > 0.5  # 9 % would be the error of 60 independent numbers


def test_where_cases_are_drawn_the_best_is_found_but_for_what_its_error_leaves_open():
    """Of 60 cells of 30 features with three labels; the truth is 60 000 cases."""
    rng = np.random.default_rng(3)
    lost = []
    for seed in range(12):
        belief = example_belief(rng, 3, tuple(rng.integers(2, 5, 12)), (0.5, 0.3, 0.2))
        depths = np.full((12, 3), 10)
        found = lookahead(belief, depths, seed=seed)
        exact = lookahead(belief, depths, particles=60_000, seed=99).values
        at = np.unravel_index(np.nanargmin(found.values), depths.shape)
        lost.append((exact[at] - exact.min()) / (2 * found.standard_errors[at]))
    assert np.mean(np.array(lost) <= 1) >= 0.9


@given(st.data(), st.integers(2, 3), ANY)
@settings(max_examples=25)
def test_purchases_never_raise_it_and_order_does_not_matter(data, labels, kind):
    belief = data.draw(beliefs(labels=labels, features=(2, 4), values=(2, 3)))
    allocation = data.draw(allocations(belief, largest=5, cells=1))
    assert expected_loss(belief, allocation, kind) <= loss(belief, kind) + 1e-12
    depths = np.ones((len(belief.problem.features), labels), dtype=int)
    problem = belief.problem
    backwards = Problem(problem.features[::-1], problem.labels, problem.prior, 10)
    columns = [belief.observed[:, belief.columns(at)] for at in range(len(problem.features))]
    other = Belief(backwards, np.concatenate(columns[::-1], axis=1))
    np.testing.assert_allclose(
        lookahead(other, depths, kind).values[::-1],
        lookahead(belief, depths, kind).values,
        atol=1e-12,
    )


@given(beliefs(labels=2, features=(2, 4), values=(2, 3)))
@settings(max_examples=20)
def test_the_three_ways_agree(belief):
    kinds = kinds_of(belief)
    cells = [(kind, (2, 1)) for kind in range(len(kinds.first))]
    waves, cases = (way(kinds, GINI) for way in (tables.Waves, tables.Cases))
    np.testing.assert_allclose(waves.of(cells)[0], cases.of(cells)[0], atol=1e-11)
    _, found = kinds.finer(cells)
    at = list(range(len(kinds.first)))
    np.testing.assert_allclose(waves.with_tables(at, found)[0], waves.of(cells)[0], atol=1e-12)
    odds, cases = tables.LogOdds(kinds), tables.Cases(kinds, ZERO_ONE)
    np.testing.assert_allclose(odds.of(cells)[0], cases.of(cells)[0], atol=1e-12)


def test_a_loss_of_ones_own_is_one_function_of_joint_masses():
    """Also with many labels and features, where cases are drawn."""
    own = Loss("half-brier", lambda masses: GINI.of(masses) / 2)
    for sizes in ((2, 3), (4,) * 9):
        belief = example_belief(np.random.default_rng(1), 3, sizes)
        depths = np.full((len(sizes), 3), 2)
        found, gini = lookahead(belief, depths, own), lookahead(belief, depths)
        np.testing.assert_allclose(2 * found.values, gini.values, atol=1e-12)


@given(beliefs(labels=2, features=(1, 3), values=(2, 3), most_seen=3), st.data())
@settings(max_examples=25)
def test_what_the_default_believes_of_purchases_is_what_it_would_believe_after_them(belief, data):
    """Value by value: the chance of an outcome, and the parameters of the feature in it."""
    believed = Believed(belief.problem, belief.observed)
    feature = data.draw(st.integers(0, len(belief.problem.features) - 1))
    label = data.draw(st.integers(0, 1))
    numbers = [int(each == label) for each in range(2)]
    size = len(belief.problem.features[feature].values)
    found = believed.finer(feature, numbers).reshape(2, size, -1)
    assert found.shape[2] == size
    chances = believed.means[label, believed.columns(feature)]
    # Values come in the order of their counts; the evidence of levels is good to a thousandth.
    means = believed.means[:, believed.columns(feature)]
    order, other = np.lexsort(found.sum(axis=2)), np.lexsort(means)
    np.testing.assert_allclose(found.sum(axis=2)[:, order], means[:, other], rtol=3e-3)
    np.testing.assert_allclose(np.sort(found.sum(axis=1)[0]), np.sort(chances), rtol=3e-3)


def test_gains_are_how_much_the_loss_falls():
    rng = np.random.default_rng(5)
    for labels, kind in itertools.product((2, 3), ("entropy", "zero_one")):
        belief = example_belief(rng, labels)
        numbers = rng.integers(0, 3, (3, labels))
        now, then = loss(belief, kind), feature_lookahead(belief, numbers, kind).values
        np.testing.assert_allclose(
            gains(belief, numbers, kind), np.nan_to_num(now - then), atol=1e-10
        )
    two = example_belief(rng, 2)
    numbers = np.array([[1, 1], [0, 0], [4, 2]])
    fall = loss(two) - feature_lookahead(two, numbers).values
    np.testing.assert_allclose(gains(two, numbers), np.nan_to_num(fall), atol=1e-10)


@pytest.mark.parametrize("sizes", [(2, 3), (4,) * 12])
def test_the_loss_with_another_table_of_one_feature(sizes):
    belief = example_belief(np.random.default_rng(8), 3, sizes)
    before = Belief.prior(belief.problem).finer(1, (0, 0, 0))
    now, other, _ = replaced(belief, 1, before)
    assert now < other
    if len(sizes) == 2:
        assert other == pytest.approx(loss(belief.only(0)), abs=1e-12)


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
@settings(max_examples=100)
def test_chances_of_sightings_equal_fractions(alpha, others, depth):
    total = alpha + others
    assume(total > alpha)
    found = sightings(np.array([alpha]), total, depth)[0]
    np.testing.assert_allclose(found, exact_weights(alpha, total, depth), rtol=1e-12, atol=0)


@pytest.mark.parametrize(
    ("alpha", "total", "depth"),
    [(0.1, 0.3, 50), (1e5, 1.5e5, 200), (3.0, 1e6, 1000), (1.0, 2.0, 1)],
)
def test_large_counts_and_depths_keep_their_digits(alpha, total, depth):
    found = sightings(np.array([alpha]), total, depth)[0]
    assert found.sum() == pytest.approx(1, abs=1e-13)
    np.testing.assert_allclose(found, exact_weights(alpha, total, depth), rtol=1e-11, atol=1e-300)


def test_outcomes_that_are_put_together_keep_chances_and_means():
    chances, shares = tally(np.array([0.5, 2.0, 7.0]), 200)
    few, means = gathered(chances, shares, 16)
    assert few.shape == (3, 16)
    np.testing.assert_allclose(few.sum(axis=1), 1)
    np.testing.assert_allclose((few * means).sum(axis=1), (chances * shares).sum(axis=1))
