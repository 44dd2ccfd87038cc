"""The contracts that outsiders run: they hold of what is registered, and notice what is broken."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

from budgeted.learners import LEARNERS, Hierarchical, NaiveBayes, Outlook, learner
from budgeted.policies.round_robin import RoundRobin
from budgeted.testing import check_learner, check_policy


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_keeps_the_contract(name):
    check_learner(learner(name))


@dataclass(frozen=True)
class Broken(RoundRobin):
    """Round robin, but for one thing."""

    name: ClassVar[str] = "broken"

    def choose(self, state, rng):
        choice = super().choose(state, rng)
        return choice and self.bend(choice, state)

    def bend(self, choice, state):
        return choice


class StopsEarly(Broken):
    def bend(self, choice, state):
        return None if len(state.history) == 5 else choice


class ThrowsDice(Broken):
    dice: ClassVar = np.random.default_rng(0)

    def bend(self, choice, state):
        cells = state.affordable()
        return replace(choice, action=cells[int(self.dice.integers(len(cells)))], scores={})


class IgnoresItsScores(Broken):
    def bend(self, choice, state):
        return replace(choice, scores={each: float(each != choice.action) * -1.0
                                       for each in state.affordable()})  # fmt: skip


class OrdersAtSinglePrices(Broken):
    """Adds up what each feature costs alone on its cheapest case, which may be another one."""

    def bend(self, choice, state):
        feature, label = choice.action
        left, others = state.free - state.price(choice.action), []
        for at in range(len(state.problem.features)):
            if at != feature and state.depths()[at, label] and state.price((at, label)) <= left:
                left -= state.price((at, label))
                others.append(at)
        return replace(choice, together=tuple(others))


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        (IgnoresItsScores, "chooses a score of .* although the best is -1"),
        (StopsEarly, "stops although"),
        (ThrowsDice, "it must be a function"),
        (OrdersAtSinglePrices, "asks for an order that cannot be: .*free"),
    ],
)
def test_a_broken_policy_is_noticed(kind, says):
    with pytest.raises(AssertionError, match=says):
        check_policy(kind())


@dataclass(frozen=True)
class Wrong:
    """Naive Bayes, but for one thing."""

    name: ClassVar[str] = "wrong"

    def purchases(self, purchases):
        return purchases

    def outlook(self, found):
        return found

    def write(self, plain):
        return plain

    def fit(self, problem, purchases):
        made, wrong = NaiveBayes().fit(problem, self.purchases(purchases)), self

        class Predictor:
            learner = NaiveBayes.name

            def __init__(self):
                self.problem = problem

            def probabilities(self, values):
                return made.probabilities(values)

            def outlook(self, models=200):
                return wrong.outlook(made.outlook())

            def to_plain(self):
                return wrong.write(made.to_plain())

        return Predictor()


class InOrder(Wrong):
    def purchases(self, purchases):
        return purchases[: len(purchases) // 2] if len(purchases) > 1 else purchases


class Certain(Wrong):
    def outlook(self, found):
        return Outlook(found.error, found.error, found.error)


class ByPlace(Wrong):
    """Looks at the first two columns alone."""

    def purchases(self, purchases):
        return [each for each in purchases if each.feature < 2]


class WritesSomethingElse(Wrong):
    def write(self, plain):
        return plain | {"features": [
            each | {"probabilities": [[row[::-1] for row in table] for table in
                                      each["probabilities"]]}
            for each in plain["features"]
        ]}  # fmt: skip


@pytest.mark.parametrize("check", [check_policy, check_learner])
def test_a_class_is_no_object(check):
    with pytest.raises(AssertionError, match="give an object"):
        check({check_policy: RoundRobin, check_learner: NaiveBayes}[check])


def test_what_is_right_passes():
    check_learner(Wrong())
    check_learner(Hierarchical(as_stated=1.0))
    check_policy(RoundRobin())


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        (ByPlace, "the order of the features must not matter"),
        (WritesSomethingElse, "predicts something else when it is read again"),
        (InOrder, "the order of the purchases must not matter"),
        (Certain, "width zero"),
    ],
)
def test_a_broken_learner_is_noticed(kind, says):
    with pytest.raises(AssertionError, match=says):
        check_learner(kind())
