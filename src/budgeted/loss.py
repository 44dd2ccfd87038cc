"""The three losses of the paper, as functions of the joint masses P(x, y).

Each is a sum over all x of a function of the masses (p₁, …, p_K) of one x that is concave and
homogeneous of degree one. And each has the shape ``finish(P, A)``, where P is the sum of the
masses and A gathers a term per mass: so when only one mass moves, as it does when one cell is
bought, P and A of the others can be computed once (see `budgeted.expectation.scenarios`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgeted.errors import EngineError
from budgeted.registry import Registry

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Loss:
    """A loss of a classifier that knows the joint masses.

    Parameters
    ----------
    name
        What people call it.
    term
        Contribution of one mass.
    gather
        How contributions of several masses come together.
    finish
        The loss, from the sum of the masses and what was gathered.
    largest
        The largest loss of masses that sum to one, by the number of labels.

    Examples
    --------
    >>> [round(float(each(np.array([0.3, 0.1]))), 4) for each in LOSSES.values()]
    [0.15, 0.2249, 0.1]
    """

    name: str
    term: Callable[[Floats], Floats]
    gather: Any  # np.add or np.maximum; NumPy's stubs know no type that both have
    finish: Callable[[Floats, Floats], Floats]
    largest: Callable[[int], float]

    def __call__(self, masses: Floats) -> Floats:
        """Return the loss of each row of joint masses; labels run along the last axis."""
        gathered = self.gather.reduce(self.term(masses), axis=-1)
        return self.finish(masses.sum(axis=-1), gathered)


def _check_loss(loss: Loss) -> None:
    if not isinstance(loss, Loss):
        raise EngineError(f"loss {loss!r}: must be a budgeted.loss.Loss")


def _xlogx(mass: Floats) -> Floats:
    # Below the smallest normal number the product is 0 to double precision anyway.
    result: Floats = mass * np.log(np.maximum(mass, np.finfo(float).tiny))
    return result


def _gini_finish(total: Floats, squares: Floats) -> Floats:
    return total - squares / np.maximum(total, np.finfo(float).tiny)


GINI = Loss(
    "gini",
    term=np.square,
    gather=np.add,
    finish=_gini_finish,
    largest=lambda labels: 1 - 1 / labels,
)
"""Σ P(x) Σ P(y|x)(1 − P(y|x)): how often a label drawn from the posterior is wrong (eq. 6)."""

ENTROPY = Loss(
    "entropy",
    term=_xlogx,
    gather=np.add,
    finish=lambda total, terms: _xlogx(total) - terms,
    largest=lambda labels: float(np.log(labels)),
)
"""Conditional entropy of the label given x, in nats."""

ZERO_ONE = Loss(
    "zero_one",
    term=lambda mass: mass,
    gather=np.maximum,
    finish=lambda total, most: total - most,
    largest=lambda labels: 1 - 1 / labels,
)
"""How often the most probable label is wrong."""

LOSSES: Registry[Loss] = Registry(
    "loss", "budgeted.losses", EngineError, (GINI, ENTROPY, ZERO_ONE), _check_loss
)
"""Every loss by its name; `LOSSES.register` adds one."""


def named(loss: str | Loss) -> Loss:
    """Return the loss of that name."""
    if isinstance(loss, Loss):
        return loss
    return LOSSES.find(loss)
