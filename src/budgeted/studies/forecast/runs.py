"""How good will it be? The rest of the money, spent in models that are still possible.

A model is drawn from what is known today (`budgeted.learners.imagined`), and the study goes on in
it: the policy asks, the model answers, the same prices are charged and the same cases are taken, on
a draft of which nothing is ever written. After certain amounts of money the classifier of that
moment is judged on cases of the same model. Many such runs give the error that is to be expected
at each amount, where nine of ten of them lie, and what the money was spent on.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from budgeted.errors import LearnerError
from budgeted.learners.base import Predictor
from budgeted.learners.imagined import ImaginedModel
from budgeted.problem import money
from budgeted.seeds import FORECAST, stream
from budgeted.studies.beginning import policy_of
from budgeted.studies.forecast.playing import (
    ROUNDS,
    STAGES,
    answers_of,
    drawn_cases,
    error_on,
    goes_on,
    spend,
)
from budgeted.studies.projection import Projection

MORE = Decimal("0.2")
"""By how much the budget is raised and lowered, to say what that would do."""
POINTS = 6
"""Amounts of money at which the classifier is judged, from now to the end."""


@dataclass(frozen=True)
class Run:
    """One way in which the study may go on."""

    # Error of the classifier at each amount of `amounts`; the last one holds on where the policy
    # had stopped before.
    errors: tuple[float, ...]
    bought: Mapping[str, int]
    paid: Mapping[str, Decimal]


def amounts(projection: Projection) -> tuple[Decimal, ...]:
    """Return the amounts of money at which runs are judged: from now to a fifth above the budget.

    The budget itself, and what is a fifth below it, are among them.
    """
    budget = projection.state.problem.budget
    steps = steps_to_the_end(projection, POINTS)
    ends = [budget * (1 - MORE), budget * (1 + MORE)]
    if projection.state.problem.soft is not None:
        ends = []
    return tuple(sorted({*steps, *(each for each in ends if each >= steps[0])}))


def steps_to_the_end(projection: Projection, number: int) -> tuple[Decimal, ...]:
    """Return amounts of money from what is spent or reserved now to the budget, in equal steps."""
    state = projection.state
    budget = state.problem.budget
    begin = money.add(state.spent, state.reserved)
    steps = {begin + (budget - begin) * at / number for at in range(number)} | {budget}
    return tuple(sorted(each for each in steps if each >= begin))


def run(
    projection: Projection,
    seed: int,
    number: int,
    at: str,
    at_amounts: Sequence[Decimal] | None = None,
    *,
    stages: int = STAGES,
    rounds: int = ROUNDS,
) -> Run:
    """Return one way in which a study may go on."""
    rng = stream(seed, FORECAST, number)
    model = possible_model(projection.predictor(), rng)
    judged = drawn_cases(model, rng)
    at_amounts = amounts(projection) if at_amounts is None else at_amounts
    draft = goes_on(
        projection, policy_of(projection.created), at_amounts[-1], at, stages=stages, rounds=rounds
    )
    budget = projection.state.problem.budget
    errors: list[float] = []
    bought: Counter[str] = Counter()
    paid: dict[str, Decimal] = {}
    for spent, request in spend(draft, answers_of(model, seed, FORECAST, number)):
        passed = bisect_left(at_amounts, spent) - len(errors)
        if passed > 0:
            errors += [error_on(draft, judged)] * passed
        if spent <= budget:
            bought[request.feature] += 1
            paid[request.feature] = money.add(paid.get(request.feature, Decimal(0)), request.cost)
    errors += [error_on(draft, judged)] * (len(at_amounts) - len(errors))
    return Run(tuple(errors), dict(bought), paid)


def possible_model(predictor: Predictor, rng: np.random.Generator) -> ImaginedModel:
    """Draw a model that is still possible, or say in words that the learner has none."""
    imagine = getattr(predictor, "imagine", None)
    if imagine is None:
        raise LearnerError(
            f"a forecast draws models that are still possible, and the learner "
            f"{predictor.learner!r} has none"
        )
    model: ImaginedModel = imagine(rng)
    return model
