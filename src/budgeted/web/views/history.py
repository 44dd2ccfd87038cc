"""The log of a study: every event, who and when."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from budgeted.studies.commands.slips import outcome_digest
from budgeted.studies.events import Entry, Event, Undone, numbers_of
from budgeted.studies.growth_events import CasesAdded, FeatureAdded
from budgeted.studies.log import as_csv
from budgeted.studies.snapshot import Snapshot
from budgeted.web.views.parts import (
    EventView,
    RequestView,
    View,
    event_of,
    is_undoable,
    request_of,
)
from budgeted.web.views.studies import StudyCard, card_of

PER_PAGE = 25
_MOST_CHOICES = 50
KINDS = ("created", "asked", "told", "failed", "cancelled", "recorded", "corrected", "undone",
         "withdrawn", "budget_changed", "cuts_changed", "closed")  # fmt: skip
COLUMNS = ("event", "at", "by", "kind", "number", "case", "what")


class HistoryLine(View):
    """An event, with the request that it is about as it is now."""

    event: EventView
    request: RequestView | None = Field(description="None for events that are about no request")
    corrects: bool = Field(description="whether its value can be corrected from this line")
    undoes: str = Field(
        default="",
        description="digest of what became of the request, if this line says it and it can be "
        "taken back",
    )


class HistoryView(View):
    """A page of the log, newest first, after a filter."""

    study: StudyCard
    seq: int
    lines: list[HistoryLine]
    total: int = Field(description="events that pass the filter")
    page: int
    pages: int
    text: str
    kind: str
    who: str
    feature: str
    case: str
    kinds: list[str]
    people: list[str]
    features: list[str] = Field(description="to choose from, the first ones")


def history_view(
    study: Snapshot, text: str, kind: str, who: str, feature: str, case: str, page: int
) -> HistoryView:
    """Return a page of the log.

    Parameters
    ----------
    study
        At the moment.
    text, kind, who, feature, case
        Only events whose words hold the text, of this kind, by this person, about a request of
        this feature and case; empty for all.
    page
        From 1; behind the last one is the last one.
    """
    chosen = filtered(study, text, kind, who, feature, case)
    pages = max(1, -(-len(chosen) // PER_PAGE))
    page = min(max(1, page), pages)
    end = len(chosen) - (page - 1) * PER_PAGE
    shown = chosen[max(0, end - PER_PAGE) : end][::-1]
    return HistoryView(
        study=card_of(study),
        seq=study.events,
        lines=[line_of(study, entry) for entry in shown],
        total=len(chosen),
        page=page,
        pages=pages,
        text=text,
        kind=kind,
        who=who,
        feature=feature,
        case=case,
        features=[each.name for each in study.state.problem.features[:_MOST_CHOICES]],
        kinds=_kinds(study),
        people=sorted(study.entries.people),
    )


def recent_lines(study: Snapshot, number: int) -> tuple[HistoryLine, ...]:
    """Return the last so many events, the newest first."""
    return tuple(line_of(study, entry) for entry in study.entries[-number:][::-1])


def _kinds(study: Snapshot) -> list[str]:
    """Return the kinds of events that there are: the usual ones first."""
    found = set(study.entries.kinds)
    return [*(each for each in KINDS if each in found), *sorted(found.difference(KINDS))]


def filtered(
    study: Snapshot, text: str, kind: str, who: str, feature: str, case: str
) -> Sequence[Entry]:
    """Return the events that a filter lets through."""
    if not (text or kind or who or feature or case):
        return study.entries
    wanted = text.casefold()
    return [
        entry
        for entry in study.entries
        if kind in ("", entry.event.kind)
        and who in ("", entry.by)
        and (not wanted or wanted in entry.event.words().casefold())
        and (not (feature or case) or _is_about(study, entry, feature, case))
    ]


def history_csv(study: Snapshot, text: str, kind: str, who: str, feature: str, case: str) -> str:
    """Return the log as CSV, oldest first, safe to open in a spreadsheet."""
    lines = map(event_of, filtered(study, text, kind, who, feature, case))
    return as_csv(
        COLUMNS,
        [
            (str(each.seq), each.at, each.by, each.kind,
             "" if each.number is None else str(each.number), _case(study, each), each.words)
            for each in lines
        ],
    )  # fmt: skip


def _is_about(study: Snapshot, entry: Entry, feature: str, case: str) -> bool:
    numbers = numbers_of(entry.event)
    if not numbers:
        return _is_of(entry.event, feature, case)
    requests = [study.request(number) for number in numbers]
    return any(feature in ("", each.feature) and case in ("", each.case) for each in requests)


def _is_of(event: Event, feature: str, case: str) -> bool:
    """Tell whether an event that is about no request is about a feature and a case."""
    if isinstance(event, CasesAdded):
        return not feature and any(case == each for each, _ in event.cases)
    if isinstance(event, FeatureAdded):
        return not case and event.feature.name == feature
    named = getattr(event, "feature", ""), getattr(event, "case", "")
    return all(wanted in ("", name) for wanted, name in zip((feature, case), named, strict=True))


def worklist_csv(study: Snapshot) -> str:
    """Return the requests under way as CSV, with an empty column for the values."""
    return as_csv(
        ("number", "case", "label", "feature", "cost", "asked_at", "asked_by", "why", "value"),
        [
            (str(each.number), each.case, each.label, each.feature, str(each.cost), each.at,
             each.by, each.why, "")
            for each in study.requests("pending")
        ],
    )  # fmt: skip


def line_of(study: Snapshot, entry: Entry) -> HistoryLine:
    """Return an event, with the request that it is about as it is now."""
    shown = event_of(entry)
    if shown.number is None:
        return HistoryLine(event=shown, request=None, corrects=False)
    found = study.request(shown.number)
    request = request_of(found, study.state.problem)
    about = study.entries.about(shown.number)
    undone = max((each.seq for each in about if isinstance(each.event, Undone)), default=0)
    undoable = shown.seq == about[-1].seq and is_undoable(study, found)
    brought = shown.kind in ("told", "recorded", "corrected")
    brought &= shown.seq > undone  # what was undone is no value any more
    return HistoryLine(
        event=shown,
        request=request,
        corrects=brought and request.correctable,
        undoes=outcome_digest(found) if undoable else "",
    )


def _case(study: Snapshot, event: EventView) -> str:
    if event.case is not None:
        return event.case
    return "" if event.number is None else study.request(event.number).case
