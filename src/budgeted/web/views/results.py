"""The table in which many results are entered, and what writing them down would do."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from pydantic import Field

from budgeted.problem import Feature, money
from budgeted.problem.money import show
from budgeted.studies.commands.slips import outcome_digest
from budgeted.studies.events import PENDING, RECORDED, TOLD, numbers_of
from budgeted.studies.notes import Noted
from budgeted.studies.results.preview import DOUBTFUL, RECORD, REFUSED, SAME, TELL, Preview
from budgeted.studies.snapshot import Snapshot
from budgeted.studies.study import Requested
from budgeted.web.hints import words
from budgeted.web.views.parts import View
from budgeted.web.views.studies import StudyCard, card_of

ROWS, COLUMNS = 25, 12
"""Cases and tests that are shown at once."""
_MOST_CHOICES = 50
_MOST_LINES = 100
DUE, KNOWN, OPEN, GONE = "due", "known", "open", "gone"


class ColumnView(View):
    """A test that results can be entered for."""

    name: str
    expects: str
    choices: list[str] = Field(description="what can be told, at most 50; empty: people write it")
    unit: str
    numeric: bool
    due: int = Field(description="requests under way")


class ResultCell(View):
    """What is known of a test of a case."""

    state: str = Field(description="due, known, open (nobody asked for it) or gone (withdrawn)")
    value: str = Field(description="what is known; empty if nothing is")
    number: int | None = Field(description="of the request or value")
    cost: str = Field(description="what is reserved, where it is due")


class ResultRow(View):
    """A case."""

    case: str
    cells: list[ResultCell] = Field(description="one for each test that is shown")


class ResultsView(View):
    """A part of the table of cases and tests: at most 25 rows and 12 columns."""

    study: StudyCard
    seq: int
    columns: list[ColumnView]
    rows: list[ResultRow]
    find: str = Field(description="what the names of the tests hold")
    tests: int = Field(description="how many there are of these")
    tests_page: int
    tests_pages: int
    cases: int = Field(description="with something due, or added")
    page: int
    pages: int
    due: int = Field(description="requests under way in all")


class PreviewLine(View):
    """What becomes of one result."""

    at: int
    place: str = Field(description="the line of the file")
    case: str
    feature: str
    value: str
    note: str
    becomes: str = Field(examples=["told", "recorded", "known", "doubtful", "refused"])
    cost: str
    why: str
    correct: int | None = Field(description="number of the value that would have to be corrected")


class ResultPreview(View):
    """What writing down some results would do, before anything is written."""

    told: int
    recorded: int
    known: int
    doubtful: int
    refused: int
    charged: str
    spent: list[str] = Field(description="now and then")
    reserved: list[str]
    free: list[str]
    attention: list[PreviewLine] = Field(description="refused and doubtful ones, at most 100")
    lines: list[PreviewLine] = Field(description="the others, at most 100")
    digest: str = Field(description="of what becomes of each")


class WrittenView(View):
    """What a batch wrote down, and whether it can be taken back."""

    key: str
    told: int
    recorded: int
    notes: int
    charged: str
    by: str
    at: str
    shown: list[str] = Field(description="number and digest of each value")
    changed: list[str] = Field(description="values to which something happened since")
    undone: bool


def results_view(
    study: Snapshot, find: str, tests_page: int, page: int, added: tuple[str, ...] = ()
) -> ResultsView:
    """Return a part of the table."""
    pending = study.requests(PENDING)
    due: dict[str, int] = {}
    for each in pending:
        due[each.feature] = due.get(each.feature, 0) + 1
    wanted = [
        each for each in study.state.problem.features if find.casefold() in each.name.casefold()
    ]
    wanted.sort(key=lambda each: each.name not in due)  # those that are waited for come first
    cases = list(dict.fromkeys([*(each.case for each in pending), *added]))
    features, tests_page, tests_pages = _page(wanted, tests_page, COLUMNS)
    rows, page, pages = _page(cases, page, ROWS)
    held = _held(study, set(rows))
    return ResultsView(
        study=card_of(study),
        seq=study.events,
        columns=[_column(each, due.get(each.name, 0)) for each in features],
        rows=[
            ResultRow(
                case=case,
                cells=[_cell(held.get((case, each.name)), case in study.withdrawn)
                       for each in features],
            )
            for case in rows
        ],
        find=find,
        tests=len(wanted),
        tests_page=tests_page,
        tests_pages=tests_pages,
        cases=len(cases),
        page=page,
        pages=pages,
        due=len(pending),
    )  # fmt: skip


def entry_cells(
    study: Snapshot, rows: Sequence[str], columns: Sequence[str]
) -> list[list[dict[str, Any]]]:
    """Return what is known of some tests of some cases, row by row."""
    held = _held(study, set(rows))
    return [
        [_cell(held.get((case, test)), case in study.withdrawn).model_dump() for test in columns]
        for case in rows
    ]


def page_of(study: Snapshot, case: str, added: Sequence[str]) -> int:
    """Return the page of the table that a case is on."""
    cases = list(dict.fromkeys([*(each.case for each in study.requests(PENDING)), *added]))
    return cases.index(case) // ROWS + 1 if case in cases else 1


def preview_of(seen: Preview, places: Sequence[str]) -> ResultPreview:
    """Return what becomes of results; `places` says where each comes from."""
    lines = [_line(at, place, each) for at, (place, each)
             in enumerate(zip(places, seen.outcomes, strict=True))]  # fmt: skip
    wrong = [each for each in lines if each.becomes in (DOUBTFUL, REFUSED)]
    right = [each for each in lines if each.becomes not in (DOUBTFUL, REFUSED)]
    spent, reserved, free = (
        [show(now), show(then)] for now, then in zip(seen.before, seen.after, strict=True)
    )
    return ResultPreview(
        told=seen.count(TELL),
        recorded=seen.count(RECORD),
        known=seen.count(SAME),
        doubtful=seen.count(DOUBTFUL),
        refused=seen.count(REFUSED),
        charged=show(seen.charged),
        spent=spent,
        reserved=reserved,
        free=free,
        attention=wrong[:_MOST_LINES],
        lines=right[:_MOST_LINES],
        digest=digest_of(seen),
    )


def digest_of(seen: Preview) -> str:
    """Return by what it is known what somebody was shown before writing it down."""
    held = [[each.fate, each.number, str(each.cost)] for each in seen.outcomes]
    return hashlib.sha256(json.dumps(held).encode()).hexdigest()[:16]


def written_view(study: Snapshot, key: str) -> WrittenView | None:
    """Return what was written down with a key; None if nothing was."""
    mine = [entry for entry in study.entries if key and entry.key == key]
    numbers = list(dict.fromkeys(
        number for entry in mine if entry.event.kind in (TOLD, RECORDED)
        for number in numbers_of(entry.event)
    ))  # fmt: skip
    if not mine:
        return None
    values = [study.request(number) for number in numbers]
    last = mine[-1].seq
    later = {
        number for entry in study.entries[last:] if not isinstance(entry.event, Noted)
        for number in numbers_of(entry.event)
    }  # fmt: skip
    changed = [each for each in values if each.number in later]
    gone = [each for each in values if each.fate not in (TOLD, RECORDED)]
    costs = [entry.event.cost for entry in mine if hasattr(entry.event, "cost")]
    return WrittenView(
        key=key,
        told=sum(entry.event.kind == TOLD for entry in mine),
        recorded=sum(entry.event.kind == RECORDED for entry in mine),
        notes=sum(isinstance(entry.event, Noted) for entry in mine),
        charged=show(money.total(costs)),
        by=mine[0].by,
        at=mine[0].at,
        shown=[f"{each.number}:{outcome_digest(each)}" for each in values],
        changed=[f"{each.feature} of {each.case}" for each in changed if each not in gone],
        undone=bool(values) and len(gone) == len(values),
    )


def _page(every: Sequence[Any], page: int, size: int) -> tuple[list[Any], int, int]:
    pages = max(1, -(-len(every) // size))
    page = min(max(1, page), pages)
    return list(every[(page - 1) * size : page * size]), page, pages


def _held(study: Snapshot, cases: set[str]) -> dict[tuple[str, str], Requested]:
    return {(each.case, each.feature): each for each in study.requests()
            if each.case in cases and each.fate in (PENDING, TOLD, RECORDED)}  # fmt: skip


def _cell(held: Requested | None, withdrawn: bool) -> ResultCell:
    if held is None:
        return ResultCell(state=GONE if withdrawn else OPEN, value="", number=None, cost="")
    if held.fate == PENDING:
        return ResultCell(state=DUE, value="", number=held.number, cost=show(held.cost))
    value = "no value" if held.value is None else held.value
    return ResultCell(state=KNOWN, value=value, number=held.number, cost="")


def _column(feature: Feature, due: int) -> ColumnView:
    return ColumnView(
        name=feature.name,
        expects=feature.expects,
        choices=list(feature.choices[:_MOST_CHOICES]),
        unit=getattr(feature.kind, "unit", "") or "",
        numeric=not feature.choices,
        due=due,
    )


def _line(at: int, place: str, each: Any) -> PreviewLine:
    given = each.result
    plain = isinstance(given, tuple | list)
    case, feature, value, note = (
        str(given[at]) if plain and len(given) > at else "" for at in (0, 1, 2, 4)
    )
    return PreviewLine(
        at=at,
        place=place,
        case=case,
        feature=feature,
        value=value,
        note=note,
        becomes=each.fate,
        cost=show(each.cost) if each.fate in (TELL, RECORD) else "",
        why="" if each.error is None else "; ".join(words(each.error)),
        correct=each.correction,
    )
