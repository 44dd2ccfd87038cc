"""Means, differences and intervals against SciPy and against what was worked out by hand."""

from math import isnan, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from budgeted.statistics import (
    NORMAL_90,
    NORMAL_95,
    SIGNIFICANT,
    Interval,
    Mean,
    paired,
    ratio_of_means,
    resampled,
    threshold,
    wilson,
)


def test_a_mean_has_its_standard_error_and_the_interval_of_it():
    numbers = np.random.default_rng(3).normal(0.5, 2, 30)
    found = Mean.of(numbers)
    assert found == pytest.approx((numbers.mean(), stats.sem(numbers)))
    low, high = stats.norm.interval(0.95, *found)
    assert found.interval() == pytest.approx((found.value, low, high), abs=1e-4)
    low, high = stats.norm.interval(0.9, *found)
    assert found.interval(NORMAL_90) == pytest.approx((found.value, low, high), abs=1e-3)


def test_one_run_has_no_standard_error_and_is_never_beyond_chance():
    found = Mean.of(np.array([0.3]))
    assert found.value == 0.3
    assert isnan(found.standard_error)
    assert not any((found.above(), found.below(), found.interval().above()))


def test_means_and_intervals_are_written_as_wanted():
    mean, interval = Mean(0.1, 0.02), Interval(0.1, 0.08, 0.12)
    assert str(mean) == f"{mean}" == "0.100 ± 0.020"
    assert f"{mean:+.4f}" == "+0.1000 ± 0.0200"
    assert str(interval) == f"{interval}" == "0.100 (0.080 to 0.120)"
    assert f"{interval:+.2f}" == "+0.10 (+0.08 to +0.12)"


@given(st.floats(-1, 1), st.floats(0, 1), st.sampled_from([SIGNIFICANT, NORMAL_95]))
def test_beyond_chance_is_an_interval_on_one_side_of_zero(value, standard_error, width):
    found = Mean(value, standard_error)
    assert found.above(width) == found.interval(width).above()
    assert found.below(width) == found.interval(width).below()
    assert found.below(width) == Mean(-value, standard_error).above(width)


def test_an_interval_is_beyond_a_bound_as_a_whole():
    assert Interval(-0.2, -0.3, -0.1).below()
    assert not Interval(-0.2, -0.5, 0.1).below()
    assert Interval(0.2, 0.1, 0.3).above()
    assert Interval(0.2, 0.1, 0.3).above(0.05)
    assert not Interval(0.2, 0.1, 0.3).above(0.15)


def test_paired_differences_by_hand():
    # Differences .2, 0 and .3: mean .5/3, deviations 1/30, -5/30 and 4/30, their squares 42/900.
    found = paired(np.array([0.3, 0.4, 0.5]), np.array([0.1, 0.4, 0.2]))
    assert found.value == pytest.approx(0.5 / 3)
    assert found.standard_error == pytest.approx(sqrt(42 / 900 / 2 / 3))


def test_paired_differences_have_the_standard_error_of_a_paired_test():
    rng = np.random.default_rng(4)
    one = rng.normal(0.2, 0.1, 40)
    other = one + rng.normal(0.01, 0.02, 40)
    found, test = paired(one, other), stats.ttest_rel(one, other)
    assert found.value == pytest.approx(one.mean() - other.mean())
    assert found.standard_error == pytest.approx(found.value / test.statistic)


def test_errors_that_differ_by_rounding_do_not_differ():
    assert paired(np.array([0.1 + 0.2, 0.6]), np.array([0.3, 0.6])) == (0, 0)


@pytest.mark.parametrize("comparisons", [1, 2, 30])
def test_more_comparisons_need_a_wider_margin(comparisons):
    alone = stats.norm.sf(SIGNIFICANT)
    assert threshold(comparisons) == pytest.approx(stats.norm.isf(alone / comparisons))


@given(st.integers(1, 300), st.floats(0, 1), st.sampled_from([0.5, 0.9, 0.95]))
def test_the_interval_of_a_share_is_wilsons(number, share, confidence):
    counted = round(share * number)
    found = wilson(counted / number, number, confidence)
    peer = stats.binomtest(counted, number).proportion_ci(confidence, method="wilson")
    assert found == pytest.approx((counted / number, peer.low, peer.high), abs=1e-9)


def test_resampling_a_mean_gives_the_interval_of_its_standard_error():
    numbers = np.random.default_rng(5).normal(1.0, 0.3, 100)
    found = resampled(lambda rows: float(numbers[rows].mean()), len(numbers))
    assert found == pytest.approx(Mean.of(numbers).interval(), abs=0.01)
    assert found == resampled(lambda rows: float(numbers[rows].mean()), len(numbers))


@pytest.mark.slow
def test_the_interval_of_a_ratio_covers_it_as_often_as_it_says():
    """95 % intervals of 200 made-up experiments: binomial, so 4 standard errors are 6 %."""
    rng = np.random.default_rng(9)
    hits = 0
    for _ in range(200):
        policy, baseline = rng.normal(0.5, 0.1, 50), rng.normal(1.0, 0.1, 50)
        ratio = ratio_of_means(policy, baseline)
        hits += ratio.low <= 0.5 <= ratio.high
    assert 0.89 <= hits / 200 <= 1.0
