"""Rows of the CSV files that people give a study: cells without blanks and without formulas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from budgeted.simulation.tables import LARGEST_FILE
from budgeted.simulation.tables.csv_file import read_bytes, rows_of

UNKNOWN = ("", "?")
"""What stands in a cell whose value is not known."""
_FORMULA = ("=", "+", "-", "@", "|", "\t", "\r", "\N{FULLWIDTH EQUALS SIGN}",
            "\N{FULLWIDTH PLUS SIGN}", "\N{FULLWIDTH HYPHEN-MINUS}",
            "\N{FULLWIDTH COMMERCIAL AT}")  # fmt: skip
"""A spreadsheet takes a cell that begins with one of these, behind any blanks, for a formula."""


def read_rows(
    path: str | PathLike[str], delimiter: str | None = None, encoding: str = "utf-8"
) -> tuple[list[str], list[list[str]], list[int]]:
    """Return header, rows and line numbers of a CSV, with blanks and `safe_cell` undone."""
    source = Path(path)
    return parse_rows(read_bytes(source, LARGEST_FILE), source.name, delimiter, encoding)


def table_rows(
    table: str | PathLike[str] | bytes,
    name: str,
    delimiter: str | None = None,
    encoding: str = "utf-8",
) -> tuple[list[str], list[list[str]], list[int]]:
    """Return the same for a file, or for the content of one, which has a name for messages."""
    if isinstance(table, bytes):
        return parse_rows(table, name, delimiter, encoding)
    return read_rows(table, delimiter, encoding)


def parse_rows(
    content: bytes, name: str, delimiter: str | None = None, encoding: str = "utf-8"
) -> tuple[list[str], list[list[str]], list[int]]:
    """Return the same for the bytes of a file; the name is for messages."""
    header, rows, lines = rows_of(content, name, None, delimiter, encoding)
    return [name.strip() for name in header], [list(map(plain_cell, row)) for row in rows], lines


def repeated(header: Sequence[str]) -> list[str]:
    """Return what is wrong with a header that names a column more than once.

    >>> repeated(["case", "age", "age", ""])
    ["the header has 'age' 2 times; give each column its own name"]
    """
    return [
        f"the header has {name!r} {times} times; give each column its own name"
        for name, times in Counter(header).items()
        if times > 1
    ]


def safe_cell(text: str) -> str:
    """Return a cell that no spreadsheet takes for a formula.

    >>> safe_cell("=SUM(A1)"), safe_cell("-1"), safe_cell("well"), safe_cell(" |cmd")
    ("'=SUM(A1)", "'-1", 'well', "' |cmd")
    """
    return f"'{text}" if _is_formula(text) else text


def plain_cell(cell: str) -> str:
    """Return a cell without blanks around it, and with `safe_cell` undone."""
    text = cell.strip()
    return text[1:] if text[:1] == "'" and _is_formula(text[1:]) else text


def _is_formula(text: str) -> bool:
    return text.startswith(_FORMULA) or text.lstrip().startswith(_FORMULA)
