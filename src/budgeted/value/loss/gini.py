"""The GINI loss, by which the paper's policies look ahead."""

from __future__ import annotations

import numpy as np

from budgeted.value.loss.base import Floats, Loss


def _finish(total: Floats, squares: Floats) -> Floats:
    return total - squares / np.maximum(total, np.finfo(float).tiny)


GINI = Loss(
    "gini",
    term=np.square,
    gather=np.add,
    finish=_finish,
    largest=lambda labels: 1 - 1 / labels,
)
"""Σ P(x) Σ P(y|x)(1 − P(y|x)): how often a label drawn from the posterior is wrong (eq. 6)."""
