"""The contract of losses: kept by all that are registered, and broken in many ways."""

from dataclasses import replace

import numpy as np
import pytest

from budgeted.loss import ENTROPY, GINI, LOSSES, Loss
from budgeted.testing import check_loss


@pytest.mark.parametrize("name", LOSSES)
def test_every_registered_loss_keeps_the_contract(name):
    check_loss(LOSSES[name])


def total(masses):
    return masses.sum(axis=0)


def weighted(masses):
    """Labels count more, the later they are listed."""
    weights = np.arange(1, len(masses) + 1).reshape(-1, *[1] * (masses.ndim - 1))
    return GINI.of(masses * weights / len(masses))


def overwritten(masses):
    found = GINI.of(masses)
    masses *= 0.5
    return found


def test_one_of_ones_own_keeps_it():
    check_loss(Loss("half-gini", lambda masses: GINI.of(masses) / 2))


BROKEN = {
    "nameless": (replace(GINI, name=" "), "must have a name"),
    "convex": (Loss("x", lambda masses: GINI.of(masses) ** 2 / total(masses)), "must be concave"),
    "not homogeneous": (Loss("x", lambda masses: GINI.of(masses) * total(masses)), "as large"),
    "a fee": (Loss("x", lambda masses: total(masses) / 10), "all the mass it must be 0"),
    "below 0": (Loss("x", lambda masses: -GINI.of(masses)), "must not be below 0"),
    "no number": (Loss("x", lambda masses: GINI.of(masses) * np.nan), "must be a number"),
    "one number for all": (Loss("x", lambda masses: GINI.of(masses).sum()), "200 numbers, got"),
    "labels last": (Loss("x", lambda masses: GINI.of(masses.T)), "200 numbers, got"),
    "the masses overwritten": (Loss("x", overwritten), "must not change the masses"),
    "the order of labels": (Loss("x", weighted), "order of the labels"),
    "products of another loss": (
        replace(GINI, of_products=ENTROPY.of_products), "products of matrices",
    ),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("what", BROKEN)
def test_what_is_broken_is_said_in_words(what):
    loss, says = BROKEN[what]
    with pytest.raises(AssertionError, match=says):
        check_loss(loss)


def test_what_is_no_loss_is_said_in_words():
    with pytest.raises(AssertionError, match=r"must be a budgeted\.loss\.Loss"):
        check_loss(lambda masses: 0)
