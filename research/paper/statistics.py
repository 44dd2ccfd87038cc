"""Differences between policies that met the same worlds, with intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from budgeted.runs import Mean, Runs

Floats = NDArray[np.float64]

RESAMPLES = 2_000


@dataclass(frozen=True)
class Difference:
    """A mean with the 95 % interval that its standard error gives."""

    mean: float
    half_width: float

    @classmethod
    def of(cls, numbers: Floats) -> Difference:
        """Return the mean of one number per run."""
        value, standard_error = Mean.of(numbers)
        return cls(value, 1.96 * standard_error)

    @property
    def below_zero(self) -> bool:
        """Whether the whole interval lies below zero."""
        return self.mean + self.half_width < 0

    @property
    def above_zero(self) -> bool:
        """Whether the whole interval lies above zero."""
        return self.mean - self.half_width > 0

    def __str__(self) -> str:
        low, high = self.mean - self.half_width, self.mean + self.half_width
        return f"{self.mean:+.3f} ({low:+.3f} to {high:+.3f})"


def over_curve(runs: Runs, first: int = 1, last: int | None = None) -> Floats:
    """Return for each run the mean error after purchases `first` to `last`."""
    result: Floats = runs.errors[:, first - 1 : last].mean(axis=1)
    return result


def compare(one: Runs, other: Runs, first: int = 1, last: int | None = None) -> Difference:
    """Return error of one minus error of the other over a stretch of the curve, run by run."""
    return Difference.of(over_curve(one, first, last) - over_curve(other, first, last))


def compare_after(one: Runs, other: Runs, purchases: int) -> Difference:
    """Return error of one minus error of the other after so many purchases, run by run."""
    return Difference.of(one.error_after(purchases) - other.error_after(purchases))


@dataclass(frozen=True)
class Ratio:
    """A ratio with the 95 % interval of resampled runs."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.2f} ({self.low:.2f} to {self.high:.2f})"


def share_of_purchases(policy: Runs, baseline: Runs, marks: tuple[int, ...]) -> Ratio:
    """Return how many purchases a policy needs for the baseline's error, as a share of its own.

    For each mark the target is the mean error of the baseline after so many purchases; counted is
    the first purchase from which the policy's mean error stays at or below the target for five
    purchases, so that one lucky dip does not count. The shares of all marks are averaged; the
    interval resamples the runs, the same ones for both.
    """

    def share(rows: Floats) -> float:
        mine = policy.errors[rows].mean(axis=0)
        theirs = baseline.errors[rows].mean(axis=0)
        shares = []
        for mark in marks:
            low_enough = mine <= theirs[mark - 1]
            stays = np.convolve(low_enough, np.ones(5), mode="valid") == 5
            needed = int(stays.argmax()) + 1 if stays.any() else len(mine)
            shares.append(needed / mark)
        return float(np.mean(shares))

    return _resampled(share, len(policy))


def ratio_of_errors(policy: Floats, baseline: Floats) -> Ratio:
    """Return the mean error of one over that of the other; the interval resamples the runs."""
    return _resampled(lambda rows: float(policy[rows].mean() / baseline[rows].mean()), len(policy))


def _resampled(statistic, runs: int) -> Ratio:  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(1)
    everyone = np.arange(runs)
    resamples = [statistic(rng.integers(runs, size=runs)) for _ in range(RESAMPLES)]
    low, high = np.quantile(resamples, [0.025, 0.975])
    return Ratio(statistic(everyone), float(low), float(high))
