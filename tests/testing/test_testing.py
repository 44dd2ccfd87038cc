"""The contracts that outsiders run: they hold of what is registered, and notice what is broken."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

from budgeted.learners import LEARNERS, Hierarchical, NaiveBayes, Outlook, learner
from budgeted.policies import Choice, Policy
from budgeted.policies.round_robin import RoundRobin
from budgeted.problem import Action
from budgeted.testing import check_learner, check_policy


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_keeps_the_contract(name):
    check_learner(learner(name))


@dataclass(frozen=True)
class Broken(Policy):
    """Buys what is cheapest, but for one thing."""

    name = "broken"
    summary = "what is cheapest"

    def scores(self, now):
        return now.cost

    def choose(self, state, rng):
        choice = super().choose(state, rng)
        return choice and self.bend(choice, state)

    def bend(self, choice, state):
        return choice


class WithoutReason(Broken):
    def bend(self, choice, state):
        return replace(choice, reason="")


class StopsEarly(Broken):
    def bend(self, choice, state):
        return None if len(state.history) == 5 else choice


class NeverStops(Broken):
    def choose(self, state, rng):
        return super().choose(state, rng) or Choice(Action(0, 0), reason="why not")


class ThrowsDice(Broken):
    dice: ClassVar = np.random.default_rng(0)

    def bend(self, choice, state):
        cells = state.affordable()
        return replace(choice, action=cells[int(self.dice.integers(len(cells)))], scores={})


class ScoresWhatIsGone(Broken):
    def bend(self, choice, state):
        return replace(choice, scores={choice.action: 0.0, Action(99, 0): 1.0})


class ScoresNothingOfItsChoice(Broken):
    def bend(self, choice, state):
        others = [each for each in state.affordable() if each != choice.action]
        return replace(choice, scores=dict.fromkeys(others, 1.0))


class ForgetsWhatIsUnderWay(Broken):
    """Stops as soon as any request is under way."""

    def choose(self, state, rng):
        return None if state.pending else super().choose(state, rng)


class Fails(Broken):
    def bend(self, choice, state):
        raise IndexError("out of range")


class IgnoresItsScores(Broken):
    def bend(self, choice, state):
        return replace(choice, scores={each: float(each != choice.action) * -1.0
                                       for each in state.affordable()})  # fmt: skip


class PrefersTheDear(Broken):
    def bend(self, choice, state):
        cells = state.affordable()
        return replace(choice, action=max(cells, key=state.price), scores=dict.fromkeys(cells, 1.0))


class AsksTwice(Broken):
    def bend(self, choice, state):
        return replace(choice, together=(choice.action.feature,))


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


class ScoresOfOneLabel(Broken):
    def scores(self, now):
        return now.cost[:, :1]


class NoNumbers(Broken):
    def scores(self, now):
        return np.full(now.cost.shape, np.nan)


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        (ScoresOfOneLabel, "scores must be 3 features × 2 labels, got \\(3, 1\\)"),
        (NoNumbers, "scores must be finite where a cell is wanted"),
        (Fails, "choose raised IndexError: out of range"),
        (WithoutReason, "gives no reason"),
        (IgnoresItsScores, "chooses a score of .* although the best is -1"),
        (PrefersTheDear, "must buy one of the cheapest"),
        (AsksTwice, "asks for a feature twice in one order"),
        (StopsEarly, "stops although"),
        (NeverStops, "cannot be bought|cannot be paid"),
        (ThrowsDice, "it must be a function"),
        (ScoresWhatIsGone, "scores of cells that cannot be bought"),
        (ScoresNothingOfItsChoice, "no score of what it chose"),
        (ForgetsWhatIsUnderWay, "more could be asked for"),
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
    reader: ClassVar[str] = "naive-bayes"

    def purchases(self, purchases):
        return purchases

    def bend(self, chances):
        return chances

    def outlook(self, found):
        return found

    def write(self, plain):
        return plain

    def delivered(self, predictor):
        return predictor

    def fit(self, problem, purchases):
        made, wrong = NaiveBayes().fit(problem, self.purchases(purchases)), self

        class Predictor:
            learner = wrong.reader

            def __init__(self):
                self.problem = problem

            def probabilities(self, values):
                return wrong.bend(made.probabilities(values))

            def outlook(self, models=200):
                return wrong.outlook(made.outlook())

            def to_plain(self):
                return wrong.write(made.to_plain())

        return wrong.delivered(Predictor())


class NotOne(Wrong):
    def bend(self, chances):
        return chances * 0.9


class KnowsBetter(Wrong):
    def bend(self, chances):
        skewed = chances * np.arange(1, chances.shape[1] + 1)
        return skewed / skewed.sum(axis=1, keepdims=True)


class Dice(Wrong):
    dice: ClassVar = np.random.default_rng(0)

    def bend(self, chances):
        other = self.dice.dirichlet([1.0] * chances.shape[1], len(chances))
        unsure = np.isclose(chances, chances[:, :1]).all(axis=1, keepdims=True)
        return np.where(unsure, chances, other)


class InOrder(Wrong):
    def purchases(self, purchases):
        return purchases[: len(purchases) // 2] if len(purchases) > 1 else purchases


class CountsTheMissing(Wrong):
    def purchases(self, purchases):
        return [replace(each, value=0) if each.value is None else each for each in purchases]


class LearnsNothing(Wrong):
    def purchases(self, purchases):
        return []


class NoPredictor(Wrong):
    def fit(self, problem, purchases):
        return 42


@dataclass(frozen=True)
class GrowsWhenMade(Wrong):
    strength: float = 1.0

    def __post_init__(self):
        object.__setattr__(self, "strength", 2 * self.strength)


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


class CannotBeRead(Wrong):
    reader: ClassVar[str] = "wrong"


class HasOtherScores(Wrong):
    def delivered(self, predictor):
        predictor.log_scores = lambda values: -predictor.probabilities(values)
        return predictor


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
        (NoPredictor, "fit must return a budgeted.learners.Predictor; it returned 42, which has"),
        (ByPlace, "the order of the features must not matter"),
        (WritesSomethingElse, "predicts something else when it is read again"),
        (CannotBeRead, r"'wrong' has no read\(problem, plain\)"),
        (HasOtherScores, "log_scores and probabilities do not fit"),
        (GrowsWhenMade, "made again of its parameters it is another: .*strength=4.0"),
        (NotOne, "must sum to 1"),
        (KnowsBetter, "P\\(label\\) is its share"),
        (Dice, "another classifier"),
        (InOrder, "the order of the purchases must not matter"),
        (CountsTheMissing, "a purchase without a value teaches"),
        (LearnsNothing, "was not learned"),
        (Certain, "width zero"),
    ],
)
def test_a_broken_learner_is_noticed(kind, says):
    with pytest.raises(AssertionError, match=says):
        check_learner(kind())
