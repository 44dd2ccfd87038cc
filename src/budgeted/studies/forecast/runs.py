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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from budgeted.errors import LearnerError
from budgeted.learners import fitted
from budgeted.learners.imagined import ImaginedModel
from budgeted.learners.layout import Integers
from budgeted.learners.predictor import log_scores
from budgeted.policies.base import several
from budgeted.problem import Firm, money
from budgeted.seeds import FORECAST, stream
from budgeted.state.revisions import with_budget
from budgeted.studies import events
from budgeted.studies.beginning import policy_of
from budgeted.studies.commands.ask import ordered
from budgeted.studies.drafts import Draft
from budgeted.studies.fates import PENDING
from budgeted.studies.projection import Projection, Requested

MORE = Decimal("0.2")
"""By how much the budget is raised and lowered, to say what that would do."""
POINTS = 8
"""Amounts of money at which the classifier is judged, from now to the end."""
CASES = 400
"""Drawn of each label, to judge it on."""
CONFIDENCE = 0.9


@dataclass(frozen=True)
class Run:
    """One way in which the study may go on.

    Attributes
    ----------
    errors
        Error of the classifier at each amount of `amounts`; the last one holds on where the policy
        had stopped before.
    bought, paid
        Feature → how many values were bought of it until the budget was spent, and for how much.
    """

    errors: tuple[float, ...]
    bought: Mapping[str, int]
    paid: Mapping[str, Decimal]


class _Imagined(Draft):
    """A draft whose values are imagined: they are told as the position of their category."""

    def _value(self, feature: int, value: str) -> int:
        return int(value)


def amounts(projection: Projection) -> tuple[Decimal, ...]:
    """Return the amounts of money at which runs are judged: from now to a fifth above the budget.

    The budget itself, and what is a fifth below it, are among them.
    """
    state = projection.state
    budget = state.problem.budget
    begin = money.add(state.spent, state.reserved)
    ends = [budget * (1 - MORE), budget, budget * (1 + MORE)]
    if state.problem.soft is not None:
        ends = [budget]
    steps = [begin + (budget - begin) * at / POINTS for at in range(POINTS + 1)]
    return tuple(sorted({each for each in (*steps, *ends) if each >= begin}))


def run(projection: Projection, seed: int, number: int, at: str) -> Run:
    """Return one way in which a study may go on.

    Parameters
    ----------
    projection
        Where it stands; it is not changed.
    seed, number
        Of the run; the same ones give the same run.
    at
        The time that it is, for prices that change.
    """
    rng = stream(seed, FORECAST, number)
    predictor = projection.predictor()
    imagine = getattr(predictor, "imagine", None)
    if imagine is None:
        raise LearnerError(
            f"a forecast draws models that are still possible, and the learner "
            f"{predictor.learner!r} has none"
        )
    model: ImaginedModel = imagine(rng)
    problem = projection.state.problem
    judged = [model.cases(label, CASES, rng) for label in range(len(problem.labels))]
    at_amounts = amounts(projection)
    draft = _begin(projection, at_amounts[-1], at)
    errors: list[float] = []
    bought: Counter[str] = Counter()
    paid: dict[str, Decimal] = {}
    for spent, request in _spend(draft, model, rng):
        passed = bisect_left(at_amounts, spent) - len(errors)
        if passed > 0:
            errors += [_error(draft, judged)] * passed
        if spent <= problem.budget:
            bought[request.feature] += 1
            paid[request.feature] = money.add(paid.get(request.feature, Decimal(0)), request.cost)
    errors += [_error(draft, judged)] * (len(at_amounts) - len(errors))
    return Run(tuple(errors), dict(bought), paid)


def _begin(projection: Projection, budget: Decimal, at: str) -> _Imagined:
    draft: _Imagined = _Imagined.of(projection)  # type: ignore[assignment]
    draft.signature = (at, "forecast", "forecast", "")
    problem = draft.state.problem
    if problem.soft is None:  # what comes in later periods comes in time
        draft.state = with_budget(draft.state, Firm(money.tidied(budget, problem.budget)))
    return draft


def _spend(
    draft: _Imagined, model: ImaginedModel, rng: np.random.Generator
) -> Iterator[tuple[Decimal, Requested]]:
    """Go on with the study; before each value that comes back, yield what is spent with it."""
    typical: dict[str, float] = {}
    draft.chooser = several(policy_of(draft.created))
    waiting = [each for each in draft.requests.values() if each.fate == PENDING]
    while True:
        for request in waiting:
            label = draft.names.labels[request.label]
            feature = draft.names.columns[request.feature]
            if request.case not in typical:
                typical[request.case] = model.typical(label, _known(draft, request.case), rng)
            value = model.value(label, feature, typical[request.case], rng)
            yield money.add(draft.state.spent, request.cost), request
            draft.attempt(events.Told(request.number, str(value), request.cost))
        choice = draft.choose()
        if choice is None:
            return
        asked = ordered(draft, choice)
        draft.attempt(asked)
        waiting = [draft.requests[line.number] for line in asked.lines]


def _known(draft: Draft, case: str) -> dict[int, int]:
    """The values of a case, by position."""
    numbers = set(draft.of_case.get(case, ()))
    return {
        each.feature: each.value
        for each in draft.state.history
        if each.number in numbers and each.value is not None
    }


def _error(draft: Draft, judged: Sequence[Integers]) -> float:
    """How often today's classifier of a draft is wrong on these cases of each label."""
    problem = draft.state.problem
    predictor = fitted(draft.learner, problem, draft.state.history)
    wrong = 0.0
    for label, cases in enumerate(judged):
        scores = log_scores(predictor, cases)
        best = scores >= scores.max(axis=1, keepdims=True) - 1e-12
        wrong += problem.prior[label] * float(1 - (best[:, label] / best.sum(axis=1)).mean())
    return wrong
