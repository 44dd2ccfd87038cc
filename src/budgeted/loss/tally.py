r"""How often a value will be seen among the next purchases of a cell, and what its share is then.

Seen alone, a value with Dirichlet count α out of T has a Beta(α, T − α) probability, so among n
purchases it is seen c times with a beta-binomial probability: the marginal of the paper's eq. 5,
with n + 1 outcomes where the joint outcomes of r values are C(n + r − 1, n). Its share is then
(α + c)/(T + n).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

LEAST = 1e-290
"""Smallest count of what was not seen; dividing the largest count by it does not overflow."""


def tally(counts: Floats, number: int, points: int | None = None) -> tuple[Floats, Floats]:
    """Return chances and shares of each value after so many purchases, values × outcomes.

    Parameters
    ----------
    counts
        Dirichlet counts of the values of a cell.
    number
        How many are bought.
    points
        How many outcomes may stand for all, if these are more (`gauss`).

    Examples
    --------
    >>> chances, shares = tally(np.array([1.0, 3.0]), 2)
    >>> chances.round(3).tolist(), shares.round(3).tolist()
    ([[0.6, 0.3, 0.1], [0.1, 0.3, 0.6]], [[0.167, 0.333, 0.5], [0.5, 0.667, 0.833]])
    """
    total = counts.sum()
    chances = sightings(counts, total, number)
    shares = (counts[:, None] + np.arange(number + 1)) / (total + number)
    return (
        (chances, shares)
        if points is None or points > number
        else gathered(chances, shares, points)
    )


def sightings(counts: Floats, total: float | Floats, number: int) -> Floats:
    """Return P(a value is seen c times among so many), values × (number + 1).

    The ratio of neighbouring probabilities is elementary; summing its logarithms and dividing by
    the sum keeps full relative precision for counts from 1e-3 to 1e9, where differences of
    log-gamma functions of large counts lose half the digits.
    """
    if not number:
        return np.ones((len(counts), 1))
    seen = np.arange(number)
    alpha = counts[:, None]
    # Never quite 0, even where the other values' counts drown in the rounding of a large one.
    beta = np.maximum(total - counts, LEAST)[:, None]
    # P(c + 1) / P(c) = (n − c)/(c + 1) · (α + c)/(β + n − c − 1)
    ratios = np.log((alpha + seen) / (beta + seen[::-1]) * ((number - seen) / (seen + 1)))
    logs = np.zeros((len(counts), number + 1))
    ratios.cumsum(axis=1, out=logs[:, 1:])
    chances: Floats = np.exp(logs - logs.max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    return chances


def gathered(chances: Floats, shares: Floats, points: int) -> tuple[Floats, Floats]:
    """Return fewer outcomes, neighbours of about the same chance together, with their mean shares.

    Who is told less errs a little more: of a smooth loss about 1/points² of what the purchases
    bring, for all cells alike.

    >>> chances, shares = gathered(*tally(np.array([1.0, 1.0]), 100), 4)
    >>> chances[0].round(2).tolist(), shares[0].round(2).tolist()
    ([0.25, 0.25, 0.26, 0.25], [0.13, 0.37, 0.62, 0.87])
    """
    middle = chances.cumsum(axis=1) - chances / 2
    place = np.minimum(middle * points, points - 1).astype(np.int64)
    place += points * np.arange(len(chances))[:, None]
    size = len(chances) * points
    together: Floats = np.bincount(place.ravel(), chances.ravel(), size).astype(float)
    sums = np.bincount(place.ravel(), (chances * shares).ravel(), size)
    means: Floats = sums / np.maximum(together, LEAST)
    return together.reshape(-1, points), means.reshape(-1, points)
