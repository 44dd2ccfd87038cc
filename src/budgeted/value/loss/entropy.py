"""The entropy of the label that is left once a case is known."""

from __future__ import annotations

import numpy as np

from budgeted.value.loss.base import Floats, Kernel, Loss


def _xlogx(mass: Floats) -> Floats:
    # Below the smallest normal number the product is 0 to double precision anyway.
    result: Floats = mass * np.log(np.maximum(mass, np.finfo(float).tiny))
    return result


ENTROPY = Loss(
    "entropy",
    term=_xlogx,
    gather=np.add,
    finish=lambda total, terms: _xlogx(total) - terms,
    largest=lambda labels: float(np.log(labels)),
    # With u log u of the sum of all masses, and of the one that moves: the second errs as the first
    # does where nothing else weighs anything, t = 0.
    kernel=Kernel(
        _xlogx,
        constant=lambda others, terms, label: others * np.log(label) - terms,
        factor=lambda others, terms, label: label,
        weight=lambda t: np.full_like(t, 2.0),
        own=_xlogx,
    ),
)
"""Conditional entropy of the label given x, in nats."""
