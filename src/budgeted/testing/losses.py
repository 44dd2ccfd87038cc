"""What every loss must do, whatever it is to be good at."""

from __future__ import annotations

import math

import numpy as np

from budgeted.loss.losses import Floats, Loss, check_kind
from budgeted.testing.words import in_words

_CLOSE = 1e-9
_LABELS = (2, 3, 5)


def check_loss(loss: Loss) -> None:
    """Raise an error in words unless a loss keeps the contract of all losses.

    It is a function of joint masses, labels × any shape: of each case a number from 0, and 0 where
    one label has all the mass; k times as large for k times the masses; concave, so that what is
    learned never makes it rise on average; the same in whatever order the labels are listed. What
    it computes by products of matrices is the same.

    Parameters
    ----------
    loss
        Such as one of `budgeted.loss.LOSSES`.

    Examples
    --------
    >>> from budgeted.loss import GINI
    >>> check_loss(GINI)
    """
    with in_words("the loss"):
        check_kind(loss)
        assert isinstance(loss.name, str), f"its name must be text, got {loss.name!r}"
        assert loss.name.strip(), "it must have a name"
        for labels in _LABELS:
            _check(loss, labels)


def _check(loss: Loss, labels: int) -> None:
    rng = np.random.default_rng(labels)
    masses = rng.dirichlet(np.full(labels, 0.7), size=200).T * rng.uniform(1e-3, 1, 200)
    kept = masses.copy()
    found = np.asarray(loss.of(masses))
    assert np.array_equal(masses, kept), "it must not change the masses that it is given"
    assert found.shape == (200,), (
        f"of masses of {labels} labels × 200 cases it must give 200 numbers, got {found.shape}"
    )
    whole = np.asarray(loss.of(masses.reshape(labels, 20, 10)))
    assert whole.shape == (20, 10), "labels come first: all other axes must stay as they are"
    assert np.isfinite(found).all(), f"it must be a number, got {found[~np.isfinite(found)][0]}"
    assert (found >= -_CLOSE).all(), f"it must not be below 0, got {found.min():g}"
    certain = np.asarray(loss.of(np.eye(labels)))
    assert np.abs(certain).max() < _CLOSE, (
        f"where one label has all the mass it must be 0, got {certain[np.abs(certain).argmax()]:g}"
    )
    for factor in (1e-3, 7.0):
        assert _same(loss.of(factor * masses), factor * found), (
            f"of {factor:g} times the masses it must be {factor:g} times as large"
        )
    assert _same(loss.of(masses[::-1]), found), "it must not depend on the order of the labels"
    others = masses[:, rng.permutation(200)]
    apart = found + np.asarray(loss.of(others))
    together = np.asarray(loss.of(masses + others))
    assert (together >= apart - _CLOSE).all(), (
        "it must be concave: of two cases that cannot be told apart it is at least the sum, or "
        "what is learned could make it rise"
    )
    atoms = rng.dirichlet(np.ones(6), size=labels)
    plain = np.array(loss.of(masses[:, None, :] * atoms[:, :, None]))
    expected = np.stack([plain[:2].sum(axis=0), plain[2:].sum(axis=0)])
    assert _same(loss.beside(masses, atoms, np.array([0, 2])), expected), (
        "by products of matrices it must be the same"
    )


def _same(one: Floats, other: Floats) -> bool:
    return bool(np.allclose(one, other, rtol=_CLOSE, atol=_CLOSE)) and not math.isnan(np.sum(one))
