"""The measures of the field, of runs in the same worlds.

All curves are read against money, one point for each unit of it: where every feature costs 1 that
is the number of purchases.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from budgeted.runs import Mean, Runs

Floats = NDArray[np.float64]

SIGNIFICANT = 2.0
"""So many standard errors from zero, a paired difference counts."""
TARGET_SHARE = 0.2
"""The target is the mean error over the last part of the random shopper's money."""
WINDOW_SHARE = 0.05
"""A target is reached when a moving mean over this part of the money is at or below it."""


def final(runs: Runs) -> Floats:
    """Return for each run the error when the money is spent."""
    result: Floats = runs.errors[:, -1]
    return result


def by_money(runs: Runs, budget: int) -> Floats:
    """Return the error once 1, 2, … `budget` were spent, runs × money.

    A run counts with its last purchase within the amount; before its first one, with that one.
    """
    amounts = np.arange(1, budget + 1) + 1e-9
    rows = []
    for spent, errors in zip(runs.spent, runs.errors, strict=True):
        bought = np.searchsorted(spent, amounts, side="right")
        rows.append(errors[np.maximum(bought, 1) - 1])
    return np.stack(rows)


def area(runs: Runs, budget: int) -> Mean:
    """Return the area under the curve, divided by the budget: the mean error on the way."""
    return Mean.of(by_money(runs, budget).mean(axis=1))


def paired(one: Floats, other: Floats) -> Mean:
    """Return the mean of one minus the other, run by run, and its standard error.

    Errors that are the same but for rounding differ by nothing: otherwise a constant 1e-17 would be
    infinitely many standard errors.
    """
    return Mean.of(np.round(one - other, 12))


@dataclass(frozen=True)
class Verdict:
    """Whether a difference of errors is more than chance."""

    difference: Mean

    @property
    def worse(self) -> bool:
        """Whether the first has significantly more error."""
        return self.difference.value > SIGNIFICANT * self.difference.standard_error

    @property
    def better(self) -> bool:
        """Whether the first has significantly less error."""
        return self.difference.value < -SIGNIFICANT * self.difference.standard_error

    def __str__(self) -> str:
        return "better" if self.better else "worse" if self.worse else "level"


def target(shopper: Sequence[float] | Floats) -> float:
    """Return the error that the random shopper's curve has over the last fifth of its money."""
    last = max(1, round(TARGET_SHARE * len(shopper)))
    return float(np.mean(shopper[-last:]))


def target_budget(curve: Sequence[float] | Floats, wanted: float) -> int | None:
    """Return the first amount at which the moving mean of a curve is at or below an error.

    The mean is over the amounts up to and including this one; None if that never happens.

    >>> target_budget([0.5, 0.4, 0.3, 0.2], 0.3), target_budget([0.5, 0.4], 0.3)
    (3, None)
    """
    window = max(1, round(WINDOW_SHARE * len(curve)))
    means = np.convolve(curve, np.full(window, 1 / window), mode="valid")
    low = means <= wanted + 1e-12
    return int(low.argmax()) + window if low.any() else None


def utilisation_rate(curve: Floats, shopper: Floats) -> float:
    """Return the money a policy needs for the shopper's target, as a share of the shopper's.

    Below 1 is good; infinite where the policy does not get there with this budget.

    Parameters
    ----------
    curve, shopper
        Mean errors by money, of the policy and of the random shopper.
    """
    wanted = target(shopper)
    needed, base = target_budget(curve, wanted), target_budget(shopper, wanted)
    return inf if needed is None else needed / (base or len(shopper))
