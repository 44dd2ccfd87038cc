"""What every loss must do, whatever it is to be good at."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from budgeted.testing.words import in_words
from budgeted.value.loss import Floats, Loss, check_loss_kind

_CLOSE = 1e-9
_LABELS = (2, 3, 5)


def check_loss(loss: Loss) -> None:
    """Raise an error in words unless a loss keeps the contract of all losses.

    It is a function of the joint masses P(x, y) of one x, given along the last axis: a number from
    0, and 0 where one label has all the mass; k times as large for k times the masses; concave, so
    that what is learned never makes it rise on average; the same in whatever order the labels are
    listed, and whether terms are gathered at once or in parts. For masses that sum to 1 it
    is `largest` at most. Its kernel, if it has one, says the same as its terms.

    Parameters
    ----------
    loss
        Such as one of `budgeted.value.loss.LOSSES`.

    Examples
    --------
    >>> from budgeted.value.loss import GINI
    >>> check_loss(GINI)
    """
    with in_words("the loss"):
        check_loss_kind(loss)
        assert isinstance(loss.name, str), f"its name must be text, got {loss.name!r}"
        assert loss.name.strip(), "it must have a name"
        for labels in _LABELS:
            for check in CHECKS:
                check(loss, _masses(labels))


def _masses(labels: int) -> Floats:
    """Masses of some x: even, uneven, without some label, and not summing to one."""
    rng = np.random.default_rng(labels)
    inside = rng.dirichlet(np.ones(labels), 40)
    without = inside[:10] * (np.arange(labels) != np.arange(10)[:, None] % labels)
    even = np.full((1, labels), 1 / labels)
    scaled = inside[:20] * rng.uniform(0.01, 3, (20, 1))
    result: Floats = np.concatenate([even, inside, without, scaled])
    return result


def _check_shape(loss: Loss, masses: Floats) -> None:
    kept = masses.copy()
    found = loss(masses)
    assert np.array_equal(masses, kept), "it changes the masses that it is given"
    assert np.shape(found) == masses.shape[:-1], (
        f"of masses {masses.shape}, labels last, it must return {masses.shape[:-1]}, "
        f"got {np.shape(found)}"
    )
    none = ~np.isfinite(found)
    assert not none.any(), f"the loss of {_first(masses, none)} is no number"
    cube = np.stack([masses, masses[::-1]])
    assert np.allclose(loss(cube), [found, found[::-1]], rtol=0, atol=_CLOSE), (
        "of masses with two leading axes it must return a loss for each row"
    )


def _check_range(loss: Loss, masses: Floats) -> None:
    largest = loss.largest(masses.shape[-1])
    assert isinstance(largest, float), f"largest must be a float, got {largest!r}"
    assert 0 < largest < math.inf, f"largest must be a number above 0, got {largest!r}"
    for part in (masses, masses * 1e-300, masses * 0):
        found = loss(part)
        assert np.isfinite(found).all(), "the loss of masses that are next to 0 is no number"
        low = found < -_CLOSE
        assert not low.any(), f"the loss of {_first(part, low)} is below 0"
        high = found > largest * part.sum(axis=-1) + _CLOSE
        assert not high.any(), f"the loss of {_first(part, high)} is above largest, {largest:g}"


def _check_certainty(loss: Loss, masses: Floats) -> None:
    labels = masses.shape[-1]
    for share in (1.0, 0.3, 1e-6):
        certain = np.eye(labels) * share
        found = np.abs(loss(certain)) > _CLOSE
        assert not found.any(), f"of {_first(certain, found)}, all of one label, it must be 0"
    assert (loss(masses[:1]) > _CLOSE).all(), "of masses that are all the same it must be above 0"


def _check_homogeneity(loss: Loss, masses: Floats) -> None:
    for factor in (0.001, 0.5, 7.0):
        found, wanted = loss(masses * factor), loss(masses) * factor
        off = np.abs(found - wanted) > _CLOSE * max(1.0, factor)
        assert not off.any(), (
            f"{factor:g} times the masses {_first(masses, off)} must have {factor:g} times the "
            f"loss, {wanted[off][:1]}, got {found[off][:1]}"
        )


def _check_concavity(loss: Loss, masses: Floats) -> None:
    for shift in range(1, len(masses), 3):
        other = np.roll(masses, shift, axis=0)
        for share in (0.1, 0.5):
            between = loss(share * masses + (1 - share) * other)
            chord = share * loss(masses) + (1 - share) * loss(other)
            below = between < chord - _CLOSE
            assert not below.any(), (
                f"it is not concave: between {_first(masses, below)} and {_first(other, below)} "
                f"it is below the straight line"
            )


def _check_labels(loss: Loss, masses: Floats) -> None:
    found = loss(masses)
    for order in _orders(masses.shape[-1]):
        other = np.abs(loss(masses[:, order]) - found) > _CLOSE
        assert not other.any(), (
            f"the order of the labels must not matter, and it does for {_first(masses, other)}"
        )
    # So engines compute it where one mass moves and the others stay.
    terms = loss.term(masses)
    parts = loss.gather(loss.gather.reduce(terms[:, 1:], axis=-1), terms[:, 0])
    again = loss.finish(masses.sum(axis=-1), parts)
    assert np.allclose(again, found, rtol=0, atol=_CLOSE), (
        "gathered in parts, the terms give another loss"
    )
    assert np.allclose(loss(masses.T, axis=0), found, rtol=0, atol=_CLOSE), (
        "called with axis=0, labels run along the first axis, and the loss must be the same"
    )


def _check_kernel(loss: Loss, masses: Floats) -> None:
    """Where one mass moves, its kernel must say the same as its terms."""
    kernel = loss.kernel
    if kernel is None:
        return
    others, gathered = masses[:, 1:].sum(axis=-1), loss.gather.reduce(loss.term(masses[:, 1:]), -1)
    for label in (0.05, 1.0):
        weighs = np.full(len(masses), label)
        for share in (0.1, 0.5, 1.0):
            moved = kernel.function(others / label + share)
            if kernel.own is not None:
                moved = moved - kernel.own(np.full(len(masses), share))
            factor = kernel.factor(others, gathered, weighs)
            found = kernel.constant(others, gathered, weighs) + factor * moved
            wanted = loss(np.column_stack([np.full(len(masses), label * share), masses[:, 1:]]))
            off = ~(np.abs(found - wanted) <= _CLOSE)
            assert not off.any(), (
                f"its kernel says {found[off][0]:.6g} where the loss of {_first(masses, off)} with "
                f"{label * share:g} in the first place is {wanted[off][0]:.6g}"
            )


def _orders(labels: int) -> Iterator[list[int]]:
    yield list(range(labels))[::-1]
    yield [*range(1, labels), 0]


def _first(masses: Floats, which: object) -> list[float]:
    """Of the masses that something is wrong with, the first."""
    result: list[float] = masses[np.asarray(which)][0].round(4).tolist()
    return result


CHECKS = (
    _check_shape,
    _check_range,
    _check_certainty,
    _check_homogeneity,
    _check_concavity,
    _check_labels,
    _check_kernel,
)
