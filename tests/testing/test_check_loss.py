"""The contract of losses: kept by all that are registered, and broken in many ways."""

from dataclasses import replace

import numpy as np
import pytest

from budgeted.testing import check_loss
from budgeted.value.loss import ENTROPY, GINI, LOSSES, Loss


@pytest.mark.parametrize("name", LOSSES)
def test_every_registered_loss_keeps_the_contract(name):
    check_loss(LOSSES[name])


GOOD = Loss(
    "bhattacharyya",
    term=np.square,
    gather=np.add,
    finish=lambda total, squares: np.sqrt(np.maximum(total**2 - squares, 0) / 2),
    largest=lambda labels: float(np.sqrt((1 - 1 / labels) / 2)),
)


def test_one_of_ones_own_keeps_it():
    check_loss(GOOD)


def overwritten(masses):
    masses *= masses
    return masses


BROKEN = {
    "convex": (
        replace(GINI, finish=lambda total, squares: (total**2 - squares) / np.maximum(total, 1e-9)
                * np.where(total**2 - squares > 0.3 * total**2, 1.0, 0.5)),
        "not concave",
    ),
    "not homogeneous": (
        replace(GINI, finish=lambda total, squares: (total**2 - squares) / 10),
        "times the loss",
    ),
    "larger than it says": (replace(ENTROPY, largest=lambda labels: 0.1), "above largest"),
    "not a number at 0": (
        replace(ENTROPY, term=lambda mass: mass * np.log(mass)), "is no number",
    ),
    "labels on the last axis only": (
        replace(GINI, term=lambda mass: mass**2 * (1 + 0.1 * (mass.shape[-1] > 9))),
        "called with axis=0",
    ),
    "a kernel of another loss": (replace(GINI, kernel=ENTROPY.kernel), "its kernel says"),
    "the masses overwritten": (replace(GINI, term=overwritten), "changes the masses"),
    "the order of labels": (
        replace(GINI, term=lambda mass: mass * np.arange(mass.shape[-1]),
                finish=lambda total, terms: np.minimum(terms, 2 * (total - terms)) / 4),
        "order of the labels must not matter",
    ),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("what", BROKEN)
def test_what_is_broken_is_said_in_words(what):
    loss, says = BROKEN[what]
    with pytest.raises(AssertionError, match=says):
        check_loss(loss)


def test_what_is_no_loss_is_said_in_words():
    with pytest.raises(AssertionError, match=r"must be a budgeted\.value\.loss\.Loss"):
        check_loss(lambda masses: 0)
