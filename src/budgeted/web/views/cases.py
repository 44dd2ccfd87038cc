"""All cases of a study: searched, filtered, a page at a time; and a list that would add some."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from pydantic import Field

from budgeted.addresses import segment
from budgeted.problem.money import show
from budgeted.studies.arrivals import NEW, REFUSED, THERE, Arrivals, read_arrivals
from budgeted.studies.case_records import CaseRecord
from budgeted.studies.snapshot import Snapshot
from budgeted.studies.tables import Table
from budgeted.web.views.parts import View, people_time
from budgeted.web.views.studies import StudyCard, card_of

PER_PAGE = 25
_MOST_CHOICES = 50
STATES = ("pending", "complete", "incomplete", "untouched", "withdrawn")
SORTS = ("came", "name", "values", "last")
"""As they came, by name, by the number of values (most first), by the last event (newest first)."""
COLUMNS = ("case", "label", "group", "values", "pending", "failed", "spent", "reserved", "state",
           "last_at", "last_by")  # fmt: skip


class CaseLine(View):
    """A case at a glance."""

    case: str
    quoted: str = Field(description="the name as a part of an address")
    label: str = Field(description="empty for who must not know it")
    group: str
    values: int
    pending: int
    failed: int
    spent: str
    reserved: str
    state: str = Field(examples=["withdrawn", "complete", ""])
    last_at: str
    last_when: str
    last_by: str


class CasesView(View):
    """A page of the cases that pass a filter."""

    study: StudyCard
    seq: int
    lines: list[CaseLine]
    total: int = Field(description="cases that pass the filter")
    page: int
    pages: int
    text: str
    label: str
    group: str
    state: str
    sort: str
    labels: list[str] = Field(description="to filter by; none for who must not know them")
    groups: list[str] = Field(description="to filter by, the first ones")
    states: list[str]
    sorts: list[str]


def cases_view(
    study: Snapshot,
    labels: bool,
    text: str,
    label: str,
    group: str,
    state: str,
    sort: str,
    page: int,
) -> CasesView:
    """Return a page of the cases."""
    chosen = filtered(study, labels, text, label, group, state, sort)
    pages = max(1, -(-len(chosen) // PER_PAGE))
    page = min(max(1, page), pages)
    groups = sorted({each.group for each in study.case_records.values() if each.group})
    shown = chosen[(page - 1) * PER_PAGE : page * PER_PAGE]
    return CasesView(
        study=card_of(study),
        seq=study.events,
        lines=[line_of(study, each, labels) for each in shown],
        total=len(chosen),
        page=page,
        pages=pages,
        text=text,
        label=label if labels else "",
        group=group,
        state=state,
        sort=sort if sort in SORTS else SORTS[0],
        labels=list(study.state.problem.labels) if labels else [],
        groups=groups[:_MOST_CHOICES],
        states=list(STATES),
        sorts=list(SORTS),
    )


def filtered(
    study: Snapshot, labels: bool, text: str, label: str, group: str, state: str, sort: str
) -> list[CaseRecord]:
    """Return the cases that a filter lets through, in the order that is wanted."""
    wanted, features = text.strip().casefold(), len(study.state.problem.features)
    is_so = _tests(features).get(state)
    found = [
        each
        for each in study.case_records.values()
        if (not wanted or wanted in each.name.casefold())
        and (not labels or label in ("", each.label))
        and group in ("", each.group)
        and (is_so is None or is_so(each))
    ]
    keys: dict[str, Callable[[CaseRecord], Any]] = {
        "name": lambda each: _natural(each.name),
        "values": lambda each: -each.values,
        "last": lambda each: -each.last.seq,
    }
    return sorted(found, key=keys[sort]) if sort in keys else found


def cases_table(
    study: Snapshot, labels: bool, text: str, label: str, group: str, state: str, sort: str
) -> str:
    """Return the cases that a filter lets through as CSV, safe to open in a spreadsheet."""
    lines = [
        line_of(study, each, labels)
        for each in filtered(study, labels, text, label, group, state, sort)
    ]
    columns = tuple(name for name in COLUMNS if labels or name != "label")
    return Table(
        columns, [tuple(str(getattr(line, name)) for name in columns) for line in lines]
    ).to_csv()


def line_of(study: Snapshot, record: CaseRecord, labels: bool) -> CaseLine:
    """Return a case at a glance."""
    complete = record.is_complete(len(study.state.problem.features))
    last = record.last
    return CaseLine(
        case=record.name,
        quoted=segment(record.name),
        label=record.label if labels else "",
        group=record.group,
        values=record.values,
        pending=record.pending,
        failed=record.failed,
        spent=show(record.spent),
        reserved=show(record.reserved),
        state="withdrawn" if record.withdrawn else "complete" if complete else "",
        last_at=last.at,
        last_when=people_time(last.at),
        last_by=last.by,
    )


def _tests(features: int) -> dict[str, Callable[[CaseRecord], bool]]:
    """What is asked of a case for each of `STATES`."""
    return {
        "pending": lambda each: each.pending > 0,
        "complete": lambda each: each.is_complete(features),
        "incomplete": lambda each: not each.withdrawn and not each.is_complete(features),
        "untouched": lambda each: not each.requests and not each.withdrawn,
        "withdrawn": lambda each: each.withdrawn is not None,
    }


def _natural(name: str) -> tuple[tuple[int, int | str], ...]:
    """How people order names: P9 before P10.

    >>> sorted(["P10", "P9", "Q1"], key=_natural)
    ['P9', 'P10', 'Q1']
    """
    parts: list[tuple[int, int | str]] = []
    digits, letters = "", ""
    for mark in f"{name.casefold()}\0":
        if mark.isascii() and mark.isdigit():
            digits += mark
            if letters:
                parts.append((1, letters))
                letters = ""
            continue
        if digits:
            parts.append((0, int(digits[:300])))
            digits = ""
        letters += mark
    return (*parts, (1, letters))


_MOST_ROWS = 25


class ArrivalView(View):
    """A row of the list."""

    line: int
    case: str
    label: str
    group: str
    verdict: str = Field(examples=[NEW, THERE, REFUSED])
    values: int
    said: list[str]


class ArrivalsView(View):
    """What a list of cases would add; nothing is added yet."""

    study: StudyCard
    rows: list[ArrivalView] = Field(description="the first ones; those that are refused come first")
    total: int
    new: int
    there: int
    refused: int
    values: int
    ignored: list[str] = Field(description="columns that mean nothing here")
    digest: str = Field(description="of what would be added, for who confirms it")


def arrivals_view(study: Snapshot, content: bytes) -> ArrivalsView:
    """Return what a list of cases would add to a study."""
    found = read_arrivals(study, content)
    rows = sorted(found.rows, key=lambda each: each.verdict != REFUSED)[:_MOST_ROWS]
    return ArrivalsView(
        study=card_of(study),
        rows=[
            ArrivalView(
                line=each.line,
                case=each.case,
                label=each.label,
                group=each.group,
                verdict=each.verdict,
                values=each.values,
                said=list(each.said),
            )
            for each in rows
        ],
        total=len(found.rows),
        new=found.number(NEW),
        there=found.number(THERE),
        refused=found.number(REFUSED),
        values=found.values,
        ignored=list(found.ignored),
        digest=digest_of(found),
    )


def digest_of(found: Arrivals) -> str:
    """Return by what is known what would be added."""
    return hashlib.sha256(repr(found.command).encode()).hexdigest()[:16]
