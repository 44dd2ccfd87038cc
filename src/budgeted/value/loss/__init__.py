"""Losses, one file each: how bad a classifier is that knows the joint masses P(x, y).

>>> named("gini") is GINI
True
"""

from __future__ import annotations

from budgeted.errors import EngineError
from budgeted.registry import Registry
from budgeted.value.loss.base import Floats, Loss, check_loss_kind
from budgeted.value.loss.entropy import ENTROPY
from budgeted.value.loss.gini import GINI
from budgeted.value.loss.zero_one import ZERO_ONE

__all__ = ["ENTROPY", "GINI", "LOSSES", "ZERO_ONE", "Floats", "Loss", "named"]

LOSSES: Registry[Loss] = Registry(
    "loss",
    EngineError,
    {each.name: each for each in (GINI, ENTROPY, ZERO_ONE)},
    check_loss_kind,
    "budgeted.losses",
)
"""Every loss by its name; `LOSSES.register` adds one."""


def named(loss: str | Loss) -> Loss:
    """Return the loss of that name."""
    if isinstance(loss, Loss):
        return loss
    return LOSSES.find(loss)
