"""The contract of engines: kept by all that are registered, and broken in many ways."""

from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest

from budgeted.errors import EngineError
from budgeted.testing import check_engine
from budgeted.testing.trials import sample_belief
from budgeted.value import ENGINES, Estimate
from budgeted.value.base import EXPECTED, Partial
from budgeted.value.brute_force import expected_loss
from budgeted.value.enumeration import Enumeration
from budgeted.value.information import Information
from budgeted.value.loss import GINI
from budgeted.value.particles import Particles
from tests import oracles


@pytest.mark.parametrize("name", ENGINES)
def test_every_registered_engine_keeps_the_contract(name):
    check_engine(ENGINES[name])


class Slow(Partial):
    """Answers one question about one loss, by brute force."""

    name: ClassVar[str] = "slow"
    rank: ClassVar[int] = 99
    answers: ClassVar = frozenset({EXPECTED})

    def supports(self, known, loss, labels):
        return not self.refusal(known, loss, labels)

    def refusal(self, known, loss, labels):
        return Enumeration().refusal(known, loss, labels) or ("" if loss is GINI else "is for gini")

    def feasible(self, known, question, depths, given):
        return False

    def expected(self, known, allocation, loss, sampling):
        allowed = {cell: int(number) for cell, number in np.ndenumerate(allocation)}
        prior = known.problem.prior
        value = oracles.brute_expected_loss(oracles.counts_of(known), prior, allowed, loss.name)
        return Estimate(value, self.name)


def test_an_engine_that_answers_one_question_keeps_it():
    check_engine(Slow())
    with pytest.raises(EngineError, match="does not answer"):
        Slow().cells(None, None, None, GINI, None)


class Biased(Enumeration):
    def expected(self, known, allocation, loss, sampling):
        found = super().expected(known, allocation, loss, sampling)
        return Estimate(found + 1e-6, "enumeration", resolution=1e-12)


class OnlyGini(Enumeration):
    def cells(self, known, depths, given, loss, sampling):
        return super().cells(known, depths, given, GINI, sampling)


class Forgets(Enumeration):
    """What is under way."""

    def features(self, known, depths, given, loss, sampling):
        return super().features(known, depths, np.zeros_like(given), loss, sampling)


class Nameless(Enumeration):
    name = "another"


class TakesAll(Enumeration):
    def refusal(self, known, loss, labels):
        return ""


class Silent(Enumeration):
    def supports(self, known, loss, labels):
        return super().supports(known, loss, labels) and loss is GINI


class Moody(Enumeration):
    def gains(self, known, loss, sampling):
        self.moods = getattr(self, "moods", 0) + 1
        found = super().gains(known, loss, sampling)

        class Gains:
            def gains(_, numbers):
                return found.gains(numbers) + self.moods * 1e-14 * numbers.any(axis=1)

        return Gains()


class Secretive(Particles):
    draws = False


class Overconfident(Particles):
    def expected(self, known, allocation, loss, sampling):
        found = super().expected(known, allocation, loss, sampling)
        return Estimate(found, "particles", standard_error=found.standard_error / 1000)


class Vague(Enumeration):
    def expected(self, known, allocation, loss, sampling):
        return Estimate(0.3, "enumeration", lower=0.0, upper=1.0)


class Plain(Enumeration):
    def expected(self, known, allocation, loss, sampling):
        return float(super().expected(known, allocation, loss, sampling))


class Everywhere(Enumeration):
    def cells(self, known, depths, given, loss, sampling):
        found = super().cells(known, depths, given, loss, sampling)
        return replace(found, values=np.nan_to_num(found.values))


class Scribbles(Enumeration):
    def features(self, known, depths, given, loss, sampling):
        given += 0
        depths += 1
        return super().features(known, depths, given, loss, sampling)


class Listed(Information):
    """Likes what is listed first."""

    def gains(self, known, loss, sampling):
        found = super().gains(known, loss, sampling)
        few = len(known.problem.labels) == 2

        class Gains:
            def gains(_, numbers):
                return found.gains(numbers) * (1 if few else np.arange(2, 0, -1))

        return Gains()


class Joint(Information):
    """Forgets the others."""

    def gains(self, known, loss, sampling):
        found = super().gains(known, loss, sampling)

        class Gains:
            def gains(_, numbers):
                return found.gains(numbers) * 1.05

        return Gains()


class Chatty(Slow):
    def cells(self, known, depths, given, loss, sampling):
        return Enumeration().cells(known, depths, given, loss, sampling)


class Crashes(Enumeration):
    def features(self, known, depths, given, loss, sampling):
        raise KeyError("nothing")


BROKEN = [
    (Biased, "the sum over all outcomes and all cases"),
    (OnlyGini, "cells, of entropy with 2 labels, is wrong: .*the sum over all outcomes"),
    (Forgets, "features, of gini with 2 labels, is wrong: .*the sum over all outcomes"),
    (Nameless, "says that it is of 'enumeration'"),
    (TakesAll, "supports a form that nobody knows"),
    (Silent, "does not support entropy .* and does not say why"),
    (Moody, "the same seed, and another answer"),
    (Secretive, "it draws nothing, so its standard error must be 0"),
    (Overconfident, "the sum over all outcomes and all cases"),
    (Vague, "a useless bound"),
    (Plain, "must return an Estimate"),
    (Everywhere, "NaN elsewhere"),
    (Scribbles, "changes the numbers of purchases"),
    (Listed, "the order of the features must not matter"),
    (Joint, "gains, of gini with 2 labels, is wrong: .*the sum over all outcomes"),
    (Chatty, "does not answer this by its own words"),
    (Crashes, "raised KeyError"),
]


@pytest.mark.parametrize(("kind", "says"), BROKEN, ids=lambda each: getattr(each, "__name__", ""))
def test_what_is_broken_is_said_in_words(kind, says):
    with pytest.raises(AssertionError, match=says):
        check_engine(kind())


def test_what_is_no_engine_is_said_in_words():
    with pytest.raises(AssertionError, match="not its class"):
        check_engine(Enumeration)
    with pytest.raises(AssertionError, match="must have supports, refusal"):
        check_engine(object())


def test_the_reference_is_that_of_the_paper():
    """Two sums over everything that were written apart from each other."""
    belief, allocation = sample_belief(3), np.array([[1, 0, 2], [0, 2, 1]])
    bought = {cell: int(number) for cell, number in np.ndenumerate(allocation)}
    model, prior = oracles.counts_of(belief), belief.problem.prior
    wanted = oracles.brute_expected_loss(model, prior, bought, "gini")
    assert expected_loss(belief, allocation, GINI) == pytest.approx(wanted, abs=1e-13)
