"""The cards of a study: requests under way, and those that were settled while a page shows them."""

from __future__ import annotations

from collections.abc import Collection

from pydantic import Field

from budgeted.studies.commands.slips import outcome, outcome_digest
from budgeted.studies.events import Entry, numbers_of
from budgeted.studies.fates import PENDING
from budgeted.studies.snapshot import Snapshot
from budgeted.studies.study import Requested
from budgeted.web.views.parts import (
    RequestView,
    View,
    is_undoable,
    people_time,
    request_of,
)


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


class CardsView(View):
    """The cards of a page, by number."""

    archived: bool = Field(description="whether the study is in the archive: nothing can be told")
    pending: list[RequestView]
    settled: list[SettledView] = Field(description="of those that the page shows")


def cards_view(study: Snapshot, shown: tuple[int, ...]) -> CardsView:
    """Return the requests under way, and what became of others that a page shows.

    Parameters
    ----------
    study
        At the moment.
    shown
        Numbers of the cards on the page.
    """
    over = [
        study.numbered[number]
        for number in sorted(set(shown))
        if number in study.numbered and study.numbered[number].fate != PENDING
    ]
    last = _last_entries(study, {each.number for each in over})
    return CardsView(
        archived=study.archived,
        pending=[request_of(each, study.state.problem) for each in study.requests(PENDING)],
        settled=[settled_of(study, each, last.get(each.number)) for each in over],
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


def _last_entries(study: Snapshot, numbers: Collection[int]) -> dict[int, Entry]:
    """The last event about each of some requests."""
    found: dict[int, Entry] = {}
    for entry in reversed(study.entries):
        if len(found) == len(numbers):
            break
        for number in numbers_of(entry.event):
            if number in numbers:
                found.setdefault(number, entry)
    return found
