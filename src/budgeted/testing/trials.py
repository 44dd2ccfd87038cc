"""What engines are tried with: a small problem, a few values, and every form of belief."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from budgeted.learners import LEARNERS, learner
from budgeted.learners.belief import Belief
from budgeted.problem import Feature, Problem
from budgeted.testing.answers import Asked
from budgeted.value.base import Engine, Known
from budgeted.value.loss import ZERO_ONE, Loss

Believed = Callable[[Belief], Known]

OWN = Loss(
    "own",
    term=np.square,
    gather=np.add,
    finish=lambda total, squares: np.sqrt(np.maximum(total**2 - squares, 0) / 2),
    largest=lambda labels: float(np.sqrt((1 - 1 / labels) / 2)),
)
"""A loss that nobody registered: who supports it must compute it."""
WITHIN = ZERO_ONE.within(Decimal(2))
"""The error of a classifier that may spend 2 on each case, which pays for all of the sample."""
_SEEN = ((0, 0, 0, 3), (0, 1, 1, 2), (1, 0, 2, 2), (1, 1, 0, 1))
"""Feature, label, value, and how often it was seen."""


@dataclass(frozen=True)
class Unheard:
    """What is known in a form that no engine has heard of."""

    problem: Problem
    form: str = "a form that nobody knows"


@dataclass(frozen=True)
class Trial:
    """An engine with something that it supports."""

    engine: Engine
    believed: Believed
    loss: Loss
    labels: int

    def asked(self, turned: bool = False, given: bool = False) -> Asked:
        """Return questions to ask; with the features in another order, or values under way."""
        known = self.believed(sample_belief(self.labels, turned))
        depths, under_way = np.zeros((2, 2, self.labels), dtype=np.int64)
        depths[0, :2], depths[1, 1] = (2, 1), 2
        under_way[0, 0], under_way[1, -1] = 1, 1
        order = slice(None, None, -1 if turned else 1)
        return Asked(self.engine, known, self.loss, depths[order], under_way[order] * given)


def every_belief() -> Iterator[Believed]:
    """Yield what makes something known of a belief: nothing, and the learners that can.

    Learners that believe the same by the same function are asked once.
    """
    yield lambda belief: belief
    asked = set()
    for name in LEARNERS:
        made = getattr(learner(name), "believed", None)
        if callable(made) and getattr(made, "__func__", made) not in asked:
            asked.add(getattr(made, "__func__", made))
            yield made


def sample_belief(labels: int, turned: bool = False) -> Belief:
    """Return what is known of two features after a few values; they may be listed in turn."""
    order = (1, 0) if turned else (0, 1)
    features = [Feature("f0", ("a", "b"), 1), Feature("f1", ("a", "b", "c"), 1)]
    shares = np.arange(2, 2 + labels) / np.arange(2, 2 + labels).sum()
    names = [f"label {at}" for at in range(labels)]
    belief = Belief.prior(Problem([features[at] for at in order], names, shares.tolist(), 100))
    for feature, label, value, number in _SEEN:
        belief = belief.observe_at(order.index(feature), label, value, number)
    return belief
