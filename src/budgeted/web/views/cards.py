"""The cards of a study: what is due, visit by visit, and what was settled while a page shows it."""

from __future__ import annotations

from itertools import accumulate

from pydantic import Field

from budgeted.problem import money
from budgeted.studies.commands.slips import outcome, outcome_digest
from budgeted.studies.events import PENDING, Entry
from budgeted.studies.snapshot import Snapshot
from budgeted.studies.study import Requested
from budgeted.web.views.parts import (
    RequestView,
    View,
    is_undoable,
    people_time,
    request_of,
)

VISITS = 12
"""Cases with requests under way that a page shows, unless somebody wants more."""
REQUESTS = 1.5
"""Requests of each of them, on average: a page of panels shows fewer cases."""
UNFOLDED = 6
"""Requests that are shown unfolded."""
LONGEST = 18
"""Requests of one case that are shown at once; the rest comes as these are settled."""


class SettledView(View):
    """A request that is over: what became of it, by whom, and whether that can be undone."""

    number: int
    case: str
    feature: str
    label: str
    fate: str
    value: str | None
    words: str = Field(examples=["anna, 2026-01-05 09:30:00 UTC: low, 4.00 charged."])
    outcome: str = Field(description="digest of what became of it, for who takes it back")
    undoable: bool


class VisitView(View):
    """A case with all that is due for it: what is measured in one visit."""

    number: int = Field(description="of the first request that is due")
    case: str
    label: str
    due: int = Field(description="how many requests are under way")
    cost: str = Field(description="what is reserved for them together")
    requests: list[RequestView] = Field(description="those due, at most so many as a page shows")
    folded: bool = Field(description="whether a page shows it folded, as many are before it")


class CardsView(View):
    """The cards of a page: a case each, with its requests under way."""

    visits: list[VisitView] = Field(description="the first that was asked for comes first")
    more: int = Field(description="further cases with requests under way")
    most: int = Field(description="how many cases are shown, besides those that a page has")
    settled: list[SettledView] = Field(description="of the requests that the page shows")


def cards_view(study: Snapshot, shown: tuple[int, ...], most: int = VISITS) -> CardsView:
    """Return the first cases with requests under way, and all that became of what a page shows."""
    known = [study.numbered[each] for each in sorted(set(shown)) if each in study.numbered]
    over = [each for each in known if each.fate != PENDING]
    due: dict[str, list[Requested]] = {}
    for each in sorted(study.state.pending, key=lambda each: each.number):
        request = study.numbered[each.number]
        due.setdefault(request.case, []).append(request)
    chosen = _chosen(due, {each.case for each in known}, most)
    numbers = {each.number for each in known}
    before = accumulate((len(due[case]) for case in chosen), initial=0)
    return CardsView(
        visits=[
            _visit(study, due[case], numbers, above > 0 and above + len(due[case]) > UNFOLDED)
            for case, above in zip(chosen, before, strict=False)
        ],
        more=len(due) - len(chosen),
        most=most,
        settled=[settled_of(study, each, study.last_about(each.number)) for each in over],
    )


def _chosen(due: dict[str, list[Requested]], shown: set[str], most: int) -> list[str]:
    """Cases for a page: those that it shows, and more, as far as there is room."""
    first = [case for case in due if case in shown]
    visits, requests = len(first), sum(len(due[case]) for case in first)
    chosen = set(first)
    for case, wanted in due.items():
        if case in chosen:
            continue
        if visits and (visits >= most or requests + len(wanted) > REQUESTS * most):
            break
        chosen.add(case)
        visits, requests = visits + 1, requests + len(wanted)
    return [case for case in due if case in chosen]


def _visit(study: Snapshot, due: list[Requested], shown: set[int], folded: bool) -> VisitView:
    problem = study.state.problem
    listed = [each for each in due if each.number in shown]
    listed += [each for each in due if each.number not in shown][: max(0, LONGEST - len(listed))]
    return VisitView(
        number=due[0].number,
        case=due[0].case,
        label=due[0].label,
        due=len(due),
        cost=str(money.total([each.cost for each in due])),
        requests=[
            request_of(each, problem, 0) for each in sorted(listed, key=lambda each: each.number)
        ],
        folded=folded,
    )


def settled_of(study: Snapshot, request: Requested, last: Entry | None) -> SettledView:
    """Return a request that is over, with the event that it was last about."""
    who = "" if last is None else f"{last.by}, {people_time(last.at)}: "
    return SettledView(
        number=request.number,
        case=request.case,
        feature=request.feature,
        label=request.label,
        fate=request.fate,
        value=request.value,
        words=f"{who}{outcome(request)}.",
        outcome=outcome_digest(request),
        undoable=is_undoable(study, request),
    )
