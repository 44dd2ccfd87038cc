"""What many runs say together: means, paired differences, intervals, and when a difference counts.

Policies are compared in the same worlds, so differences are taken world by world, and the standard
error is that of their mean. Reports, figures, studies and ``research/`` all use what is here.

>>> import numpy as np
>>> ours = np.array([0.10, 0.15, 0.20, 0.15])    # the errors of two policies in four worlds
>>> theirs = np.array([0.15, 0.18, 0.27, 0.20])
>>> print(Mean.of(ours))
0.150 ± 0.020
>>> gap = paired(ours, theirs)
>>> print(f"{gap:+.3f}, 95 % interval {gap.interval():+.3f}")
-0.050 ± 0.008, 95 % interval -0.050 (-0.066 to -0.034)
>>> gap.below(), gap.below(threshold(30))        # beyond chance, and as one of 30 comparisons
(True, True)
"""

from __future__ import annotations

from collections.abc import Callable
from math import nan, sqrt
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

SIGNIFICANT = 2.0
"""So many standard errors from zero, a single difference counts."""
NORMAL_90, NORMAL_95 = 1.645, 1.96
"""So many standard errors either side hold nine tenths of a normal distribution, and 95 %."""
RESAMPLES = 2_000
_SAME = 12
"""Decimals beyond which two numbers are the same but for rounding."""


class Interval(NamedTuple):
    """A number with the ends of an interval that holds it.

    >>> found = Interval(0.1, 0.08, 0.12)
    >>> print(found, f"{found:+.2f}", found.above(), found.above(0.09), found.below(0.2))
    0.100 (0.080 to 0.120) +0.10 (+0.08 to +0.12) True False True
    """

    value: float
    low: float
    high: float

    def above(self, bound: float = 0.0) -> bool:
        """Return whether the whole interval lies above a bound."""
        return self.low > bound

    def below(self, bound: float = 0.0) -> bool:
        """Return whether the whole interval lies below a bound."""
        return self.high < bound

    def __format__(self, spec: str) -> str:
        one = spec or ".3f"
        return f"{self.value:{one}} ({self.low:{one}} to {self.high:{one}})"

    def __str__(self) -> str:
        return format(self, "")


class Mean(NamedTuple):
    """A mean with its standard error.

    >>> difference = Mean.of(np.array([0.1, 0.3, 0.2]))
    >>> print(difference, f"{difference:+.1f}", difference.above(), difference.below())
    0.200 ± 0.058 +0.2 ± 0.1 True False
    """

    value: float
    standard_error: float

    @classmethod
    def of(cls, numbers: Floats) -> Mean:
        """Return the mean of numbers, one per run; of one run the standard error is NaN.

        >>> Mean.of(np.array([0.3]))
        Mean(value=0.3, standard_error=nan)
        """
        if len(numbers) < 2:
            return cls(float(numbers.mean()), nan)
        return cls(float(numbers.mean()), float(numbers.std(ddof=1)) / sqrt(len(numbers)))

    def interval(self, standard_errors: float = NORMAL_95) -> Interval:
        """Return the interval of so many standard errors either side: 95 % unless told otherwise.

        >>> print(Mean(0.2, 0.05).interval())
        0.200 (0.102 to 0.298)
        """
        half = standard_errors * self.standard_error
        return Interval(self.value, self.value - half, self.value + half)

    def above(self, standard_errors: float = SIGNIFICANT) -> bool:
        """Return whether it is above zero by more than so many standard errors."""
        return self.value > standard_errors * self.standard_error

    def below(self, standard_errors: float = SIGNIFICANT) -> bool:
        """Return whether it is below zero by more than so many standard errors."""
        return self.value < -standard_errors * self.standard_error

    def __format__(self, spec: str) -> str:
        one = spec or ".3f"
        return f"{self.value:{one}} ± {self.standard_error:{one.replace('+', '')}}"

    def __str__(self) -> str:
        return format(self, "")


def paired(one: Floats, other: Floats) -> Mean:
    """Return the mean of one minus the other, world by world, and its standard error.

    Numbers that are the same but for rounding differ by nothing: otherwise a constant 1e-17 would
    be infinitely many standard errors.

    >>> print(paired(np.array([0.3, 0.4]), np.array([0.1, 0.4])))
    0.100 ± 0.100
    >>> paired(np.array([0.1 + 0.2] * 3), np.array([0.3] * 3)).above()
    False
    """
    return Mean.of(np.round(one - other, _SAME))


def threshold(comparisons: int) -> float:
    """Return how many standard errors count when there are so many comparisons.

    Of many comparisons some differ by chance alone. The chance that any of them is beyond this, if
    nothing differs, is at most what `SIGNIFICANT` ones are for a single comparison (Bonferroni).

    >>> [round(threshold(number), 2) for number in (1, 10, 30)]
    [2.0, 2.84, 3.17]
    """
    normal = NormalDist()
    return -normal.inv_cdf(normal.cdf(-SIGNIFICANT) / comparisons)


def wilson(share: float, number: int, confidence: float) -> Interval:
    """Return a share that was counted, with Wilson's score interval for that of all cases.

    It has a width even where nothing, or everything, was counted: Wilson, *Probable inference, the
    law of succession, and statistical inference*, JASA 22 (1927).

    >>> print(wilson(0.1, 20, 0.9), wilson(0.0, 20, 0.9))
    0.100 (0.034 to 0.262) 0.000 (0.000 to 0.119)
    """
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    centre = (share + z**2 / (2 * number)) / (1 + z**2 / number)
    spread = sqrt(share * (1 - share) / number + z**2 / (4 * number**2))
    half = z * spread / (1 + z**2 / number)
    return Interval(share, max(0.0, centre - half), min(1.0, centre + half))


def resampled(statistic: Callable[[Integers], float], runs: int) -> Interval:
    """Return a number that is computed from runs, with the 95 % interval of resampled runs.

    The bootstrap: the same number of so many runs drawn with replacement, always the same draws.

    >>> errors = np.array([0.1, 0.4, 0.2, 0.3, 0.2, 0.3])
    >>> print(resampled(lambda rows: float(np.median(errors[rows])), len(errors)))
    0.250 (0.150 to 0.350)
    """
    rng = np.random.default_rng(1)
    everyone = np.arange(runs)
    resamples = [statistic(rng.integers(runs, size=runs)) for _ in range(RESAMPLES)]
    low, high = np.quantile(resamples, [0.025, 0.975])
    return Interval(statistic(everyone), float(low), float(high))


def ratio_of_means(one: Floats, other: Floats) -> Interval:
    """Return the mean of one over that of the other; the interval resamples runs, in pairs.

    >>> print(ratio_of_means(np.array([0.1, 0.2, 0.3]), np.array([0.2, 0.4, 0.6])))
    0.500 (0.500 to 0.500)
    """
    return resampled(lambda rows: float(one[rows].mean() / other[rows].mean()), len(one))
