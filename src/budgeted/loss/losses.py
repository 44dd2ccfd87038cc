"""What a loss is: a function of the joint masses P(x, y) of a case x and each label y.

It is concave and homogeneous of degree one, f(c·m) = c·f(m): a case that is split into two that say
the same costs as much as before. That is why the expected loss after some purchases is the plain
loss of a finer table (`budgeted.loss.tables`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from budgeted.errors import LossError
from budgeted.registry import Registry

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_TINY = float(np.finfo(float).tiny)
_ROOT = 1e-150
_BLOCK = 2**15
"""Products that are held at once: they stay in the cache."""


@dataclass(frozen=True, eq=False)  # there is one of each
class Loss:
    """How bad a classifier is that knows the joint masses.

    Parameters
    ----------
    name
        What people call it.
    of
        The loss of each case: a function of masses, labels × any shape.
    smooth
        Whether it has derivatives of all orders where no mass is 0, as GINI and entropy have: then
        a few outcomes of many purchases can stand for all.
    wave
        For two labels: the Fourier transform of the loss per √(p₁p₂) by the log-odds, if there is
        one in closed form; see `budgeted.loss.tables.Waves`.
    of_products
        The same as ``of`` for products of two tables, labels × atoms and labels × cases, by
        products of matrices: atoms × cases. It only saves time.

    Examples
    --------
    >>> affinity = Loss("affinity", lambda masses: np.prod(masses, axis=0) ** (1 / len(masses)))
    >>> float(affinity.of(np.array([0.2, 0.8])).round(4))
    0.4
    """

    name: str
    of: Callable[[Floats], Floats]
    smooth: bool = False
    wave: Callable[[Floats], Floats] | None = None
    of_products: Callable[[Floats, Floats, Integers], Floats] | None = None

    def beside(self, cases: Floats, atoms: Floats, starts: Integers) -> Floats:
        """Return the loss of each case with all atoms of each table beside it, tables × cases.

        Parameters
        ----------
        cases, atoms
            Joint masses, labels × cases and labels × the atoms of all tables.
        starts
            Where each table begins.
        """
        result = np.empty((len(starts), cases.shape[1]))
        step = max(1, _BLOCK // atoms.shape[1])
        for at in range(0, cases.shape[1], step):
            block = slice(at, at + step)
            result[:, block] = self._beside(cases[:, block], atoms, starts)
        return result

    def _beside(self, cases: Floats, atoms: Floats, starts: Integers) -> Floats:
        if self.of_products is not None:
            return self.of_products(cases, atoms, starts)
        each = self.of(atoms[:, :, None] * cases[:, None, :])
        result: Floats = np.add.reduceat(each, starts, axis=0)
        return result


def _gini(masses: Floats) -> Floats:
    total = masses.sum(axis=0)
    result: Floats = total - (masses**2).sum(axis=0) / np.maximum(total, _TINY)
    return result


def _gini_of_products(cases: Floats, atoms: Floats, starts: Integers) -> Floats:
    cases, atoms = np.maximum(cases, _ROOT), np.maximum(atoms, _ROOT)  # no sum is 0
    squares = (atoms**2).T @ cases**2
    squares /= atoms.T @ cases
    return _added(atoms, starts).T @ cases - np.add.reduceat(squares, starts, axis=0)


GINI = Loss(
    "gini",
    _gini,
    smooth=True,
    wave=lambda frequency: 1 / np.cosh(np.pi * frequency),
    of_products=_gini_of_products,
)
"""Σ P(x) Σ P(y|x)(1 − P(y|x)): how often a label drawn from the posterior is wrong (eq. 6)."""


def _xlogx(mass: Floats) -> Floats:
    # Below the smallest normal number the product is 0 to double precision anyway.
    result: Floats = mass * np.log(np.maximum(mass, _TINY))
    return result


def _entropy_of_products(cases: Floats, atoms: Floats, starts: Integers) -> Floats:
    totals: Floats = np.add.reduceat(_xlogx(atoms.T @ cases), starts, axis=0)
    totals -= _added(_xlogx(atoms), starts).T @ cases
    return totals - _added(atoms, starts).T @ _xlogx(cases)


ENTROPY = Loss(
    "entropy",
    lambda masses: _xlogx(masses.sum(axis=0)) - _xlogx(masses).sum(axis=0),
    smooth=True,
    wave=lambda frequency: 2 / np.cosh(np.pi * frequency) / (1 + 4 * frequency**2),
    of_products=_entropy_of_products,
)
"""Conditional entropy of the label given x, in nats."""


def _zero_one_of_products(cases: Floats, atoms: Floats, starts: Integers) -> Floats:
    most = np.zeros((atoms.shape[1], cases.shape[1]))
    for case, atom in zip(cases, atoms, strict=True):
        np.maximum(most, np.outer(atom, case), out=most)
    return _added(atoms, starts).T @ cases - np.add.reduceat(most, starts, axis=0)


def _added(atoms: Floats, starts: Integers) -> Floats:
    result: Floats = np.add.reduceat(atoms, starts, axis=1)
    return result


ZERO_ONE = Loss(
    "zero_one",
    lambda masses: masses.sum(axis=0) - masses.max(axis=0),
    of_products=_zero_one_of_products,
)
"""How often the most probable label is wrong."""


def check_kind(loss: Loss) -> None:
    """Raise an error unless something can be a loss."""
    if not isinstance(loss, Loss):
        raise LossError(f"loss {loss!r}: must be a budgeted.loss.Loss")


LOSSES: Registry[Loss] = Registry(
    "loss",
    LossError,
    {each.name: each for each in (GINI, ENTROPY, ZERO_ONE)},
    check_kind,
    "budgeted.losses",
)
"""Every loss by its name; `LOSSES.register` adds one."""


def named(loss: str | Loss) -> Loss:
    """Return the loss of that name."""
    return loss if isinstance(loss, Loss) else LOSSES.find(loss)
