"""Ask: what to buy next."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from budgeted.errors import PurchaseError, StudyError
from budgeted.studies import events
from budgeted.studies.commands.base import Command, parameter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from budgeted.policies import Choice
    from budgeted.problem import Problem
    from budgeted.state import State
    from budgeted.studies.drafts import Draft
    from budgeted.studies.projection import Requested

KEPT_SCORES = 12
"""Of the scores of a decision."""
MOST_AT_ONCE = 10_000
"""Requests of one `Ask`; more is a slip of the finger."""


@dataclass(frozen=True)
class Ask(Command):
    """Say what to buy next, and reserve the money for it."""

    name: ClassVar[str] = "ask"
    late: ClassVar[bool] = True
    sized_by: ClassVar[str | None] = "n"
    n: int = parameter(
        "How many requests, worth having together.",
        1,
        least=1,
        most=MOST_AT_ONCE,
        option=("-n", "How many requests, worth having together."),
    )

    def __post_init__(self) -> None:
        n = self.n
        if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= MOST_AT_ONCE:
            raise StudyError(f"n: must be a whole number from 1 to {MOST_AT_ONCE}, got {n!r}")

    def decide(self, draft: Draft) -> list[events.Event]:
        """Return the next n orders; every decision sees those before it as under way."""
        if draft.closed:
            raise StudyError("the study is closed; nothing is asked any more")
        chosen: list[events.Event] = []
        for _ in range(self.n):
            choice = draft.choose()
            if choice is None:
                break
            try:
                asked = _asked(draft, choice)
                draft.attempt(asked)
            except PurchaseError:
                if not chosen:
                    raise
                break  # an order that the rest of the money does not pay ends the list
            chosen.append(asked)
        return chosen


def _asked(draft: Draft, choice: Choice) -> events.Asked:
    problem, action = draft.state.problem, choice.action
    for order in choice.order.shortened():  # no case may be able to give all of them
        case = draft.pick(order)
        if case is not None:
            break
    else:
        raise StudyError(f"no case is left to buy {problem.features[action.feature].name!r} from")
    scores, compared = worth_keeping(problem, choice)
    return events.Asked(
        case=case,
        label=problem.labels[action.label],
        lines=draft.lines_of(case, order.features),
        scores=scores,
        compared=compared,
        reason=choice.reason,
        engine=choice.engine,
        policy=draft.created.policy,
        parameters=draft.created.parameters,
        package=draft.package,
    )


def worth_keeping(
    problem: Problem, choice: Choice
) -> tuple[tuple[tuple[str, str, float], ...], events.Spread | None]:
    """Return the best of the scores with the chosen one, and what all of them were like.

    With a thousand features all of them would be forty kilobytes for each request.
    """
    if not choice.scores:
        return (), None
    ranked = sorted((float(score), tuple(cell)) for cell, score in choice.scores.items())
    kept = ranked[:KEPT_SCORES]
    chosen = (float(choice.scores[choice.action]), tuple(choice.action))
    if chosen not in kept:
        kept = sorted([*kept[:-1], chosen])
    spread = events.Spread(
        len(ranked),
        ranked[0][0],
        math.fsum(score for score, _ in ranked) / len(ranked),
        ranked[-1][0],
    )
    return tuple(
        (problem.features[feature].name, problem.labels[label], score)
        for score, (feature, label) in kept
    ), spread


def why_fewer(asked: Sequence[Requested], wanted: int, state: State) -> str:
    """Return why fewer requests than wanted were asked for; nothing if there are enough.

    Parameters
    ----------
    asked, wanted
        Those that were asked for, and how many should have been.
    state
        Of the study with them.
    """
    from budgeted.problem import money

    orders = len({each.order for each in asked})
    if orders >= wanted:
        return ""
    begin = f"{wanted} were asked for; " if wanted > 1 else ""
    if state.problem.has_prices and state.affordable():
        return f"{begin}the policy wants no more now"
    nothing = why_nothing(state)
    if not asked:
        return f"{begin}{nothing}"
    if not (state.cases_left > 0).any():
        return f"{begin}{nothing}"
    free = state.free
    for each in asked:
        free = money.add(free, each.cost)
    return f"{begin}the free money ({money.show(free)}) pays for {orders}"


def why_nothing(state: State) -> str:
    """Return why nothing can be asked for; nothing if something can."""
    from budgeted.problem import money
    from budgeted.problem.prices import NotInstalled

    if isinstance(state.problem.prices, NotInstalled):
        return state.problem.prices.words
    if state.affordable():
        return ""
    if not (state.cases_left > 0).any():
        return "every value of every case was bought, asked for, or cannot be had"
    cheapest = min(
        state.price(action) for action in state.problem.actions if state.cases_left[action] > 0
    )
    return f"{money.show(state.free)} are free, and the cheapest value costs {money.show(cheapest)}"
