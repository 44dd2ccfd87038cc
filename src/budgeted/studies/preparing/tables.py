"""The content of a spreadsheet that somebody saved: bytes become a header and rows.

How the text is written in bytes, and what stands between its cells, is found out; what cannot be
found out is refused in words, with all that is wrong.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from budgeted.errors import TableError
from budgeted.listing import shortened
from budgeted.simulation.tables.csv_file import DELIMITERS, numbered_rows
from budgeted.studies.csv_rows import plain_cell, repeated
from budgeted.studies.results.tables import Most
from budgeted.studies.results.workbooks import OLE, read_workbook

MOST_COLUMNS = 2_000
_LONGEST_NAME = 200
_LOOKED_AT = 500
"""Rows by which the separator is found."""
_BINARY = re.compile(r"[\x00-\x08\x0e-\x1f]")
_BOMS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


@dataclass(frozen=True)
class Table:
    """A header and rows of as many cells each.

    Attributes
    ----------
    header, rows
        Cells without blanks around them.
    lines
        Where each row stands in its file.
    notes
        What was assumed about the file, for people.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]
    notes: tuple[str, ...] = ()

    def column(self, name: str) -> list[str]:
        """Return the cells of a column."""
        at = self.header.index(name)
        return [row[at] for row in self.rows]

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {"header": self.header, "rows": self.rows, "lines": self.lines, "notes": self.notes}

    @classmethod
    def from_json(cls, plain: dict[str, Any]) -> Table:
        """Return what `to_json` gave."""
        return cls(
            tuple(plain["header"]),
            tuple(map(tuple, plain["rows"])),
            tuple(plain["lines"]),
            tuple(plain["notes"]),
        )


def read_table(
    content: bytes, name: str, most_rows: int = 200_000, most_cells: int = 5_000_000
) -> Table:
    r"""Return what a saved spreadsheet holds, or an error that lists what is wrong with it.

    Parameters
    ----------
    content, name
        Of the file; the name is for messages.
    most_rows, most_cells
        How large it may be.

    Examples
    --------
    >>> table = read_table("Fall;Größe\nA;1,72\n".encode("latin-1"), "list.csv")
    >>> table.header, table.rows
    (('Fall', 'Größe'), (('A', '1,72'),))
    >>> read_table(b"a,b\n1,2\n3\n4,5,6\n", "list.csv")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    budgeted.errors.TableError: list.csv: line 3 has 1 cell, but the header has 2; line 4 ...
    """
    if content.startswith((b"PK\x03\x04", OLE)):
        limit = Most(rows=most_rows, columns=MOST_COLUMNS, cells=most_cells)
        book = read_workbook(content, name, most=limit)
        texts = tuple(tuple(str(cell).strip() for cell in row) for row in book.rows)
        return Table(book.header, texts, book.lines, (f"It was read from {book.said}.",))
    text, note = _text(content, name)
    mark = _separator(text, name)
    numbered = numbered_rows(text, name, mark)
    header = [cell.strip() for cell in next(numbered, (0, []))[1]]
    rows: list[tuple[str, ...]] = []
    lines, wrong = [], []
    for line, cells in numbered:
        if not any(map(str.strip, cells)):
            continue  # a spreadsheet saves empty rows as separators alone
        if len(rows) >= most_rows or len(rows) * len(header) >= most_cells:
            raise TableError(
                f"{name}: there are more than {len(rows)} rows of {len(header)} columns, which is "
                f"more than this program takes; is it the right file?"
            )
        if len(cells) != len(header):
            noun = "cell" if len(cells) == 1 else "cells"
            wrong.append(f"line {line} has {len(cells)} {noun}, but the header has {len(header)}")
        rows.append(tuple(map(plain_cell, cells)))
        lines.append(line)
    if not header:
        raise TableError(f"{name}: the file is empty; it needs a header line and rows")
    wrong += _header_mistakes(header)
    if not rows:
        wrong.append("there are no rows below the header")
    if wrong:
        raise TableError(f"{name}: {'; '.join(shortened(wrong))}")
    return _without_empty(Table(tuple(header), tuple(rows), tuple(lines), note))


def _text(content: bytes, name: str) -> tuple[str, tuple[str, ...]]:
    if not content.strip():
        raise TableError(f"{name}: the file is empty; it needs a header line and rows")
    coding = next((code for bom, code in _BOMS.items() if content.startswith(bom)), None)
    try:
        return _checked(content.decode(coding or "utf-8"), name), ()
    except UnicodeDecodeError:
        if coding is not None:
            raise TableError(
                f"{name}: it begins like {coding.removesuffix('-sig').upper()} and does not go on "
                f"like that; it is damaged: save it again"
            ) from None
    note = (
        "It is not UTF-8, so it was read as Windows-1252 (Latin-1): look whether letters such as "
        "ä and é are right."
    )
    return _checked(content.decode("cp1252", errors="replace"), name), (note,)


def _checked(text: str, name: str) -> str:
    """Return a text, unless it holds what no text does."""
    found = _BINARY.search(text)
    if found is not None:
        line = text.count("\n", 0, found.start()) + 1
        raise TableError(
            f"{name}: line {line} holds a character that no text has; this is no CSV file, or it "
            f"is damaged: save the spreadsheet as CSV and take that"
        )
    return text


def _separator(text: str, name: str) -> str:
    """Return what stands between the cells: what cuts the rows into as many as the header has."""
    head = "\n".join(text.splitlines()[:_LOOKED_AT])
    widths: dict[str, list[int]] = {}
    for mark in DELIMITERS:
        try:
            widths[mark] = [len(row) for _, row in numbered_rows(head, name, mark)]
        except TableError:  # a quote that the part of the file does not close
            continue
    several = {mark: each for mark, each in widths.items() if each and each[0] > 1}
    even = {mark: each[0] for mark, each in several.items() if len(set(each)) == 1}
    found = even or {mark: each[0] for mark, each in several.items()}
    most = [mark for mark, width in found.items() if width == max(found.values())]
    if len(most) > 1:
        both = " and ".join(DELIMITERS[mark] for mark in most)
        raise TableError(
            f"{name}: its first line has {both}, and it is not clear which of them stand between "
            f"the cells; save the file with one of them"
        )
    if not even and len(several) > 1:
        both = " and ".join(DELIMITERS[mark] for mark in several)
        raise TableError(
            f"{name}: it has {both}, and neither cuts all rows into as many cells as the header; "
            f"save the spreadsheet again, with one separator throughout"
        )
    return most[0] if most else ","


def _header_mistakes(header: list[str]) -> list[str]:
    if len(header) > MOST_COLUMNS:
        return [f"the header has {len(header):,} columns, and at most {MOST_COLUMNS:,} are taken; "
                f"remove those that are not needed"]  # fmt: skip
    long = [at for at, each in enumerate(header, 1)
            if len(each) > _LONGEST_NAME or not each.isprintable()]  # fmt: skip
    wrong = [f"the name of column {at} must be at most {_LONGEST_NAME} characters that can be "
             f"printed" for at in long]  # fmt: skip
    return wrong + repeated([each for each in header if each])


def _without_empty(table: Table) -> Table:
    """Leave out columns without a name; one that holds something is refused."""
    nameless = [at for at, each in enumerate(table.header) if not each]
    if not nameless:
        return table
    full = [at for at in nameless if any(row[at] for row in table.rows)]
    if full:
        listed = ", ".join(str(at + 1) for at in full)
        raise TableError(f"column {listed} has cells and no name; give it one in the header line")
    keep = [at for at in range(len(table.header)) if at not in nameless]
    rows = tuple(tuple(row[at] for at in keep) for row in table.rows)
    return Table(tuple(table.header[at] for at in keep), rows, table.lines, table.notes)
