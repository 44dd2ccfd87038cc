"""One case: all that is known, asked, failed and ruled out, with who and when, and its money."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import TypeVar

from pydantic import Field

from budgeted.errors import UnknownError
from budgeted.problem.money import show
from budgeted.studies.availability import RuledOut
from budgeted.studies.case_records import UNAVAILABLE, CaseRecord, remaining
from budgeted.studies.commands.slips import outcome_digest
from budgeted.studies.event_columns import lines_of
from budgeted.studies.events import FAILED, RECORDED, TOLD, Entry
from budgeted.studies.projection import Requested
from budgeted.studies.snapshot import Snapshot
from budgeted.studies.tables import NOTED, blinded, sentence
from budgeted.web.views.cases import CaseLine, line_of
from budgeted.web.views.parts import View, is_undoable, people_time
from budgeted.web.views.studies import StudyCard, card_of
from budgeted.web.views.study import CellsView, CellView, FeatureView, feature_of

PER_PAGE = 25
_MOST_EVENTS = 15
_MOST_CHOICES = 50
KINDS = ("open", "pending", "known", UNAVAILABLE)


class TestLine(View):
    """A test of a case, and what became of it."""

    __test__ = False  # no test of this package

    feature: str
    kind: str = Field(examples=list(KINDS))
    value: str | None
    category: str = Field(description="what a number counts as; empty where it is the value")
    unit: str = Field(description="unit and cuts in words, or empty")
    number: int | None = Field(description="of the last request or recorded value")
    fate: str
    money: str = Field(description="charged or reserved; empty where there was no request")
    price: str = Field(description="by the list, without fees, where it is open; else empty")
    at: str
    when: str
    by: str
    why: str
    failures: int = Field(description="requests that brought no value")
    correctable: bool
    undoes: str = Field(description="digest of what can be taken back; empty if nothing can be")
    forced: bool = Field(description="it cannot be had, and may be allowed again")


class CaseEvent(View):
    """A line of the log that is about the case."""

    seq: int
    at: str
    when: str
    by: str
    kind: str
    words: str


class CaseView(View):
    """Everything about one case."""

    study: StudyCard
    seq: int
    case: CaseLine
    features: int
    withdrawn: str = Field(description="when, by whom and why it was taken out; empty if it is in")
    forgotten: bool
    left: int = Field(description="tests that could still be measured")
    left_cost: str = Field(description="of all of them together; empty where it is not known")
    tests: list[TestLine]
    total: int = Field(description="tests that pass the filter")
    page: int
    pages: int
    text: str
    kind: str
    kinds: list[str]
    notes: list[CaseEvent] = Field(description="what people wrote about it, the newest first")
    events: list[CaseEvent] = Field(description="the newest first")
    events_total: int
    chosen: FeatureView | None = Field(description="the test that a value is recorded of")
    choices: list[str] = Field(description="tests without a value, the first ones")


def case_view(
    study: Snapshot,
    case: str,
    labels: bool,
    text: str,
    kind: str,
    chosen: str,
    page: int,
    day: date,
) -> CaseView:
    """Return the page of a case."""
    record = study.case_records.get(case)
    if record is None:
        raise UnknownError(f"there is no case {case!r}")
    problem = study.state.problem
    names = [each.name for each in problem.features]
    wanted = text.strip().casefold()
    shown = [
        name
        for name in names
        if (not wanted or wanted in name.casefold()) and kind in ("", record.kind_of(name))
    ]
    pages = max(1, -(-len(shown) // PER_PAGE))
    page = min(max(1, page), pages)
    left = remaining(study, record, day)
    gone = record.withdrawn
    return CaseView(
        study=card_of(study),
        seq=study.events,
        case=line_of(study, record, labels),
        features=len(names),
        withdrawn="" if gone is None else _said(gone.by, gone.at, getattr(gone.event, "why", "")),
        forgotten=record.forgotten,
        left=len(left.features),
        left_cost="" if left.cost is None else show(left.cost),
        tests=_tests(study, record, shown[(page - 1) * PER_PAGE : page * PER_PAGE]),
        total=len(shown),
        page=page,
        pages=pages,
        text=text,
        kind=kind,
        kinds=list(KINDS),
        notes=_events(
            study, record, labels, [each for each in record.entries if each.event.kind == NOTED]
        ),
        events=_events(study, record, labels, record.entries),
        events_total=len(record.entries),
        chosen=feature_of(problem, names.index(chosen)) if chosen in names else None,
        choices=[name for name in names if name not in record.held][:_MOST_CHOICES],
    )


def _tests(study: Snapshot, record: CaseRecord, names: list[str]) -> list[TestLine]:
    of_feature: dict[str, list[Requested]] = {}
    for each in record.requests:
        of_feature.setdefault(each.feature, []).append(each)
    settled = {number: entry for entry in record.entries
               if (number := getattr(entry.event, "number", None)) is not None}  # fmt: skip
    problem = study.state.problem
    lines = []
    for name in names:
        at = problem.feature_index(name)
        feature = problem.features[at]
        mine = of_feature.get(name, [])
        last = record.held.get(name) or (mine[-1] if mine else None)
        ruled = record.unavailable.get(name)
        entry = ruled or (settled.get(last.number) if last else None)
        kind = record.kind_of(name)
        value = None if last is None else last.value
        category = "" if value is None else feature.values[feature.category(value)]
        price = problem.feature_prices[at] if kind == "open" and problem.has_prices else None
        lines.append(
            TestLine(
                feature=name,
                kind=kind,
                value=value,
                category=category if category != value else "",
                unit=feature.scale,
                number=last.number if last else None,
                fate="ruled out" if ruled and isinstance(ruled.event, RuledOut) else
                (last.fate if last else ""),
                money=show(last.cost) if last else "",
                price="" if price is None else show(price),
                at=entry.at if entry else (last.at if last else ""),
                when=people_time(entry.at) if entry else (people_time(last.at) if last else ""),
                by=entry.by if entry else (last.by if last else ""),
                why=str(getattr(entry.event, "why", "")) if entry else "",
                failures=sum(each.fate == FAILED for each in mine),
                correctable=last is not None and last.fate in (TOLD, RECORDED),
                undoes=outcome_digest(last) if last and is_undoable(study, last) else "",
                forced=kind == UNAVAILABLE and not record.withdrawn,
            )
        )  # fmt: skip
    return lines


def _events(
    study: Snapshot, record: CaseRecord, labels: bool, entries: list[Entry]
) -> list[CaseEvent]:
    return [
        CaseEvent(
            seq=entry.seq,
            at=entry.at,
            when=people_time(entry.at),
            by=entry.by,
            kind=entry.event.kind,
            words=sentence(entry, labels) or _columns(study, record, entry),
        )
        for entry in reversed(entries[-_MOST_EVENTS:])
    ]


def _columns(study: Snapshot, record: CaseRecord, entry: Entry) -> str:
    """An event in words that do not tell the label."""
    lines = [blinded(each, entry) for each in lines_of(entry.event, study.numbered)]
    told = [f"{each.feature} {each.value} {each.amount}".strip() for each in lines
            if each.case == record.name]  # fmt: skip
    return ", ".join(told)


def _said(by: str, at: str, why: str) -> str:
    return f"{by}, {people_time(at)}" + (f": {why}" if why else "")


PER_PAGE = 25
MOST_NAMES = 50

Row = TypeVar("Row")


class CellRows(View):
    """A page of the table of cells, in the sequence of the study."""

    rows: list[CellView]
    total: int = Field(description="cells whose features were found")
    page: int
    pages: int
    search: str


class FeatureNames(View):
    """Features to choose from: those whose names begin with what was typed come first."""

    names: list[str] = Field(description="at most 50")
    total: int = Field(description="how many were found")


def rows_of(view: CellsView, search: str, page: int) -> CellRows:
    """Return a page of the cells whose features have a text in their names."""
    wanted = search.strip().casefold()
    found = [cell for cell in view.cells if wanted in cell.feature.casefold()]
    rows, page, pages = page_of(found, page)
    return CellRows(rows=rows, total=len(found), page=page, pages=pages, search=search.strip())


def page_of(
    every: Sequence[Row], page: int, per_page: int = PER_PAGE
) -> tuple[list[Row], int, int]:
    """Return a page of some rows, its number and how many there are.

    Behind the last page is the last one.

    >>> page_of(range(60), 3), page_of([], 2)
    (([50, 51, 52, 53, 54, 55, 56, 57, 58, 59], 3, 3), ([], 1, 1))
    """
    pages = max(1, -(-len(every) // per_page))
    page = min(max(1, page), pages)
    return list(every[(page - 1) * per_page : page * per_page]), page, pages


def features_found(study: Snapshot, search: str) -> FeatureNames:
    """Return features whose names have a text in them."""
    found = matching(study, search)
    return FeatureNames(names=found[:MOST_NAMES], total=len(found))


def matching(study: Snapshot, search: str) -> list[str]:
    """Return the names of the features that a text finds: that very one, or those that hold it."""
    wanted = search.strip().casefold()
    names = [each.name for each in study.state.problem.features]
    found = [name for name in names if wanted in name.casefold()]
    return sorted(
        found, key=lambda name: (name.casefold() != wanted, not name.casefold().startswith(wanted))
    )
