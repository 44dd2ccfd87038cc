"""Labelled cases from a CSV file or a dataframe, as they are: nothing learned, nothing coded."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from budgeted.errors import TableError
from budgeted.learners.layout import Integers
from budgeted.simulation.tables.contents import (
    Cell,
    Column,
    Place,
    by_number_then_text,
    check_column,
    check_header,
    find_column,
    label_names,
    read_cells,
)
from budgeted.simulation.tables.csv_file import read_bytes, rows_of
from budgeted.simulation.tables.dataframes import columns_of

MISSING = ("", "?")
"""Cell texts that mean missing unless the caller says otherwise; an empty cell always does."""
LARGEST_FILE = 200_000_000
"""Bytes of a CSV file that `read_csv` reads without being asked twice."""


@dataclass(frozen=True)
class Table:
    """Cases with their labels; made by `read_csv` and `from_dataframe`.

    Parameters
    ----------
    name
        Of the table, for titles and messages.
    features
        Names of the columns that can be bought.
    columns
        The cells of each feature: texts, numbers, or None where missing.
    labels
        Names of the labels, sorted.
    row_labels
        Position of the label of each row.

    Examples
    --------
    >>> table = Table("visits", ("fever", "age"), (("no", "yes", None), (31.0, 4.0, 55.0)),
    ...               labels=("ill", "well"), row_labels=(1, 0, 0))
    >>> len(table), table.missing_cells
    (3, 1)
    """

    name: str
    features: tuple[str, ...]
    columns: tuple[tuple[Cell, ...], ...]
    labels: tuple[str, ...]
    row_labels: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(self.columns) != len(self.features):
            raise TableError(
                f"{self.name}: {len(self.features)} features have {len(self.columns)} columns"
            )
        for feature, column in zip(self.features, self.columns, strict=True):
            if len(column) != len(self):
                raise TableError(
                    f"{self.name}: column {feature!r} has {len(column)} cells for {len(self)} rows"
                )
            odd = set(map(type, column)) - {str, float, type(None)}
            if odd:
                raise TableError(
                    f"{self.name}: column {feature!r} holds {odd.pop().__name__}; cells must be "
                    f"texts, floats or None"
                )
        wrong = {label for label in set(self.row_labels) if not 0 <= label < len(self.labels)}
        if wrong:
            raise TableError(f"{self.name}: row_labels: there is no label number {min(wrong)}")

    def __len__(self) -> int:
        return len(self.row_labels)

    def __repr__(self) -> str:
        sizes = f"{len(self)} rows, {len(self.features)} features"
        return f"Table({self.name!r}, {sizes}, labels {', '.join(self.labels[:5])})"

    @cached_property
    def missing_cells(self) -> int:
        """How many cells are missing."""
        return sum(column.count(None) for column in self.columns)

    @cached_property
    def label_positions(self) -> Integers:
        """The same as `row_labels`, as an array."""
        return np.array(self.row_labels, dtype=np.int64)

    @cached_property
    def different(self) -> tuple[tuple[Cell, ...], ...]:
        """The different cells of each column, in the order in which they come."""
        return tuple(tuple(dict.fromkeys(column)) for column in self.columns)

    @cached_property
    def which(self) -> Integers:
        """Which of the different cells of its column each cell is, features × rows."""
        result = np.empty((len(self.features), len(self)), dtype=np.int64)
        for at, (column, cells) in enumerate(zip(self.columns, self.different, strict=True)):
            places = {cell: place for place, cell in enumerate(cells)}
            result[at] = np.fromiter(map(places.__getitem__, column), np.int64, len(column))
        return result


@dataclass(frozen=True)
class Reading:
    """How to make a table of columns: what `read_csv` and `from_dataframe` have in common."""

    label: Column  # column of the labels, by name or position (-1 is the last)
    ignore: Collection[Column] = ()  # columns to leave out, by name or position
    missing: Collection[str] = MISSING
    missing_in: Mapping[str, Collection[str]] | None = None
    text: Collection[str] = ()
    most_values: int = 1_000

    def table(
        self, name: str, header: Sequence[str], columns: Sequence[Sequence[Cell]], place: Place
    ) -> Table:
        """Return the table of these columns; `place` names a row in messages."""
        names = [each.strip() for each in header]
        for field, given in (("ignore", self.ignore), ("text", self.text)):
            if isinstance(given, str):
                raise TableError(f"{field}: must be a list of columns, got {given!r}")
        ignored = {find_column(each, names, "ignore") for each in self.ignore}
        check_header([None if at in ignored else each for at, each in enumerate(names)])
        label = find_column(self.label, names, "label")
        if label in ignored:
            raise TableError(f"ignore: {names[label]!r} is the label column")
        special = {find_column(each, names, "missing_in"): markers
                   for each, markers in (self.missing_in or {}).items()}  # fmt: skip
        text = {find_column(each, names, "text") for each in self.text}
        cells = {
            at: read_cells(column, special.get(at, self.missing), as_text=at in text)
            for at, column in enumerate(columns)
            if at not in ignored
        }
        labels = label_names(names[label], cells.pop(label), place)
        if not cells:
            raise TableError(f"{name}: there is no column besides the label {names[label]!r}")
        for at, column in cells.items():
            check_column(names[at], column, self.most_values, place, known=at in text)
        found = sorted(set(labels), key=by_number_then_text)
        positions = {each: position for position, each in enumerate(found)}
        return Table(
            name,
            tuple(names[at] for at in cells),
            tuple(cells.values()),
            tuple(found),
            tuple(map(positions.__getitem__, labels)),
        )


def read_csv(
    path: str | PathLike[str],
    label: Column,
    *,
    ignore: Collection[Column] = (),
    missing: Collection[str] = MISSING,
    missing_in: Mapping[str, Collection[str]] | None = None,
    text: Collection[str] = (),
    most_values: int = 1_000,
    name: str | None = None,
    columns: Sequence[str] | None = None,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    largest: int = LARGEST_FILE,
) -> Table:
    r"""Return the table in a CSV file.

    Parameters
    ----------
    path
        Of the file.
    label, ignore, missing, missing_in, text, most_values
        Which columns and cells are what; see `Reading`.
    name
        Of the table; that of the file unless given.
    columns
        Names of the columns of a file that has no header line.
    delimiter, encoding
        What stands between cells, found out from the first line unless given; and how the text
        is written in bytes.
    largest
        Refuse a file of more bytes, before reading it.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name, "visits.csv")
    >>> _ = path.write_text("fever,age,state\nno,31,well\nyes,4,ill\n?,55,ill\n")
    >>> table = read_csv(path, label="state")
    >>> table
    Table('visits', 3 rows, 2 features, labels ill, well)
    >>> table.columns
    (('no', 'yes', None), (31.0, 4.0, 55.0))
    >>> folder.cleanup()
    """
    path = Path(path)
    return parse_csv(
        read_bytes(path, largest),
        Reading(label, ignore, missing, missing_in, text, most_values),
        name=path.stem if name is None else name,
        columns=columns,
        delimiter=delimiter,
        encoding=encoding,
    )


def parse_csv(
    content: bytes,
    reading: Reading,
    *,
    name: str,
    columns: Sequence[str] | None = None,
    delimiter: str | None = None,
    encoding: str = "utf-8",
) -> Table:
    """Return the table in the bytes of a CSV file; see `read_csv`."""
    header, rows, lines = rows_of(content, name, columns, delimiter, encoding)
    by_column = list(zip(*rows, strict=True)) or [()] * len(header)
    return reading.table(name, header, by_column, lambda row: f"line {lines[row]}")


def from_dataframe(
    frame: Any,
    label: Column,
    *,
    ignore: Collection[Column] = (),
    missing: Collection[str] = MISSING,
    missing_in: Mapping[str, Collection[str]] | None = None,
    text: Collection[str] = (),
    most_values: int = 1_000,
    name: str = "table",
) -> Table:
    """Return the table in a dataframe of pandas, polars, pyarrow or another that narwhals knows.

    The same cells give the same table as with `read_csv`; numbers may be numbers or texts.

    Parameters
    ----------
    frame
        The dataframe.
    label, ignore, missing, missing_in, text, most_values
        Which columns and cells are what; see `Reading`.
    name
        Of the table.

    Examples
    --------
    >>> import pandas
    >>> frame = pandas.DataFrame({"fever": ["no", None], "state": ["well", "ill"]})
    >>> from_dataframe(frame, label="state").columns
    (('no', None),)
    """
    header, columns = columns_of(frame, name)
    reading = Reading(label, ignore, missing, missing_in, text, most_values)
    return reading.table(name, header, columns, lambda row: f"row {row} (counted from 0)")
