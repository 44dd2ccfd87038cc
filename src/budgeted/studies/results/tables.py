"""The table in a file that somebody sends: its header and its rows, however it was written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from budgeted.errors import StudyFileError, TableError
from budgeted.listing import shortened
from budgeted.studies.commands.enter import MOST_RESULTS
from budgeted.studies.csv_rows import repeated

Cell = str | int | float
"""Text as it stands in a file; a workbook also has numbers."""


@dataclass(frozen=True)
class Most:
    """How much is read of a file; more is refused in words."""

    bytes: int = 20_000_000
    unpacked: int = 100_000_000
    rows: int = 200_000
    columns: int = 5_000
    cells: int = 5_000_000
    results: int = MOST_RESULTS  # values that it holds


@dataclass(frozen=True)
class Table:
    """A table as it was read."""

    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    lines: tuple[int, ...]
    said: str
    separator: str = ""
    encoding: str = ""
    sheet: str = ""
    sheets: tuple[str, ...] = ()


def tabulated(
    numbered: Iterable[tuple[int, Sequence[Cell]]], name: str, most: Most, line: str = "line"
) -> tuple[tuple[str, ...], tuple[tuple[Cell, ...], ...], tuple[int, ...]]:
    """Return header, rows and line numbers; an error lists the rows that do not fit the header."""
    rows: list[tuple[Cell, ...]] = []
    lines: list[int] = []
    mistakes: list[str] = []
    header: list[str] = []
    for number, cells in numbered:
        if all(cell == "" for cell in cells):
            continue
        if not header:
            header = [str(cell).strip() for cell in cells]
            _check_header(header, name, most)
            continue
        given = tuple(cells)
        while len(given) > len(header) and given[-1] == "":  # spreadsheets leave empty ones
            given = given[:-1]
        if len(given) != len(header):
            noun = "cell" if len(given) == 1 else "cells"
            mistakes.append(
                f"{line} {number} has {len(given)} {noun}, but the header has {len(header)}"
            )
            continue
        rows.append(given)
        lines.append(number)
        if len(rows) > most.rows or len(rows) * len(header) > most.cells:
            raise TableError(
                f"{name}: there are more than {len(rows) - 1:,} rows of {len(header):,} cells, "
                f"which is more than is taken at once; is it the right file?"
            )
    if not header:
        raise TableError(f"{name}: the file is empty; it needs a header line and rows")
    nameless = [at for at, each in enumerate(header) if not each]
    mistakes += [
        f"column {at + 1} has no name, but something in it; name it, or empty it"
        for at in nameless
        if any(row[at] != "" for row in rows)
    ]
    named = [each for each in header if each]
    mistakes += repeated(named)
    if mistakes:
        raise StudyFileError(name, shortened(mistakes))
    if not rows:
        raise TableError(f"{name}: there are no rows below the header")
    if nameless:
        keep = [at for at, each in enumerate(header) if each]
        rows = [tuple(row[at] for at in keep) for row in rows]
    return tuple(named), tuple(rows), tuple(lines)


def _check_header(header: Sequence[str], name: str, most: Most) -> None:
    if len(header) > most.columns:
        raise too_many_columns(name, len(header), most)


def too_many_columns(name: str, there: int, most: Most) -> TableError:
    """Return what to say of a table that is too wide."""
    return TableError(
        f"{name}: there are {there:,} columns, and at most {most.columns:,} are taken; is it the "
        f"right file?"
    )
