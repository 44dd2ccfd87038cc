"""The log of a study: every event, who and when."""

from __future__ import annotations

from collections.abc import Mapping

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

PER_PAGE = 100
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
    features: list[str]


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
    shown = chosen[::-1][(page - 1) * PER_PAGE : page * PER_PAGE]
    undone = {
        entry.event.number: entry.seq for entry in study.entries if isinstance(entry.event, Undone)
    }
    last = {number: entry.seq for entry in study.entries for number in numbers_of(entry.event)}
    return HistoryView(
        study=card_of(study),
        seq=study.events,
        lines=[_line(study, entry, undone, last) for entry in shown],
        total=len(chosen),
        page=page,
        pages=pages,
        text=text,
        kind=kind,
        who=who,
        feature=feature,
        case=case,
        features=[each.name for each in study.state.problem.features],
        kinds=_kinds(study),
        people=sorted({entry.by for entry in study.entries}),
    )


def _kinds(study: Snapshot) -> list[str]:
    """Return the kinds of events that there are: the usual ones first."""
    found = {entry.event.kind for entry in study.entries}
    return [*(each for each in KINDS if each in found), *sorted(found.difference(KINDS))]


def filtered(
    study: Snapshot, text: str, kind: str, who: str, feature: str, case: str
) -> list[Entry]:
    """Return the events that a filter lets through."""
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
    label = () if study.blind else ("label",)
    return as_csv(
        ("number", "case", *label, "feature", "cost", "asked_at", "asked_by", "why", "value"),
        [
            (str(each.number), each.case, *(each.label for _ in label), each.feature,
             str(each.cost), each.at, each.by, each.why, "")
            for each in study.requests("pending")
        ],
    )  # fmt: skip


def _line(
    study: Snapshot, entry: Entry, undone: Mapping[int, int], last: Mapping[int, int]
) -> HistoryLine:
    shown = event_of(entry)
    if shown.number is None:
        return HistoryLine(event=shown, request=None, corrects=False)
    found = study.request(shown.number)
    request = request_of(found, study.state.problem)
    undoable = shown.seq == last[shown.number] and is_undoable(study, found)
    brought = shown.kind in ("told", "recorded", "corrected")
    brought &= shown.seq > undone.get(shown.number, 0)  # what was undone is no value any more
    return HistoryLine(
        event=shown,
        request=request,
        corrects=brought and request.correctable and not study.archived,
        undoes=outcome_digest(found) if undoable else "",
    )


def _case(study: Snapshot, event: EventView) -> str:
    if event.case is not None:
        return event.case
    return "" if event.number is None else study.request(event.number).case
