"""A laboratory's file of results: which column is what, and which results it holds.

Two shapes are understood. A *wide* file has a line per case and a column per test; a *long* one has
a line per result: case, test, value, and perhaps cost and note. Columns go by their names. One that
is not known by name is asked about, with a guess; it is never left out in silence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from budgeted.errors import StudyFileError, TableError
from budgeted.listing import listed, nearest
from budgeted.simulation.tables.contents import Cell as Held
from budgeted.simulation.tables.dataframes import columns_of
from budgeted.studies.commands.enter import Result
from budgeted.studies.csv_rows import UNKNOWN
from budgeted.studies.preparing.amounts import amount
from budgeted.studies.results.tables import Cell, Most, Table, tabulated
from budgeted.studies.results.texts import read_text
from budgeted.studies.results.workbooks import OLE, ZIP, read_workbook

WIDE, LONG = "wide", "long"
LEAVE_OUT = ""
"""What a column or test stands for that is not wanted."""
ROLES: dict[str, tuple[str, ...]] = {
    "case": ("case", "case id", "id", "patient", "patient id", "sample", "sample id", "subject",
             "subject id"),
    "test": ("test", "feature", "analyte", "parameter", "analysis", "assay"),
    "value": ("value", "result"),
    "cost": ("cost", "price", "charged"),
    "note": ("note", "notes", "comment", "remark"),
}  # fmt: skip
"""Names that columns usually have, by what they hold."""
_MOST_ASKED = 50


@dataclass(frozen=True)
class Reading:
    """How a file is to be read, where that is not to be found out."""

    separator: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    layout: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    meant: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Question:
    """A column, or a test of a long file, that is no feature of the study, and the best guess."""

    name: str
    guess: str | None


@dataclass(frozen=True)
class ResultFile:
    """What a file holds."""

    table: Table
    layout: str
    columns: Mapping[str, str]
    results: tuple[Result, ...] = ()
    lines: tuple[int, ...] = ()
    questions: tuple[Question, ...] = ()  # what must be answered first; then there are no results
    left_out: tuple[str, ...] = ()  # columns and tests that were not wanted
    missing: tuple[str, ...] = ()

    @property
    def said_of_missing(self) -> list[str]:
        """What is missing, in words."""
        holds = {"case": "names the case", "test": "names the test", "value": "holds the value"}
        return [
            f"no column {holds[role]}; the columns are {listed(self.table.header)}"
            for role in self.missing
        ]


def read_results(
    content: bytes,
    name: str,
    features: Sequence[str],
    reading: Reading | None = None,
    most: Most | None = None,
) -> ResultFile:
    r"""Return the results in the bytes of a file: a text with separators, or an .xlsx workbook.

    >>> found = read_results(b"patient;crp;Ferritine\nP1;3,5;\n", "file", ["crp", "ferritin"])
    >>> found.table.said
    'a text in UTF-8 with semicolons between the cells'
    >>> found.questions
    (Question(name='Ferritine', guess='ferritin'),)
    >>> wanted = Reading(meant={"Ferritine": "ferritin"})
    >>> read_results(b"patient;crp;Ferritine\nP1;3,5;\n", "file", ["crp", "ferritin"],
    ...              wanted).results[0][:3]
    ('P1', 'crp', '3,5')
    """
    how, limit = reading or Reading(), most or Most()
    if len(content) > limit.bytes:
        raise TableError(
            f"{name}: has {len(content):,} bytes, more than the {limit.bytes:,} that are taken; "
            f"is it the right file?"
        )
    if content.startswith((ZIP, OLE)):
        table = read_workbook(content, name, how.sheet, limit)
    else:
        usual = [each for names in ROLES.values() for each in names]
        table = read_text(
            content, name, [*features, *usual, *how.columns.values()], how.separator, how.encoding,
            limit,
        )  # fmt: skip
    return results_in(table, name, features, how, limit)


def results_in(
    table: Table, name: str, features: Sequence[str], how: Reading, limit: Most
) -> ResultFile:
    """Return the results in a table, wherever it comes from; otherwise as `read_results`."""
    columns = _columns(table.header, features, how)
    layout = how.layout or _layout(columns)
    needed = ("case",) if layout == WIDE else ("case", "test", "value")
    missing = [role for role in needed if role not in columns]
    if missing:
        return ResultFile(table, layout, columns, missing=tuple(missing))
    read = _read_wide if layout == WIDE else _read_long
    found = read(table, columns, features, how)
    if len(found.results) > limit.results:
        raise TableError(
            f"{name}: has {len(found.results):,} values, and at most {limit.results:,} are written "
            f"down at once; divide the file"
        )
    return found


def _columns(header: Sequence[str], features: Sequence[str], how: Reading) -> dict[str, str]:
    """Return which column holds what: as was said, or as columns are usually called."""
    wrong = [each for each in how.columns.values() if each not in header]
    if wrong:
        raise TableError(f"there is no column {wrong[0]!r}; the columns are {listed(header)}")
    found = {role: column for role, column in how.columns.items() if column}
    free = {each.casefold().replace("_", " "): each for each in header
            if each not in features and each not in found.values()}  # fmt: skip
    for role, usual in ROLES.items():
        if role not in how.columns:
            named = next((free[each] for each in usual if each in free), None)
            if named is not None:
                found[role] = named
    return found


def _layout(columns: Mapping[str, str]) -> str:
    return LONG if "test" in columns and "value" in columns else WIDE


def _read_wide(
    table: Table, columns: Mapping[str, str], features: Sequence[str], how: Reading
) -> ResultFile:
    case = columns["case"]
    roles = {"case": case}
    absent = [each for each in features if each not in table.header]
    meant, questions, left_out = _meanings(
        [each for each in table.header if each != case], features, absent, how
    )
    if questions:
        return ResultFile(table, WIDE, roles, questions=questions, left_out=left_out)
    twice = sorted(each for each in set(meant.values()) if list(meant.values()).count(each) > 1)
    if twice:
        raise TableError(f"two columns stand for {twice[0]!r}; choose one, and leave out the other")
    at = table.header.index(case)
    places = [(table.header.index(column), feature) for column, feature in meant.items()]
    results, lines = [], []
    for line, row in zip(table.lines, table.rows, strict=True):
        for place, feature in places:
            if row[place] not in UNKNOWN:
                results.append(Result(_name(row[at]), feature, row[place]))
                lines.append(line)
    return ResultFile(table, WIDE, roles, tuple(results), tuple(lines), left_out=left_out)


def _read_long(
    table: Table, columns: Mapping[str, str], features: Sequence[str], how: Reading
) -> ResultFile:
    unused = [each for each in table.header
              if each not in columns.values() and how.meant.get(each) != LEAVE_OUT]  # fmt: skip
    questions = tuple(Question(each, None) for each in unused)
    left_out = tuple(each for each in table.header if how.meant.get(each) == LEAVE_OUT)
    places = {role: table.header.index(column) for role, column in columns.items()}
    tests = list(dict.fromkeys(str(row[places["test"]]) for row in table.rows))
    meant, unknown, others = _meanings([each for each in tests if each], features, features, how)
    if questions or unknown:
        asked = (*questions, *unknown)[:_MOST_ASKED]
        return ResultFile(table, LONG, columns, questions=asked, left_out=(*left_out, *others))

    def cell(row: Sequence[Cell], role: str) -> Cell:
        held = row[places[role]] if role in places else ""
        return "" if held in UNKNOWN else held

    results, lines = [], []
    for line, row in zip(table.lines, table.rows, strict=True):
        value, test = cell(row, "value"), str(row[places["test"]])
        if value == "" or (test and test not in meant):
            continue
        cost = cell(row, "cost")
        made = Result(
            _name(row[places["case"]]), meant.get(test, test), value,
            amount(cost) if isinstance(cost, str) else cost, str(cell(row, "note")),
        )  # fmt: skip
        results.append(made)
        lines.append(line)
    return ResultFile(
        table, LONG, columns, tuple(results), tuple(lines), left_out=(*left_out, *others)
    )


def _meanings(
    names: Sequence[str], features: Sequence[str], free: Sequence[str], how: Reading
) -> tuple[dict[str, str], tuple[Question, ...], tuple[str, ...]]:
    """Return which feature each name stands for, what must be asked, and what is not wanted."""
    known = set(features)
    meant: dict[str, str] = {}
    questions: list[Question] = []
    left_out: list[str] = []
    for name in names:
        said = how.meant.get(name)
        if said == LEAVE_OUT:
            left_out.append(name)
        elif said is not None and said in known:
            meant[name] = said
        elif name in known and said is None:
            meant[name] = name
        elif len(questions) < _MOST_ASKED:
            questions.append(Question(name, nearest(name, free)))
    return meant, tuple(questions), tuple(left_out)


def _name(cell: Cell) -> str:
    """Return the name of a case; a workbook keeps one that is a number as a number."""
    return str(cell)


NAME = "the dataframe"


def results_of(frame: Any, features: Sequence[str], how: Reading) -> tuple[Result, ...]:
    """Return the results that a dataframe holds; null, NaN and empty cells are none.

    What is not understood is an error that lists all of it, and says how to answer.
    """
    header, columns = columns_of(frame, NAME, exact=True)
    cells = [[_cell(each) for each in column] for column in columns]
    most = Most()
    numbered = enumerate([list(header), *map(list, zip(*cells, strict=True))])
    names, rows, lines = tabulated(numbered, NAME, most, "row")
    found = results_in(Table(names, rows, lines, NAME), NAME, features, how, most)
    if found.missing:
        say = "case=…" if found.missing == ("case",) else "the names case, test and value"
        raise StudyFileError(NAME, [f"{each}; give {say}" for each in found.said_of_missing])
    if found.questions:
        mistakes = []
        for each in found.questions:
            guess = f"did you mean {each.guess!r}? " if each.guess else ""
            answer = f"{{{each.name!r}: {each.guess or ''!r}}}"
            mistakes.append(
                f"column or test {each.name!r}: is no feature of the study; {guess}Rename or drop "
                f"it, or give meant={answer}; '' leaves it out"
            )
        raise StudyFileError(NAME, mistakes)
    return found.results


def _cell(held: Held) -> Cell:
    """Return a cell as a workbook would have it: a column with gaps makes floats of whole numbers.

    >>> _cell(3.0), _cell(3.5), _cell(None), _cell("low")
    (3, 3.5, '', 'low')
    """
    if held is None:
        return ""
    if isinstance(held, float) and held.is_integer():
        return int(held)
    return held
