"""Differences between who played in the same worlds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from budgeted.runs import Mean

Floats = NDArray[np.float64]

SIGNIFICANT = 2.0
"""So many standard errors from zero, a paired difference counts."""


def paired(one: Floats, other: Floats) -> Mean:
    """Return the mean of one minus the other, world by world, and its standard error.

    Errors that are the same but for rounding differ by nothing: otherwise a constant 1e-17 would be
    infinitely many standard errors.

    >>> str(paired(np.array([0.3, 0.4]), np.array([0.1, 0.4])))
    '0.100 ± 0.100'
    """
    return Mean.of(np.round(one - other, 12))
