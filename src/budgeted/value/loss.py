"""Losses: how bad a classifier is that knows the joint masses P(x, y).

A loss is a sum over all x of a function of the masses (p₁, …, p_K) of one x that is concave and
homogeneous of degree one. And it has the shape ``finish(P, A)``, where P is the sum of the
masses and A gathers a term per mass: so when only one mass moves, as it does when one cell is
bought, P and A of the others can be computed once (see `budgeted.value.one_cell`).

>>> named("gini") is GINI
True
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgeted.errors import EngineError
from budgeted.registry import Registry

Floats = NDArray[np.float64]
"""Arrays of floating-point numbers, in which losses compute."""
_TINY = float(np.finfo(float).tiny)


@dataclass(frozen=True, eq=False)  # there is one of each loss
class Kernel:
    """How a smooth loss of one x depends on the one mass that moves.

    A label weighs B, and s of that moves; the other masses sum to A = tB, and G is what they
    gather. Then the loss is ``constant + factor · (h(t + s) − own(s))``, and derivatives of h
    alternate in sign from the second on.
    """

    function: Callable[[Floats], Floats]
    constant: Callable[[Floats, Floats, Floats], Floats]
    factor: Callable[[Floats, Floats, Floats], Floats]
    weight: Callable[[Floats], Floats]
    own: Callable[[Floats], Floats] | None = None


@dataclass(frozen=True)
class Loss:
    """A loss of a classifier that knows the joint masses.

    >>> from budgeted.value.loss import LOSSES
    >>> [round(float(each(np.array([0.3, 0.1]))), 4) for each in LOSSES.values()]
    [0.15, 0.2249, 0.1]
    """

    name: str  # what people call it
    term: Callable[[Floats], Floats]  # contribution of one mass
    gather: Any  # np.add or np.maximum; NumPy's stubs know no type that both have
    finish: Callable[[Floats, Floats], Floats]
    largest: Callable[[int], float]
    kernel: Kernel | None = None
    limit: Decimal | None = None
    costs: tuple[tuple[str, Decimal], ...] = ()

    def within(self, limit: Decimal | None, costs: tuple[tuple[str, Decimal], ...] = ()) -> Loss:
        """Return the same loss of a classifier that may spend so much on each new case.

        >>> from budgeted.value.loss import GINI
        >>> GINI.within(Decimal(2)) == GINI, GINI.within(Decimal(2)).within(None) == GINI
        (False, True)
        """
        return replace(self, limit=limit, costs=costs)

    def __call__(self, masses: Floats, axis: int = -1) -> Floats:
        """Return the loss of joint masses; labels run along the last axis unless told otherwise."""
        gathered = self.gather.reduce(self.term(masses), axis=axis)
        return self.finish(masses.sum(axis=axis), gathered)


def check_loss_kind(loss: Loss) -> None:
    """Raise an error unless something can be a loss."""
    if not isinstance(loss, Loss):
        raise EngineError(f"loss {loss!r}: must be a budgeted.value.loss.Loss")


def _gini(total: Floats, squares: Floats) -> Floats:
    return total - squares / np.maximum(total, _TINY)


GINI = Loss(
    "gini",
    term=np.square,
    gather=np.add,
    finish=_gini,
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


def _xlogx(mass: Floats) -> Floats:
    # Below the smallest normal number the product is 0 to double precision anyway.
    result: Floats = mass * np.log(np.maximum(mass, _TINY))
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

ZERO_ONE = Loss(
    "zero_one",
    term=lambda mass: mass,
    gather=np.maximum,
    finish=lambda total, most: total - most,
    largest=lambda labels: 1 - 1 / labels,
)
"""How often the most probable label is wrong."""


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
    return loss if isinstance(loss, Loss) else LOSSES.find(loss)
