"""Cuts that a study file takes from a table of old cases, when the study begins.

::

    cuts = "terciles of old.csv"      # or median, quartiles, quintiles, deciles
    cuts = "labels of old.csv"        # by information gain

The table is read once. What the study keeps are the numbers, and a line that says where they come
from, so that nobody needs the table afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from budgeted.errors import BudgetedError, StudyError
from budgeted.listing import listed, shortened
from budgeted.problem.numbers import MARKS, as_told, number_of
from budgeted.simulation.tables import LARGEST_FILE
from budgeted.simulation.tables.csv_file import read_bytes, rows_of
from budgeted.studies.naming import there_are
from budgeted.studies.proposed_cuts import LABELS, WAYS, found_cuts

_REFERENCE = re.compile(r"\s*(?:from\s+)?(\w+)\s+of\s+(.*\S)\s*")
_UNKNOWN = ("", "?")
_STAND_IN = (0,)
"""In the place of cuts that could not be found, so that the rest can be checked too."""


class _Wanted(NamedTuple):
    """What a feature says of its cuts: how they are found, and in which file."""

    how: str
    file: str


def with_reference_cuts(
    plain: Mapping[str, Any],
    folder: Path,
    label_column: str,
    labels: Collection[str],
    encoding: str = "utf-8",
) -> tuple[dict[str, Any], list[str]]:
    """Return the features of a study file with numbers for cuts, and what is wrong with them.

    Parameters
    ----------
    plain
        What the file holds.
    folder
        Where it is: the tables are named from there.
    label_column, labels
        The column of the label, and the labels of the study; rows with others are passed over.
    encoding
        How the text of the tables is written in bytes.
    """
    tables = plain.get("features")
    if not isinstance(tables, list):
        return {}, []
    made, mistakes = [], []
    for at, table in enumerate(tables):
        wanted = _reference(table)
        if wanted is None:
            made.append(table)
            continue
        decimal = table.get("decimal", plain.get("decimal", "point"))
        found: dict[str, Any] = {"cuts": _STAND_IN}
        try:
            if decimal in tuple(MARKS):  # that it is not is said elsewhere
                column = _Column(folder / wanted.file, wanted.file, str(table.get("name")), decimal)
                numbers, known = column.read(label_column, labels, encoding, wanted.how)
                cuts = found_cuts(wanted.how, numbers, known, wanted.file)
                found = {"cuts": cuts.cuts, "source": cuts.source}
        except BudgetedError as error:
            mistakes += [f"features[{at}].cuts: {each}"
                         for each in getattr(error, "mistakes", (error,))]  # fmt: skip
        made.append({**table, **found})
    return {"features": made}, mistakes


def _reference(table: Any) -> _Wanted | None:
    """What a feature says of a table; None where its cuts are no such text."""
    cuts = table.get("cuts") if isinstance(table, dict) else None
    matched = _REFERENCE.fullmatch(cuts) if isinstance(cuts, str) else None
    if matched is None or table.get("kind") != "number":
        return None
    return _Wanted(matched[1], matched[2])


class _Column(NamedTuple):
    """A column of numbers in a table, which is named as people named it."""

    path: Path
    file: str
    name: str
    decimal: str

    def read(
        self, label_column: str, labels: Collection[str], encoding: str, how: str
    ) -> tuple[list[Decimal], list[str]]:
        """Return the numbers, and the label of each where they are wanted."""
        if how not in WAYS:
            raise StudyError(f"there are no {how!r}; {there_are(how, WAYS)}")
        if not self.path.is_file():
            raise StudyError(f"there is no file {self.file!r} beside the study file")
        content = read_bytes(self.path, LARGEST_FILE)
        header, rows, lines = rows_of(content, self.file, None, None, encoding)
        names = [each.strip() for each in header]
        at, label = self._place(names, self.name), -1
        if how == LABELS:
            label = self._place(names, label_column)
        numbers, known, wrong = [], [], []
        for row, line in zip(rows, lines, strict=True):
            cell = row[at].strip()
            if cell in _UNKNOWN or (label >= 0 and row[label].strip() not in labels):
                continue
            try:
                numbers.append(number_of(as_told(cell, self.decimal), self.decimal))
                known.append(row[label].strip() if label >= 0 else "")
            except ValueError as error:
                hint = f"; {error}" if str(error) else ""
                wrong.append(f"{self.file}, line {line}: {cell!r} is no number{hint}")
        if wrong:
            raise StudyError("; ".join(shortened(wrong)))
        return numbers, known

    def _place(self, names: list[str], column: str) -> int:
        if names.count(column) != 1:
            what = "has no column" if column not in names else "has several columns"
            raise StudyError(f"{self.file} {what} {column!r}; its columns are {listed(names)}")
        return names.index(column)
