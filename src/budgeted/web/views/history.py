"""The log of a study: every event, who and when."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from budgeted.addresses import segment
from budgeted.studies.commands.slips import outcome_digest
from budgeted.studies.event_columns import EventLine, lines_of
from budgeted.studies.events import Entry, Event, Undone, numbers_of
from budgeted.studies.growth import CasesAdded, FeatureAdded
from budgeted.studies.log import as_csv
from budgeted.studies.snapshot import Snapshot
from budgeted.studies.tables import blinded, event_table, sentence
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
_MOST_LINES = 6
"""Of an event that is about many things; the rest is counted."""


class ColumnsView(View):
    """What an event, or one line of it, is about; what it says nothing of is empty."""

    number: int | None
    case: str
    quoted: str = Field(description="the name of the case as a part of an address")
    label: str = Field(description="empty for who must not know it")
    feature: str
    value: str
    before: str
    amount: str
    amount_before: str
    reason: str


class HistoryLine(View):
    """An event, with the request that it is about as it is now."""

    event: EventView
    columns: list[ColumnsView] = Field(description="a line for each thing, the first few")
    columns_more: int = Field(default=0, description="how many lines more there are")
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
    study: Snapshot,
    text: str,
    kind: str,
    who: str,
    feature: str,
    case: str,
    page: int,
    labels: bool = True,
) -> HistoryView:
    """Return a page of the log."""
    chosen = filtered(study, text, kind, who, feature, case, labels)
    pages = max(1, -(-len(chosen) // PER_PAGE))
    page = min(max(1, page), pages)
    end = len(chosen) - (page - 1) * PER_PAGE
    shown = chosen[max(0, end - PER_PAGE) : end][::-1]
    return HistoryView(
        study=card_of(study),
        seq=study.events,
        lines=[line_of(study, entry, labels) for entry in shown],
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


def recent_lines(study: Snapshot, number: int, labels: bool = True) -> tuple[HistoryLine, ...]:
    """Return the last so many events, the newest first."""
    return tuple(line_of(study, entry, labels) for entry in study.entries[-number:][::-1])


def _kinds(study: Snapshot) -> list[str]:
    """Return the kinds of events that there are: the usual ones first."""
    found = set(study.entries.kinds)
    return [*(each for each in KINDS if each in found), *sorted(found.difference(KINDS))]


def filtered(
    study: Snapshot,
    text: str,
    kind: str,
    who: str,
    feature: str,
    case: str,
    labels: bool = True,
) -> Sequence[Entry]:
    """Return the events that a filter lets through; who is blind searches what he is shown."""
    if not (text or kind or who or feature or case):
        return study.entries
    wanted = text.casefold()
    return [
        entry
        for entry in study.entries
        if kind in ("", entry.event.kind)
        and who in ("", entry.by)
        and (not wanted or wanted in sentence(entry, labels).casefold())
        and (not (feature or case) or _is_about(study, entry, feature, case))
    ]


def history_csv(
    study: Snapshot,
    text: str,
    kind: str,
    who: str,
    feature: str,
    case: str,
    labels: bool = True,
) -> str:
    """Return the log as CSV, oldest first, safe to open in a spreadsheet."""
    chosen = filtered(study, text, kind, who, feature, case, labels)
    return event_table(study, labels, chosen).to_csv()


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


def line_of(study: Snapshot, entry: Entry, labels: bool = True) -> HistoryLine:
    """Return an event, with the request that it is about as it is now."""
    shown = event_of(entry).model_copy(update={"words": sentence(entry, labels)})
    lines = lines_of(entry.event, study.numbered)
    columns = [_columns(line if labels else blinded(line, entry)) for line in lines[:_MOST_LINES]]
    more = len(lines) - len(columns)
    if shown.number is None:
        return HistoryLine(
            event=shown, columns=columns, columns_more=more, request=None, corrects=False
        )
    found = study.request(shown.number)
    request = request_of(found, study.state.problem)
    if not labels:
        hidden = {"label": "", "why": "", "compared": [], "compared_more": 0}
        request = request.model_copy(update=hidden)
    about = study.entries.about(shown.number)
    undone = max((each.seq for each in about if isinstance(each.event, Undone)), default=0)
    undoable = shown.seq == about[-1].seq and is_undoable(study, found)
    brought = shown.kind in ("told", "recorded", "corrected")
    brought &= shown.seq > undone  # what was undone is no value any more
    return HistoryLine(
        event=shown,
        columns=columns,
        columns_more=more,
        request=request,
        corrects=brought and request.correctable,
        undoes=outcome_digest(found) if undoable else "",
    )


def _columns(line: EventLine) -> ColumnsView:
    return ColumnsView(**vars(line), quoted=segment(line.case))
