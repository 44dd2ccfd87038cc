"""Play a policy in a world of the zoo, and judge what it bought."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from budgeted.learners import Learner, Outlook, Predictor
from budgeted.learners.predictor import log_scores
from budgeted.policies.base import Policy
from budgeted.problem.orders import Purchase
from budgeted.simulation.simulator import simulate
from research.quality.zoo.sources import World

LOOKS = (1 / 8, 1 / 4, 1 / 2, 3 / 4, 1.0)
"""Shares of the budget at which what was bought so far is judged; their mean is "on the way"."""


class Row(NamedTuple):
    """How a learner stands at one look.

    `error` is that on the test table; the others are what the predictor says of itself, None if it
    says nothing.
    """

    learner: str
    look: float
    purchases: int
    error: float
    predicted: float | None
    low: float | None
    high: float | None


def play(world: World, policy: Policy, case_rule: str, seed: int) -> tuple[Purchase, ...]:
    """Spend the budget as the policy says and return all purchases, oldest first.

    Parameters
    ----------
    world, policy
        Where, and who chooses.
    case_rule
        Which case a value is bought from; see `budgeted.state.cases`.
    seed
        Of the order of the cases and of the policy's own draws, each step with its own stream.
    """
    table = replace(world.world, case_rule=case_rule, seed=seed)
    steps = simulate(world.problem, policy, table, seed=seed, loss=None)
    return tuple(
        Purchase(each.feature, each.label, each.value, each.cost, each.case) for each in steps
    )


def within(purchases: Sequence[Purchase], money: Decimal) -> Sequence[Purchase]:
    """Return the first purchases that together cost no more than this."""
    spent = accumulate(each.cost for each in purchases)
    return purchases[: sum(amount <= money for amount in spent)]


def judge(
    world: World,
    purchases: Sequence[Purchase],
    learners: Sequence[Learner],
    *,
    outlooks: bool = True,
) -> list[Row]:
    """Return a row for each learner and look, in the order of the looks.

    Parameters
    ----------
    world, purchases, learners
        Where, what was bought, and who makes classifiers of it.
    outlooks
        Whether they are asked for the error that they expect to make.
    """
    rows = []
    for look in LOOKS:
        bought = within(purchases, world.problem.budget * Decimal(look))
        for learner in learners:
            predictor = learner.fit(world.problem, bought)
            outlook = outlook_of(predictor) if outlooks else None
            said = (None,) * 3 if outlook is None else (outlook.error, outlook.low, outlook.high)
            wrong = error(world, predictor)
            rows.append(Row(learner.name, look, len(bought), wrong, *map(_plain, said)))
    return rows


def error(world: World, predictor: Predictor) -> float:
    """Return the 0/1 error on the test table; where labels tie, the predictor guesses."""
    scores = log_scores(predictor, world.test_values)
    tied = scores >= scores.max(axis=1, keepdims=True) - 1e-12
    right = tied[np.arange(len(tied)), world.test_labels] / tied.sum(axis=1)
    return float(1 - right.mean())


def outlook_of(predictor: Predictor) -> Outlook | None:
    """Return what a predictor says of its own error, if it says anything."""
    ask = getattr(predictor, "outlook", None)
    result: Outlook | None = None if ask is None else ask()
    return result


def _plain(number: float | None) -> float | None:
    """A number that JSON knows."""
    return None if number is None else float(number)
