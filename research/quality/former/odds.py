"""Probabilities of log-odds."""

from __future__ import annotations

import numpy as np

from budgeted.learners.belief import Floats


def logistic(log_odds: Floats) -> Floats:
    """Return the probability that has these log-odds.

    >>> logistic(np.array([-800.0, 0.0, 800.0])).tolist()
    [0.0, 0.5, 1.0]
    """
    small = np.exp(-np.abs(log_odds))
    result: Floats = np.where(log_odds >= 0, 1.0, small) / (1 + small)
    return result
