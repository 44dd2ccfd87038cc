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
from budgeted.learners.layout import Floats
from budgeted.learners.prospect import FINEST
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


CONFIDENCE = 0.9


@dataclass(frozen=True)
class Point:
    """What is expected once an amount of money is spent.

    Attributes
    ----------
    money
        Spent in all.
    error, low, high
        The error that is expected, and where one more run has it in nine of ten cases.
    """

    money: Decimal
    error: float
    low: float
    high: float


def points_of(amounts: Sequence[Decimal], errors: Floats) -> tuple[Point, ...]:
    """Return what runs say of each amount of money.

    The band is where one more run would lie with a probability of nine tenths: between two order
    statistics of n runs the next one lies with a probability of their distance over n + 1
    (Weibull's plotting positions), so that few runs give a wide band and not a bold one. It is
    never narrower than half a percentage point on either side, as that of the error of today.

    >>> runs = np.linspace(0.1, 0.3, 21)[:, None]
    >>> point, = points_of([Decimal(10)], runs)
    >>> round(point.error, 3), round(point.low, 3), round(point.high, 3)
    (0.2, 0.101, 0.299)
    """
    ends = [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2]
    mean = errors.mean(axis=0)
    low, high = np.quantile(errors, ends, axis=0, method="weibull")
    low, high = np.minimum(low, mean - FINEST), np.maximum(high, mean + FINEST)
    bands = np.stack([mean, np.maximum(low, 0), np.minimum(high, 1)], axis=1).tolist()
    return tuple(Point(amount, *band) for amount, band in zip(amounts, bands, strict=True))
