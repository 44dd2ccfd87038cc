"""What a policy answers is looked at before anything is bought by it."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from budgeted import Feature, Problem, State, simulate
from budgeted.errors import PolicyError
from budgeted.learners import Hierarchical
from budgeted.policies import Choice
from budgeted.policies.auto import Auto
from budgeted.policies.base import choose
from budgeted.problem import Action
from budgeted.simulation.worlds import ModelWorld

PROBLEM = Problem(
    [Feature(name, ("no", "yes"), 1) for name in "abc"], ("well", "ill"), (0.5, 0.5), 9
)
HERE = Action(0, 1)


@dataclass(frozen=True)
class Answers:
    name: ClassVar[str] = "answers"
    answer: object

    def choose(self, state, rng):
        return self.answer


@pytest.mark.parametrize(("answer", "says"), [
    ((0, 1), "must return a Choice or None"),
    (Choice(HERE, reason="why", scores={Action(1, 1): 2.0}), "must have the action that is chosen"),
    (Choice(HERE, reason="why", scores={HERE: 1.0, (99, 0): 2.0}), "to finite numbers"),
    (Choice(HERE, reason="why", scores={HERE: 1.0, (0, 0, 0): 2.0}), "to finite numbers"),
    (Choice(HERE, reason="why", scores={HERE: float("nan")}), "to finite numbers"),
    (Choice(HERE, reason="why", together=(0,)), "other features than that of the"),
    (Choice(HERE, reason="why", together=(1, 1)), "other features than that of the"),
    (Choice(HERE, reason="why", together=(7,)), "positions of features"),
])  # fmt: skip
def test_nonsense_is_said_in_words_in_states_and_simulations(answer, says):
    policy = Answers(answer)
    with pytest.raises(PolicyError, match=says):
        choose(policy, State.start(PROBLEM), np.random.default_rng(0), "answers")
    world = ModelWorld(PROBLEM, np.full((2, 6), 0.5))
    with pytest.raises(PolicyError, match=says):
        list(simulate(PROBLEM, policy, world))


def test_a_subclass_of_the_default_stays_itself():
    @dataclass(frozen=True)
    class Mine(Auto):
        name: ClassVar[str] = "mine"
        patience: int = 3

    found = Mine(patience=7).for_learner(Hierarchical())
    assert isinstance(found, Mine)
    assert found.patience == 7
