"""What stands in the table of results when it is sent: values that were typed, and where."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from typing import Any

from starlette.datastructures import FormData

from budgeted.errors import StudyError
from budgeted.problem.names import spelled
from budgeted.studies.commands import Result
from budgeted.studies.commands.enter import MOST_RESULTS
from budgeted.studies.results.blocks import pasted
from budgeted.studies.snapshot import Snapshot
from budgeted.web.pages.fields import text_of, whole_number
from budgeted.web.views.results import page_of

_CELL = re.compile(r"v([0-9]{1,3})-([0-9]{1,3})")
_MOST_ADDED = 2_000


@dataclass(frozen=True)
class Typed:
    """A table of results as it was sent."""

    cells: dict[tuple[str, str], str] = field(default_factory=dict)
    added: tuple[str, ...] = ()  # cases that somebody typed or scanned
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    find: str = ""
    tests_page: int = 1
    page: int = 1
    focus: tuple[str, str] = ("", "")  # case and test of the cell that the cursor is in
    charge: bool = False
    problem: str = ""  # what could not be done, in words

    @classmethod
    def of(cls, form: FormData) -> Typed:
        """Return what a form holds."""
        rows, columns = (tuple(map(str, form.getlist(each))) for each in ("row", "column"))
        cells = {(case, test): text for case, test, text in _triples(text_of(form, "kept"))}
        for key, held in form.multi_items():
            found = _CELL.fullmatch(key)
            if found is None or not isinstance(held, str):
                continue
            row, column = int(found[1]), int(found[2])
            if row < len(rows) and column < len(columns):
                cells[rows[row], columns[column]] = held.strip()
        return cls(
            {cell: text for cell, text in cells.items() if text},
            tuple(_texts(text_of(form, "added"))),
            rows,
            columns,
            text_of(form, "find"),
            whole_number(text_of(form, "tests_page")) or 1,
            whole_number(text_of(form, "page")) or 1,
            charge=bool(text_of(form, "charge")),
        )

    @property
    def results(self) -> list[Result]:
        """Return what was typed, case by case."""
        return [Result(case, test, text) for (case, test), text in self.cells.items()]

    def hidden(self, rows: list[str], columns: list[str]) -> str:
        """Return what was typed outside a part of the table, for a hidden field."""
        shown = {(case, test) for case in rows for test in columns}
        return json.dumps([[*cell, text] for cell, text in self.cells.items() if cell not in shown])

    def done(self, wish: str, form: FormData, study: Snapshot) -> Typed:
        """Return the table after a button was pressed: another part, one more case, a block."""
        what, _, number = wish.partition(":")
        if what == "page":
            return replace(self, page=whole_number(number) or 1)
        if what == "tests":
            return replace(self, tests_page=whole_number(number) or 1)
        if what == "find":
            return replace(self, tests_page=1)
        if what == "paste":
            return self._with_block(form, study)
        return self._with_case(text_of(form, "scan"), study)

    def _with_case(self, scanned: str, study: Snapshot) -> Typed:
        if not scanned:
            return self
        case = _case_of(study, scanned)
        if case is None:
            return replace(self, problem=f"There is no case {scanned[:80]!r} in this study.")
        if case in study.withdrawn:
            return replace(self, problem=f"Case {case} is withdrawn: nothing is measured on it.")
        return self._showing(case, (case, ""), study)

    def _with_block(self, form: FormData, study: Snapshot) -> Typed:
        start = (
            whole_number(text_of(form, "at_row")) or 0,
            whole_number(text_of(form, "at_column")) or 0,
        )
        block = form.get("block", "")
        features = [each.name for each in study.state.problem.features]
        found = pasted(
            block if isinstance(block, str) else "",
            lambda name: _case_of(study, name),
            features,
            (self.rows, self.columns),
            start,
        )
        if not found:
            return replace(self, problem="There is nothing to paste: the block is empty.")
        cells = self.cells | {(case, test): text for case, test, text in found}
        if len(cells) > MOST_RESULTS:
            raise StudyError(f"at most {MOST_RESULTS:,} values are entered at once")
        made = replace(self, cells=cells)
        for case in dict.fromkeys(case for case, _, _ in found):
            made = made._showing(case, (found[0][0], found[0][1]), study)
        return replace(made, page=page_of(study, found[0][0], made.added))

    def _showing(self, case: str, focus: tuple[str, str], study: Snapshot) -> Typed:
        added = self.added if case in self.added else (*self.added, case)[-_MOST_ADDED:]
        return replace(self, added=added, page=page_of(study, case, added), focus=focus)


def _case_of(study: Snapshot, given: str) -> str | None:
    """Return the case that is called like this."""
    return spelled(given.strip(), study.case_names)


def lines_of(text: str) -> list[Result]:
    """Return the results that a preview was made of, from a hidden field."""
    found: list[Result] = []
    for each in _plain(text):
        if isinstance(each, list) and len(each) == len(Result._fields):
            found.append(Result._make([*each[:-1], bool(each[-1])]))
    return found


def lines_to_text(results: list[Result]) -> str:
    """Return results for a hidden field."""
    return json.dumps(results)


def _triples(text: str) -> list[tuple[str, str, str]]:
    return [(each[0], each[1], each[2]) for each in _plain(text)
            if isinstance(each, list) and len(each) == 3
            and all(isinstance(part, str) for part in each)]  # fmt: skip


def _texts(text: str) -> list[str]:
    return [each for each in _plain(text) if isinstance(each, str)]


def _plain(text: str) -> list[Any]:
    """Return the list in a hidden field; what is none was not made here."""
    try:
        found = json.loads(text or "[]")
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list):
        raise StudyError("a hidden field of this form is damaged; load the page again")
    return found
