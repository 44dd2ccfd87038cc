"""The GINI loss, by which the paper's policies look ahead."""

from __future__ import annotations

import numpy as np

from budgeted.value.loss.base import Floats, Kernel, Loss

_TINY = float(np.finfo(float).tiny)


def _finish(total: Floats, squares: Floats) -> Floats:
    return total - squares / np.maximum(total, _TINY)


GINI = Loss(
    "gini",
    term=np.square,
    gather=np.add,
    finish=_finish,
    largest=lambda labels: 1 - 1 / labels,
    # With A the sum of the other masses and G that of their squares, it is
    # 2A − (G + A²)/(A + m) if m is the one that moves; and where they weigh t times as much as a
    # label, that weighs at most 1/(1 + t).
    kernel=Kernel(
        lambda u: 1 / u,
        constant=lambda others, squares, label: 2 * others,
        factor=lambda others, squares, label: -(squares + others**2) / label,
        weight=lambda t: 2 * t**2 / (1 + t),
    ),
)
"""Σ P(x) Σ P(y|x)(1 − P(y|x)): how often a label drawn from the posterior is wrong (eq. 6)."""
