"""The rows of a CSV file, or an error that names the line that is wrong."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

from budgeted.errors import TableError


def read_bytes(path: Path, largest: int) -> bytes:
    """Return the content of a file, unless it has more than `largest` bytes."""
    try:
        size = path.stat().st_size
        if path.is_dir():
            raise TableError(f"{path} is a folder; name the CSV file in it")
        if size > largest:
            raise TableError(
                f"{path} has {size:,} bytes, more than {largest:,}; is it the right file? "
                f"If so, pass largest={size}"
            )
        return path.read_bytes()
    except OSError as error:
        raise TableError(f"{path}: cannot be read: {error.strerror or error}") from error


DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
"""What may stand between the cells of a file without being named, and what it is called."""


def rows_of(
    content: bytes, name: str, columns: Sequence[str] | None, delimiter: str | None, encoding: str
) -> tuple[list[str], list[list[str]], list[int]]:
    r"""Return the header, the rows, and the number of the line on which each row ends.

    >>> rows_of(b"a,b\n1,2\n\n3,4\n", "file", None, ",", "utf-8")
    (['a', 'b'], [['1', '2'], ['3', '4']], [2, 4])
    >>> rows_of(b"a;b\n1;2\n", "file", None, None, "utf-8")
    (['a', 'b'], [['1', '2']], [2])
    >>> rows_of(b"a,b\n1,2,3\n", "file", None, ",", "utf-8")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    budgeted.errors.TableError: file: line 2 has 3 cells, but there are 2 columns; ...
    """
    text = decoded(content, name, encoding)
    if delimiter is None:
        delimiter = delimiter_of(text, name)
    numbered = numbered_rows(text, name, delimiter)
    header = list(columns) if columns is not None else next(numbered, (0, []))[1]
    if not header:
        raise TableError(f"{name}: the file is empty; it needs a header line and rows")
    other = [mark for mark in DELIMITERS if len(header) == 1 and mark in header[0]]
    if other and columns is None:
        raise TableError(
            f"{name}: the header has one column, {header[0]!r}; do {DELIMITERS[other[0]]} stand "
            f"between the cells? Then give {other[0]!r} as the delimiter"
        )
    rows, lines = [], []
    for line, row in numbered:
        if len(row) != len(header):
            raise TableError(
                f"{name}: line {line} has {len(row)} cells, but there are {len(header)} columns; "
                f"mend the line, or put quotes around a cell that contains {delimiter!r}"
            )
        rows.append(row)
        lines.append(line)
    return header, rows, lines


def delimiter_of(text: str, name: str) -> str:
    r"""Return what stands between the cells of a text, going by its first line.

    A comma, wherever there is one. Without any, it is what the first line has of semicolons, tabs
    and vertical bars; a line that has two of these is refused, not guessed at.

    >>> [delimiter_of(text, "file") for text in ("a;b\n1;2,5\n", "a\tb c\n", "a\n1;2\n")]
    [';', '\t', ',']
    """
    first = next((line for line in text.splitlines() if line.strip()), "")
    found = [mark for mark in DELIMITERS if len(next(csv.reader([first], delimiter=mark), [])) > 1]
    if "," in found or not found:
        return ","
    if len(found) > 1:
        both = " and ".join(DELIMITERS[mark] for mark in found)
        raise TableError(
            f"{name}: its first line, {first[:80]!r}, has {both}; say which of them stand between "
            f"the cells by giving the delimiter, or save the file with commas"
        )
    return found[0]


def decoded(content: bytes, name: str, encoding: str) -> str:
    """Return the text of a file, or an error that names the line that is none."""
    try:
        text = content.decode(encoding).removeprefix("\ufeff")
    except LookupError:
        raise TableError(f"encoding: Python knows no {encoding!r}; try 'utf-8'") from None
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        other = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "latin-1"
        raise TableError(
            f"{name}: line {line}: byte {error.start} of the file ({content[error.start]:#04x}) is "
            f"not {encoding}; save the file as UTF-8, or give its encoding, such as {other!r}"
        ) from None
    nul = text.find("\0")
    if nul >= 0:
        line = text.count("\n", 0, nul) + 1
        raise TableError(
            f"{name}: line {line} holds a NUL character; this is no CSV file, or it was damaged, "
            f"or its encoding is another, such as 'utf-16'"
        )
    return text


def numbered_rows(text: str, name: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield line numbers and rows; blank lines are left out."""
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    except (TypeError, ValueError) as error:
        raise TableError(f"delimiter: must be one character, got {delimiter!r}") from error
    try:
        for row in reader:
            if len(row) > 1 or any(map(str.strip, row)):
                yield reader.line_num, row
    except csv.Error as error:
        raise TableError(
            f"{name}: line {reader.line_num}: {error}; check the quotes around its cells"
        ) from error
