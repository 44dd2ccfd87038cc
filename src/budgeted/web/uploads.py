"""A new study from two uploads or a form: what was understood, and what is wrong, row by row."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

from budgeted.errors import BudgetedError, StudyFileError, TableError
from budgeted.listing import shortened
from budgeted.problem.numbers import MARKS
from budgeted.simulation.tables.contents import by_number_then_text
from budgeted.simulation.tables.csv_file import decoded, delimiter_of, numbered_rows
from budgeted.studies.case_lists import CaseList, Columns, case_list, feature_names, known_mistakes
from budgeted.studies.csv_rows import plain_cell
from budgeted.studies.feature_tables import feature_mistakes, with_decimal
from budgeted.studies.files import StudyFile, parse_toml, study_mistakes, study_of
from budgeted.studies.proposed_cuts import with_own_cuts
from budgeted.studies.validation import tidy_validation
from budgeted.web.settings import Limits

_MOST_NAMED = 200
"""Characters of a name; more is no name."""


@dataclass(frozen=True)
class Upload:
    """What somebody sends to begin a study."""

    study: bytes | dict[str, Any]
    cases: bytes  # the content of the CSV with the cases
    id_column: str = "case"
    label_column: str = "label"
    validation: bytes | None = None


@dataclass(frozen=True)
class Row:
    """A line of the list of cases: what was understood, or what is wrong with it.

    Its cells are all of the line; some may hold known values.
    """

    line: int
    case: str
    label: str
    wrong: str = ""
    cells: tuple[str, ...] = ()


@dataclass(frozen=True)
class Understood:
    """What was understood of an upload."""

    given: StudyFile | None  # the study, if nothing is wrong
    plain: dict[str, Any]  # what the study file holds
    rows: tuple[Row, ...] = ()
    columns: tuple[str, ...] = ()
    study_mistakes: tuple[str, ...] = ()
    case_mistakes: tuple[str, ...] = ()
    validation_mistakes: tuple[str, ...] = ()
    validation: bytes | None = None  # the validation file, tidied up, if it is all right
    labels: dict[str, int] = field(default_factory=dict)

    def checked(self) -> StudyFile:
        """Return the study, or raise an error that lists what is wrong."""
        wrong = [row for row in self.rows if row.wrong]
        mistakes = [
            *self.study_mistakes,
            *self.case_mistakes,
            *(f"line {row.line} of the cases: {row.wrong}" for row in wrong),
            *(f"validation file: {each}" for each in self.validation_mistakes),
        ]
        if self.given is None or mistakes:
            raise StudyFileError("the study cannot begin", shortened(mistakes))
        return self.given


def understand(upload: Upload, limits: Limits) -> Understood:
    r"""Return what was understood, without stopping at the first mistake.

    >>> study = {"name": "flu", "budget": 9, "features": [
    ...     {"name": "fever", "values": ["no", "yes"], "cost": "1.50"}]}
    >>> cases = b"case,label\nAnn,ill\nBob\nAnn,well\n,ill\n"
    >>> found = understand(Upload(study, cases), Limits())
    >>> for row in found.rows:
    ...     print(row.line, row.case or "-", row.wrong or "understood")
    2 Ann understood
    3 Bob has 1 cell, but the header has 2
    4 Ann is in line 2 already; give each case its own name
    5 - the name of the case is empty
    >>> found.given is None
    True
    """
    plain, study_wrong = _study(upload.study)
    try:
        columns, rows = _rows(upload, limits)
        case_wrong: list[str] = []
    except BudgetedError as error:
        columns, rows, case_wrong = (), [], _lines(error)
    labels = plain.get("labels")
    if isinstance(labels, list) and all(isinstance(each, str) for each in labels):
        known = f"there are {', '.join(map(repr, labels))}"
        rows = [
            replace(row, wrong=f"there is no label {row.label!r}; {known}")
            if not row.wrong and row.label not in labels
            else row
            for row in rows
        ]
    cuts_wrong: list[str] = []
    try:
        rows, listed = _listed(upload, columns, rows, plain)
        plain, cuts_wrong = with_own_cuts(plain, listed)
    except BudgetedError as error:  # a column that is there twice
        case_wrong, listed = [*case_wrong, *_lines(error)], CaseList(())
    good = listed.cases
    if not study_wrong:
        # Without a single good case every check of labels would only repeat that.
        wrong = study_mistakes(plain, listed if good else _stand_in(labels))
        study_wrong = shortened([*cuts_wrong, *wrong])
    given = None
    if not (study_wrong or case_wrong or any(row.wrong for row in rows)):
        try:
            given = study_of(plain, listed, "study file")
        except BudgetedError as error:
            study_wrong = _lines(error)
    tidy, validation_wrong = None, []
    if upload.validation is not None and given is not None:
        try:
            tidy = tidy_validation(upload.validation, given.problem, upload.label_column)
        except BudgetedError as error:
            validation_wrong = _lines(error)
    return Understood(
        given,
        plain,
        tuple(rows),
        columns,
        tuple(study_wrong),
        tuple(case_wrong),
        tuple(validation_wrong),
        tidy,
        dict(sorted(Counter(label for _, label in good).items(),
                    key=lambda each: by_number_then_text(each[0]))),
    )  # fmt: skip


def _listed(
    upload: Upload, header: tuple[str, ...], rows: list[Row], plain: dict[str, Any]
) -> tuple[list[Row], CaseList]:
    """Return the rows with what is wrong with their known values, and what all good ones say."""
    columns, names = Columns(upload.id_column, upload.label_column), feature_names(plain)

    def listed() -> CaseList:
        good = [row.cells for row in rows if not row.wrong]
        return case_list(header, good, "cases", names, columns) if good else CaseList(())

    found = listed()
    readable, _ = with_own_cuts(plain, found)
    features = [each for each, _ in (feature_mistakes(table, "") for table in _tables(readable))
                if each is not None]  # fmt: skip
    places = [at for at, row in enumerate(rows) if not row.wrong]
    for wrong in known_mistakes(found.known, features, "{}".format):
        at, _, words = wrong.partition(": ")
        rows[places[int(at)]] = replace(rows[places[int(at)]], wrong=words)
    return rows, listed() if len(places) > sum(not row.wrong for row in rows) else found


def _tables(plain: dict[str, Any]) -> list[Any]:
    """The tables of the features, with the decimal mark of the study."""
    tables, decimal = plain.get("features", []), plain.get("decimal")
    usable = decimal if isinstance(decimal, str) and decimal in MARKS else None
    return [with_decimal(each, usable) for each in tables] if isinstance(tables, list) else []


def _stand_in(labels: object) -> CaseList:
    """A case of each label, to check the rest of a study with."""
    names = labels if isinstance(labels, list) and labels else ["a", "b"]
    return CaseList(tuple((f"case {at}", str(each)) for at, each in enumerate(names)))


def _study(given: bytes | dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    try:
        plain = parse_toml(given, "study file") if isinstance(given, bytes) else dict(given)
    except StudyFileError as error:
        return {}, list(error.mistakes)
    name = plain.setdefault("name", "")
    if isinstance(name, str) and (len(name) > _MOST_NAMED or not name.isprintable()):
        return plain, [f"name: must be at most {_MOST_NAMED} characters that can be printed"]
    return plain, []


def _rows(upload: Upload, limits: Limits) -> tuple[tuple[str, ...], list[Row]]:
    text = decoded(upload.cases, "cases", "utf-8")
    numbered = numbered_rows(text, "cases", delimiter_of(text, "cases"))
    header = tuple(name.strip() for name in next(numbered, (0, []))[1])
    wanted = (upload.id_column, upload.label_column)
    missing = [f"there is no column {name!r}; the columns are {', '.join(map(repr, header))}"
               for name in wanted if name not in header]  # fmt: skip
    twice = [f"the header has {name!r} {header.count(name)} times; rename or remove all but one"
             for name in wanted if header.count(name) > 1]  # fmt: skip
    if not header:
        raise TableError("cases: the file is empty; it needs a header line and rows")
    if missing or twice:
        raise StudyFileError("cases", missing + twice)
    case, label = map(header.index, wanted)
    rows: list[Row] = []
    seen: dict[str, int] = {}
    for line, cells in numbered:
        if len(rows) >= limits.rows:
            raise TableError(
                f"cases: there are more than {limits.rows} rows; is it the right file?"
            )
        rows.append(_row(line, [plain_cell(cell) for cell in cells], (case, label), header, seen))
    if not rows:
        raise TableError("cases: there are no rows below the header")
    return header, rows


def _row(
    line: int, cells: list[str], places: tuple[int, int], header: tuple[str, ...],
    seen: dict[str, int],
) -> Row:  # fmt: skip
    case, label = (cells[at] if at < len(cells) else "" for at in places)
    if len(cells) != len(header):
        noun = "cell" if len(cells) == 1 else "cells"
        wrong = f"has {len(cells)} {noun}, but the header has {len(header)}"
    elif not case:
        wrong = "the name of the case is empty"
    elif len(case) > _MOST_NAMED or not case.isprintable():
        wrong = f"the name must be at most {_MOST_NAMED} characters that can be printed"
    elif case in seen:
        wrong = f"is in line {seen[case]} already; give each case its own name"
    elif not label:
        wrong = "the label is empty"
    else:
        wrong = ""
        seen[case] = line
    return Row(line, case[:_MOST_NAMED], label[:_MOST_NAMED], wrong, tuple(cells))


def _lines(error: BudgetedError) -> list[str]:
    return list(getattr(error, "mistakes", (str(error),)))
