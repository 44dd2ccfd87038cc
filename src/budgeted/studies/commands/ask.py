"""Ask: what to buy next."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from budgeted.errors import PurchaseError, StudyError
from budgeted.studies import events
from budgeted.studies.commands.base import LONGEST_NAME, Amount, Command, amount, parameter

if TYPE_CHECKING:
    from budgeted.policies import Choice
    from budgeted.problem import Order, Problem
    from budgeted.state import State
    from budgeted.studies.drafts import Draft
    from budgeted.studies.projection import Requested
    from budgeted.studies.weighing import Weighing
    from budgeted.studies.wishes import Wishes

KEPT_SCORES = 12
"""Of the scores of a decision."""
MOST_AT_ONCE = 10_000
"""Requests of one `Ask`; more is a slip of the finger."""


@dataclass(frozen=True)
class Ask(Command):
    """Say what to buy next, and reserve the money for it."""

    name: ClassVar[str] = "ask"
    late: ClassVar[bool] = True
    sized_by: ClassVar[tuple[str, ...]] = ("n", "visits")
    n: int = parameter(
        "How many orders, worth having together.",
        1,
        least=1,
        most=MOST_AT_ONCE,
        option=("-n", "How many orders, worth having together."),
    )

    visits: int | None = parameter(
        "Instead of a number of orders: all that is worth asking of so many cases.",
        None,
        least=1,
        most=MOST_AT_ONCE,
    )
    case: str | None = parameter(
        "Ask only this case: the one who is here now.", None, longest=LONGEST_NAME
    )
    only: Sequence[str] = parameter("Order only this feature; can be given several times.", ())
    without: Sequence[str] = parameter(
        "Do not order this feature now; can be given several times.", ()
    )
    at_most: Amount | None = parameter("What all of it together may cost.", None)
    anyway: bool = parameter(
        "Ask though a rule of the study says to stop; the log keeps it.", False
    )

    def __post_init__(self) -> None:
        for name in ("n", "visits"):
            given = getattr(self, name)
            whole = isinstance(given, int) and not isinstance(given, bool)
            if not (whole and 1 <= given <= MOST_AT_ONCE) and (given is not None or name == "n"):
                raise StudyError(
                    f"{name}: must be a whole number from 1 to {MOST_AT_ONCE}, got {given!r}"
                )
        if self.visits is not None and self.n != 1:
            raise StudyError("n and visits: give one of them, so many orders or so many cases")
        for name in ("only", "without"):
            given = getattr(self, name)
            if isinstance(given, str):
                raise StudyError(f"{name}: must be a list of features, got {given!r}")
            object.__setattr__(self, name, tuple(given))

    def decide(self, draft: Draft) -> list[events.Event]:
        """Return the next orders; every decision sees those before it as under way."""
        if draft.closed:
            raise StudyError("the study is closed; nothing is asked any more")
        wishes = self.wishes(draft)
        written: list[events.Event] = []
        placed, cases = 0, set[str]()
        weighing = _weighing(draft, self.anyway)
        while placed < (MOST_AT_ONCE if self.visits else self.n):
            choice = draft.choose(wishes)
            if choice is None:
                break
            if weighing is not None:
                weighed = weighing.before_order()
                written += [] if weighed is None else [weighed]
                if draft.stopped:
                    break
            try:
                asked = ordered(draft, choice, wishes)
                if self.visits is not None and len(cases | {asked.case}) > self.visits:
                    break
                draft.attempt(asked)
            except PurchaseError:
                if not placed:
                    raise
                break  # an order that the rest of the money does not pay ends the list
            written.append(asked)
            placed += 1
            cases.add(asked.case)
            wishes = None if wishes is None else wishes.after(asked)
        return written

    @property
    def narrowed(self) -> bool:
        """Whether there are wishes, so that less can be ordered than there is."""
        return self.case is not None or bool(self.only or self.without or self.at_most is not None)

    def wishes(self, draft: Draft) -> Wishes | None:
        """Return what may be ordered, after checking that there is such a case and feature."""
        if not self.narrowed:
            return None
        from budgeted.studies.wishes import Wishes

        case = None if self.case is None else draft.names.case(self.case)
        if case is not None and case in draft.withdrawn:
            raise StudyError(f"case {case!r} is withdrawn; nothing can be bought from it any more")
        features = None
        if self.only or self.without:
            known = draft.names.columns
            only = {known[draft.names.feature(each)] for each in self.only} or set(known.values())
            features = frozenset(only - {known[draft.names.feature(each)] for each in self.without})
        limit = None if self.at_most is None else amount("at_most", self.at_most)
        return Wishes(case, features, limit)


def _weighing(draft: Draft, anyway: bool) -> Weighing | None:
    """What weighs the rules for stopping of a study; None if it has none."""
    if draft.stop is None:
        return None
    from budgeted.studies.weighing import Weighing

    return Weighing(draft, anyway)


def ordered(draft: Draft, choice: Choice, wishes: Wishes | None = None) -> events.Asked:
    """Return the order that a choice leads to.

    It is placed with the case where it costs least, and among those by the rule of the study. Where
    no case can give all of its features, or the money does not pay for all, its last ones are left
    out; what makes it no dearer comes along.
    """
    problem, state = draft.state.problem, draft.state
    most = state.free if wishes is None or wishes.at_most is None else wishes.at_most
    found = None
    for part in choice.order.shortened():
        case = draft.pick(part, None if wishes is None else wishes.case)
        if case is None:
            continue
        found = draft.placed(part, case, None if wishes is None else wishes.features)
        lines = draft.lines_of(found)
        if sum(line.cost for line in lines) <= min(most, state.free):
            break
    if found is None:
        name = problem.features[choice.action.feature].name
        raise StudyError(f"no case is left to buy {name!r} from")
    total = sum(line.cost for line in lines)
    if wishes is not None and wishes.at_most is not None and total > wishes.at_most:
        raise PurchaseError(f"it costs {total}, and no more than {wishes.at_most} is to be spent")
    scores, compared = worth_keeping(problem, choice)
    return events.Asked(
        case=str(found.case),
        label=problem.labels[found.label],
        lines=lines,
        scores=scores,
        compared=compared,
        reason="; ".join(
            [choice.reason, *_why_together(draft, found, choice), *_surcharge(draft, lines)]
        ),
        engine=choice.engine,
        policy=draft.created.policy,
        parameters=draft.created.parameters,
        package=draft.package,
    )


def _surcharge(draft: Draft, lines: Sequence[events.Line]) -> list[str]:
    if draft.state.problem.soft is None:
        return []
    from budgeted.problem import money
    from budgeted.studies.budget_terms import surcharge_words

    return surcharge_words(draft.state, money.total([line.cost for line in lines]))


def _why_together(draft: Draft, order: Order, choice: Choice) -> list[str]:
    if draft.state.problem.separable:
        return []
    from budgeted.studies.accounts import why_together

    return why_together(draft, order, set(choice.order.features))


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


def why_fewer(asked: Sequence[Requested], command: Ask, state: State, stopped: str = "") -> str:
    """Return why fewer orders than wanted were placed; nothing if there are enough."""
    from budgeted.problem import money

    if command.visits is None:
        placed, wanted = len({each.order for each in asked}), command.n
    else:
        placed, wanted = len({each.case for each in asked}), command.visits
    if placed >= wanted:
        return ""
    begin = f"{wanted} were asked for; " if wanted > 1 else ""
    if stopped:
        return f"{begin}{stopped}"
    if state.problem.has_prices and state.affordable():
        if command.narrowed:
            return f"{begin}nothing else that was wished for can be had, or it costs too much"
        return f"{begin}the policy wants no more now"
    nothing = why_nothing(state)
    if not asked or not (state.cases_left > 0).any():
        return f"{begin}{nothing}"
    free = state.free
    for each in asked:
        free = money.add(free, each.cost)
    return f"{begin}the free money ({money.show(free)}) pays for {placed}"


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
