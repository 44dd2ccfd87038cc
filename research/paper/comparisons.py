"""Comparisons of policies that met the same worlds, as the paper makes them: along a curve."""

from __future__ import annotations

import numpy as np

from budgeted.experiments.runs import Runs
from budgeted.statistics import Integers, Interval, paired, resampled


def compare(one: Runs, other: Runs, first: int = 1, last: int | None = None) -> Interval:
    """Return error of one minus error of the other over a stretch of the curve, run by run."""
    return paired(one.error_over(first, last), other.error_over(first, last)).interval()


def compare_after(one: Runs, other: Runs, purchases: int) -> Interval:
    """Return error of one minus error of the other after so many purchases, run by run."""
    return paired(one.error_after(purchases), other.error_after(purchases)).interval()


def share_of_purchases(policy: Runs, baseline: Runs, marks: tuple[int, ...]) -> Interval:
    """Return how many purchases a policy needs for the baseline's error, as a share of its own.

    For each mark the target is the mean error of the baseline after so many purchases; counted is
    the first purchase from which the policy's mean error stays at or below the target for five
    purchases, so that one lucky dip does not count. The shares of all marks are averaged; the
    interval resamples the runs, the same ones for both.
    """

    def share(rows: Integers) -> float:
        mine = policy.errors[rows].mean(axis=0)
        theirs = baseline.errors[rows].mean(axis=0)
        shares = []
        for mark in marks:
            low_enough = mine <= theirs[mark - 1]
            stays = np.convolve(low_enough, np.ones(5), mode="valid") == 5
            needed = int(stays.argmax()) + 1 if stays.any() else len(mine)
            shares.append(needed / mark)
        return float(np.mean(shares))

    return resampled(share, len(policy))
