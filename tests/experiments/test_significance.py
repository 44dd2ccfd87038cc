"""p-values: SciPy says the same, everywhere."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from budgeted.experiments.significance import (
    Pair,
    cliques,
    friedman,
    holm,
    paired_t,
    rank_pairs,
    ranked,
    wilcoxon,
)


@given(st.integers(2, 70), st.integers(0, 2**32), st.booleans())
@settings(max_examples=150, deadline=None)
def test_paired_tests_are_scipys(number, seed, tied):
    """With ties and zeros, as between errors that are counted, and without."""
    found = np.random.default_rng(seed).normal(0.1, 1, number).round(0 if tied else 9)
    if found.std() > 0:
        assert paired_t(found) == pytest.approx(stats.ttest_1samp(found, 0).pvalue, rel=1e-8)
    if (found != 0).any():
        exact = number <= 50 and len({*np.abs(found)}) == number and (found != 0).all()
        expected = stats.wilcoxon(found, method="exact" if exact else "approx").pvalue
        assert wilcoxon(found) == pytest.approx(expected, rel=1e-8)


def test_where_nothing_differs_nothing_is_found():
    assert paired_t(np.zeros(5)) == wilcoxon(np.zeros(5)) == 1
    assert paired_t(np.full(5, 0.3) - 0.1 - 0.2) == 1  # 1e-17 is rounding
    assert paired_t(np.full(5, 0.1)) == 0
    assert np.isnan(paired_t(np.array([0.3])))
    assert np.isnan(wilcoxon(np.array([np.nan, 1.0])))


@given(st.lists(st.floats(0, 1), max_size=12))
@settings(max_examples=100, deadline=None)
def test_holm_goes_down_step_by_step(values):
    """By the definition: a hypothesis is kept from the first one on that is not small enough."""
    corrected = holm(values)
    for level in (0.01, 0.05, 0.5):
        rejected = set()
        for at, place in enumerate(sorted(range(len(values)), key=values.__getitem__)):
            if values[place] * (len(values) - at) > level:
                break
            rejected.add(place)
        assert {at for at, value in enumerate(corrected) if value <= level} == rejected


def test_holm_leaves_out_what_is_not_known():
    found = holm([0.01, float("nan"), 0.04])
    assert (found[0], found[2]) == (0.02, 0.04)
    assert np.isnan(found[1])


@given(st.integers(3, 15), st.integers(3, 8), st.integers(0, 2**32), st.booleans())
@settings(max_examples=100, deadline=None)
def test_ranks_and_friedmans_test_are_scipys(rows, columns, seed, tied):
    scores = np.random.default_rng(seed).normal(size=(rows, columns)).round(0 if tied else 9)
    ranks = np.apply_along_axis(ranked, 1, scores)
    assert (ranks == stats.rankdata(scores, axis=1)).all()
    if (ranks != ranks[:, :1]).any():
        expected = stats.friedmanchisquare(*scores.T).pvalue
        assert friedman(ranks) == pytest.approx(expected, rel=1e-9)


def test_pairs_are_in_the_order_of_the_ranks_and_corrected():
    scores = np.random.default_rng(1).normal(size=(12, 4)) + np.array([2, 0, 6, 1])
    found = rank_pairs(scores)
    assert [(each.one, each.other) for each in found] == [
        (1, 3), (1, 0), (1, 2), (3, 0), (3, 2), (0, 2)]  # fmt: skip
    for each in found:
        expected = stats.wilcoxon(scores[:, each.one], scores[:, each.other]).pvalue
        assert each.p == pytest.approx(expected)
    assert [each.corrected for each in found] == holm([each.p for each in found])


@given(st.integers(2, 7), st.integers(0, 2**32))
@settings(max_examples=100, deadline=None)
def test_what_is_joined_are_the_longest_stretches_without_a_difference(number, seed):
    rng = np.random.default_rng(seed)
    pairs = [
        Pair(*each, 0, float(rng.choice([0.01, 0.5]))) for each in combinations(range(number), 2)
    ]
    apart = {(each.one, each.other) for each in pairs if each.corrected < 0.05}
    stretches = [
        (begin, end) for begin in range(number) for end in range(begin + 2, number + 1)
        if not any(begin <= one and other < end for one, other in apart)
    ]  # fmt: skip
    longest = [
        tuple(range(*each)) for each in stretches
        if not any(o != each and o[0] <= each[0] and each[1] <= o[1] for o in stretches)
    ]  # fmt: skip
    assert cliques(range(number), pairs, 0.05) == longest
