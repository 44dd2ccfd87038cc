"""A study that goes on in a possible world: the policy asks, the world answers, nothing is written.

It is played on a draft, so that prices, fees, cases and what is under way are those of the study.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal

import numpy as np

from budgeted.learners import fitted
from budgeted.learners.imagined import ImaginedModel
from budgeted.learners.layout import Integers
from budgeted.learners.predictor import log_scores
from budgeted.policies.base import Choice, Chooser
from budgeted.problem import Action, Firm, money
from budgeted.seeds import stream
from budgeted.state import State
from budgeted.state.revisions import with_budget
from budgeted.studies import events
from budgeted.studies.commands.ask import ordered
from budgeted.studies.drafts import Draft
from budgeted.studies.events import PENDING
from budgeted.studies.projection import Projection, Requested

STAGES = 16
"""A decision is followed until a sixteenth of the money is spent; then the policy decides anew."""
ROUNDS = 4
"""But of one feature no more values of each label at once, as many as the default weighs."""
CASES = 400
"""Drawn of each label of a model, to judge a classifier on."""

Answer = Callable[[Draft, Requested], int | None]
"""Gives the position of the value of a request; None: there is none, and it is charged."""


class Possible(Draft):
    """A draft whose values are told as the position of their category."""

    def _value(self, feature: int, value: str) -> int:
        return int(value)


class Staged:
    """Follows a decision for a while before the policy decides anew, which takes most of the time.

    A decision of the default comes with a plan: a few values of one feature, of each label. That
    plan is followed, and repeated, until a stage of the money is spent. Policies that come without
    a plan decide each time.
    """

    def __init__(self, policy: Chooser, stage: Decimal, rounds: int = ROUNDS) -> None:
        self._policy, self._stage, self._rounds = policy, stage, rounds
        self._until = Decimal(0)
        self._turns: list[Action] = []
        self._at = 0

    def choose(self, state: State, rng: np.random.Generator) -> Choice | None:
        """Return the next purchase of the last decision, or what the policy decides now."""
        spent = money.add(state.spent, state.reserved)
        if self._turns and spent < self._until:
            action = self._turns[self._at % len(self._turns)]
            self._at += 1
            if self._at < self._rounds * len(state.problem.labels) and state.depths()[action]:
                return Choice(action)
        choice = self._policy.choose(state, rng)
        planned = () if choice is None or not choice.plan else (choice.action, *choice.plan)
        self._turns, self._at, self._until = list(planned), 1, money.add(spent, self._stage)
        return choice


def goes_on(
    projection: Projection,
    policy: Chooser,
    budget: Decimal,
    at: str,
    *,
    stages: int = STAGES,
    rounds: int = ROUNDS,
) -> Possible:
    """Return a study that can be played on, with this much money in all."""
    draft: Possible = Possible.of(projection)  # type: ignore[assignment]
    draft.signature = (at, "forecast", "forecast", "")
    problem = draft.state.problem
    if problem.soft is None:
        draft.state = with_budget(draft.state, Firm(money.tidied(budget, problem.budget)))
    draft.chooser = Staged(policy, draft.state.free / stages, rounds)
    return draft


def spend(draft: Possible, answer: Answer) -> Iterator[tuple[Decimal, Requested]]:
    """Go on until the money is spent; before each value that comes back, yield what is spent."""
    waiting = [each for each in draft.requests.values() if each.fate == PENDING]
    while True:
        for request in waiting:
            value = answer(draft, request)
            yield money.add(draft.state.spent, request.cost), request
            draft.attempt(
                events.Failed(request.number, request.cost, usable=False)
                if value is None
                else events.Told(request.number, str(value), request.cost)
            )
        choice = draft.choose()
        if choice is None:
            return
        asked = ordered(draft, choice)
        draft.attempt(asked)
        waiting = [draft.requests[line.number] for line in asked.lines]


def answers_of(model: ImaginedModel, seed: int, *key: int) -> Answer:
    """Return the answers of a model: the values of a case go together as it says.

    Each case has a stream of its own, so that what it says does not depend on what else is bought.
    """
    drawn: dict[str, tuple[float, list[float]]] = {}

    def answer(draft: Draft, request: Requested) -> int:
        label = draft.names.labels[request.label]
        feature = draft.names.columns[request.feature]
        if request.case not in drawn:
            rng = stream(seed, *key, draft.names.rows[request.case])
            first, *others = rng.standard_normal(1 + len(model.problem.features)).tolist()
            drawn[request.case] = model.typical(label, _known(draft, request.case), first), others
        typical, own = drawn[request.case]
        return model.value(label, feature, typical, own[feature])

    return answer


def _known(draft: Draft, case: str) -> dict[int, int]:
    """The values of a case, by position."""
    numbers = set(draft.of_case.get(case, ()))
    if not numbers:
        return {}
    return {
        each.feature: each.value
        for each in draft.state.history
        if each.number in numbers and each.value is not None
    }


def drawn_cases(model: ImaginedModel, rng: np.random.Generator) -> list[Integers]:
    """Draw cases of each label of a model, to judge classifiers on."""
    return [model.cases(label, CASES, rng) for label in range(len(model.problem.labels))]


def error_on(draft: Draft, judged: Sequence[Integers]) -> float:
    """Return how often the classifier of a draft is wrong on cases of each label."""
    problem = draft.state.problem
    predictor = fitted(draft.learner, problem, draft.state.history)
    wrong = 0.0
    for label, cases in enumerate(judged):
        scores = log_scores(predictor, cases)
        best = scores >= scores.max(axis=1, keepdims=True) - 1e-12
        wrong += problem.prior[label] * float(1 - (best[:, label] / best.sum(axis=1)).mean())
    return wrong
