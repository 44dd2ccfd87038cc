"""The 0/1 loss: how often a prediction is wrong."""

from __future__ import annotations

import numpy as np

from budgeted.value.loss.base import Loss

ZERO_ONE = Loss(
    "zero_one",
    term=lambda mass: mass,
    gather=np.maximum,
    finish=lambda total, most: total - most,
    largest=lambda labels: 1 - 1 / labels,
)
"""How often the most probable label is wrong."""
