"""How often a value will be seen among the next purchases of a cell."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from budgeted.cache import remembered

Floats = NDArray[np.float64]

_SHORT = 1_000
"""Up to so many purchases what depends on their number alone is kept, 4 MB at most."""
LEAST = 1e-290
"""Smallest count of what was not seen; dividing the largest count by it does not overflow."""


def weights(counts: Floats, totals: Floats, purchases: int) -> Floats:
    """Return P(a value is seen c times in the next `purchases`), values × (purchases + 1).

    Seen alone, a value with Dirichlet count α out of N has Beta(α, N − α) probability, so its
    number of sightings is beta-binomial: the marginal of the paper's eq. 5, with n + 1 outcomes
    where the joint outcomes of r values are C(n + r − 1, n).

    The ratio of neighbouring probabilities is elementary; summing its logarithms and dividing by
    the sum keeps full relative precision for counts from 1e-3 to 1e9, where differences of
    log-gamma functions of large counts lose half the digits.

    >>> weights(np.array([1.0, 3.0]), np.array([2.0, 4.0]), 2).round(3).tolist()
    [[0.333, 0.333, 0.333], [0.1, 0.3, 0.6]]
    """
    if not purchases:
        return np.ones((len(counts), 1))
    seen = np.arange(purchases)
    alpha = counts[:, None]
    # Never quite 0, even where the other values' counts drown in the rounding of a large one.
    beta = np.maximum(totals - counts, LEAST)[:, None]
    # P(c + 1) / P(c) = (n − c)/(c + 1) · (α + c)/(β + n − c − 1)
    ratios = np.log((alpha + seen) / (beta + seen[::-1]))
    ratios += (_kept_choices if purchases <= _SHORT else _log_choices)(purchases)
    logs = np.zeros((len(counts), purchases + 1))
    ratios.cumsum(axis=1, out=logs[:, 1:])
    logs -= logs.max(axis=1, keepdims=True)
    result: Floats = np.exp(logs, out=logs)
    result /= result.sum(axis=1, keepdims=True)
    return result


def _log_choices(purchases: int) -> Floats:
    """Return log((n − c)/(c + 1)) for each c < n: the same for all values."""
    seen = np.arange(purchases)
    result: Floats = np.log((purchases - seen) / (seen + 1))
    result.setflags(write=False)
    return result


_kept_choices = remembered(_log_choices)
