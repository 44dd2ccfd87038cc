"""Tables in .xlsx files: looked over as a packed file, and only then given to openpyxl.

A workbook is a zip of XML. One of a few kilobytes may unpack to gigabytes, hold millions of cells
or claim one in the last corner of a sheet; so how much it holds is found out before it is read,
and reading stops where it is too much. openpyxl takes the values that a spreadsheet computed last
and computes nothing itself. Macros, passwords and formulas without a value are refused.
"""

from __future__ import annotations

import io
import re
import warnings
import zipfile
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from itertools import islice
from typing import Any

from budgeted.errors import BudgetedError, TableError
from budgeted.listing import shortened
from budgeted.studies.results.tables import Cell, Most, Table, tabulated

ZIP, OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
_MOST_PARTS = 500
_MOST_CELLS = 500_000
"""Of all sheets, with the texts that they share; openpyxl reads a hundred thousand a second."""
_MOST_ELSE = 5_000_000
"""Bytes of formats, names and links."""
_MOST_NAMED = 30
_CELLS = re.compile(rb"<(?:\w+:)?(?:c|si)[\s/>]")
_UNCOMPUTED = re.compile(
    rb'<(?:\w+:)?c (?:[^>]*? )?r="([A-Z]{1,3}[0-9]{1,7})"[^>]*>\s*<(?:\w+:)?f(?:[^>]*/>|[^>]*>[^<]*'
    rb"</(?:\w+:)?f>)\s*(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v></(?:\w+:)?v>)?\s*</"
)
_ERRORS = ("#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A")


def read_workbook(
    content: bytes, name: str, sheet: str | None = None, most: Most | None = None
) -> Table:
    """Return the table on a sheet of a workbook: the first that is not empty unless named."""
    try:
        import openpyxl  # noqa: PLC0415 - of the extra "web"
    except ImportError:
        raise TableError(
            f"{name}: .xlsx files need the package openpyxl: pip install 'budgeted[web]'; "
            f"or save the sheet as CSV"
        ) from None
    limit = most or Most()
    try:
        _look_over(content, name, limit)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what openpyxl does not know and nobody needs
            book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        sheets = tuple(each.title for each in book.worksheets)
        if sheet is not None and sheet not in sheets:
            there = ", ".join(map(repr, sheets))
            raise TableError(f"{name}: there is no sheet {sheet!r}; there are {there}")
        for chosen in (sheet,) if sheet is not None else sheets:
            rows = list(_rows(book[chosen], name, limit))
            if any(cell != "" for _, row in rows for cell in row):
                header, cells, lines = tabulated(rows, name, limit, "row")
                more = f" (of {len(sheets)})" if len(sheets) > 1 else ""
                said = f"the sheet {chosen!r}{more} of a workbook, with the values it showed last"
                return Table(header, cells, lines, said, sheet=chosen, sheets=sheets)
    except (BudgetedError, MemoryError):
        raise
    except Exception:  # whatever the file is, the reader's mistakes are about it
        raise _damaged(name) from None
    raise TableError(f"{name}: the workbook is empty; it needs a header row and rows")


def _look_over(content: bytes, name: str, most: Most) -> None:
    """Raise an error if a file is no workbook, holds too much, or something nobody knows."""
    if content.startswith(OLE):
        raise TableError(
            f"{name}: is protected by a password, or a workbook of an old kind (.xls); save it as "
            f".xlsx without a password, or as CSV"
        )
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        infos = packed.infolist()
        names = [each.filename.lower() for each in infos]
        if any("vbaproject" in each for each in names):
            raise TableError(f"{name}: has macros; save it as .xlsx without them, or as CSV")
        if any(each.flag_bits & 1 for each in infos):
            raise TableError(f"{name}: is encrypted; save it without a password")
        if "xl/workbook.xml" not in names:
            raise TableError(f"{name}: is a packed file, but no .xlsx workbook")
        if len(set(names)) < len(names) or len(names) > _MOST_PARTS:
            raise _damaged(name)
        if sum(each.file_size for each in infos) > most.unpacked:
            raise TableError(
                f"{name}: unpacked, it would have more than {most.unpacked:,} bytes; is it the "
                f"right file?"
            )
        cells = others = 0
        for info in infos:
            if not info.filename.lower().endswith((".xml", ".rels")):
                continue
            with packed.open(info) as opened:
                part = opened.read(info.file_size)  # if it is more, the sum of its bytes is wrong
            if b"<!DOCTYPE" in part or b"\0" in part[:4] or part[:2] in (b"\xff\xfe", b"\xfe\xff"):
                raise _damaged(name)  # entities may multiply
            if "/worksheets/" in info.filename or "sharedStrings" in info.filename:
                cells += sum(1 for _ in islice(_CELLS.finditer(part), _MOST_CELLS + 1))
                _check_formulas(part, name)
            else:
                others += len(part)
            if cells > _MOST_CELLS or others > _MOST_ELSE:
                raise TableError(
                    f"{name}: has more than {_MOST_CELLS:,} cells, or more formats than anybody "
                    f"needs; is it the right file? A large table may be saved as CSV"
                )


def _check_formulas(part: bytes, name: str) -> None:
    found = [
        f"{each[1].decode()} is a formula whose result is not in the file; open and save it in a "
        f"spreadsheet, or put the value in its place"
        for each in islice(_UNCOMPUTED.finditer(part), _MOST_NAMED)
    ]
    if found:
        raise TableError(f"{name}: {'; '.join(shortened(found))}")


def _rows(sheet: Any, name: str, most: Most) -> Iterator[tuple[int, list[Cell]]]:
    """The number and the cells of each row, as far as they are not too many."""
    sheet.reset_dimensions()  # what the file says of itself may be wrong
    cells = signs = width = 0
    wrong: list[str] = []
    for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
        cells += len(row)
        if number > most.rows + 1 or len(row) > most.columns or cells > most.cells:
            raise TableError(
                f"{name}: the sheet reaches to row {number:,} and has {len(row):,} columns there, "
                f"which is more than is taken at once; is it the right file?"
            )
        shown = [_cell(value) for value in row]
        width = width or len(shown)  # of the header; a row may leave out what is empty
        shown += [""] * (width - len(shown))
        signs += sum(len(cell) for cell in shown if isinstance(cell, str))
        if signs > most.unpacked:
            raise TableError(
                f"{name}: its cells have more than {most.unpacked:,} characters; is it the right "
                f"file?"
            )
        wrong += [
            f"{_letters(at)}{number} holds an error, such as #N/A; empty it"
            for at, cell in enumerate(shown)
            if cell in _ERRORS
        ]
        yield number, shown
    if wrong:
        raise TableError(f"{name}: {'; '.join(shortened(wrong[:_MOST_NAMED]))}")


def _cell(value: Any) -> Cell:
    """Return a cell: what spreadsheets keep as numbers and dates, as people write it."""
    match value:
        case bool():
            return str(value).lower()
        case float() | int():
            number = float(f"{value:.15g}")  # as many digits as a spreadsheet has
            return int(number) if number.is_integer() and abs(number) < 1e15 else number
        case datetime() if value.time() == time():
            return value.date().isoformat()
        case datetime() | date() | time():
            return value.isoformat()
        case timedelta():
            return str(value)
        case _:
            return "" if value is None else str(value).strip()


def _letters(column: int) -> str:
    """Return the letters of a column, counted from 0.

    >>> _letters(0), _letters(25), _letters(26), _letters(16383)
    ('A', 'Z', 'AA', 'XFD')
    """
    before, last = divmod(column, 26)
    return (_letters(before - 1) if before else "") + chr(ord("A") + last)


def _damaged(name: str) -> TableError:
    return TableError(
        f"{name}: cannot be read as an .xlsx workbook; it may be damaged. Open it in a spreadsheet "
        f"and save it again, or save it as CSV"
    )
