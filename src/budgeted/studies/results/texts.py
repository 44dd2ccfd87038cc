"""Tables in text files: which encoding and which separator, found out and said.

Laboratories send what their programs write: commas, semicolons or tabs; UTF-8 with or without a
mark at its beginning, UTF-16 with one, or the bytes of an older Windows. What can be told apart is
told apart; what cannot is refused, and can be said by hand.
"""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Iterator, Sequence
from itertools import islice

from budgeted.errors import TableError
from budgeted.studies.csv_rows import plain_cell
from budgeted.studies.results.tables import Most, Table, tabulated, too_many_columns

SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}
"""What may stand between the cells, by the word for it."""
ENCODINGS = {"utf-8": "UTF-8", "utf-16": "UTF-16", "cp1252": "Windows-1252 (Latin-1)"}
"""How a text may be written in bytes, and what people call it."""
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16"),
          (codecs.BOM_UTF16_BE, "utf-16"))  # fmt: skip
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")
_LOOKED_AT, _LONGEST = 50, 1_000_000
"""Lines from which the separator is found out, and characters of each."""


def read_text(
    content: bytes,
    name: str,
    known: Sequence[str] = (),
    separator: str | None = None,
    encoding: str | None = None,
    most: Most | None = None,
) -> Table:
    r"""Return the table in the bytes of a text file.

    >>> read_text("case;Größe\nP1;3,5\n".encode("cp1252"), "file").rows
    (('P1', '3,5'),)
    >>> read_text(b"a,b\n1,2,3\n", "file")
    Traceback (most recent call last):
    ...
    budgeted.errors.StudyFileError: file:
      line 2 has 3 cells, but the header has 2
    """
    limit = most or Most()
    text, found = decoded(content, name, encoding)
    mark = separator or separator_of(text, name, known)
    numbered = ((at, [plain_cell(each) for each in row])
                for at, row in _rows(text, name, mark, limit))  # fmt: skip
    header, rows, lines = tabulated(numbered, name, limit)
    word = {sign: each for each, sign in SEPARATORS.items()}.get(mark, repr(mark))
    said = f"a text in {ENCODINGS.get(found, found)} with {_plural(word)} between the cells"
    if len(header) == 1:
        said = f"a text in {ENCODINGS.get(found, found)} with a single column"
    return Table(header, rows, lines, said, mark, found)


def decoded(content: bytes, name: str, encoding: str | None = None) -> tuple[str, str]:
    r"""Return the text of a file and its encoding, which is found out unless given.

    >>> decoded("é".encode(), "file"), decoded(b"\xe9", "file"), decoded(b"\xff\xfea\0", "file")
    (('é', 'utf-8'), ('é', 'cp1252'), ('a', 'utf-16'))
    """
    marked = next((each for mark, each in _MARKS if content.startswith(mark)), None)
    tries = [encoding or marked] if encoding or marked else ["utf-8", "cp1252"]
    wrong: UnicodeDecodeError | None = None
    for each in tries:
        assert each is not None
        try:
            text = content.decode(each).removeprefix("\ufeff")
        except LookupError:
            raise TableError(f"encoding: nobody here knows {each!r}; try utf-8") from None
        except UnicodeDecodeError as error:
            wrong = wrong or error
            continue
        odd = _CONTROL.search(text)
        if odd:
            line = text.count("\n", 0, odd.start()) + 1
            raise TableError(
                f"{name}: line {line} holds a NUL or another control character, so this is no "
                f"table of text, or its encoding is another; save it as CSV in UTF-8, or as .xlsx"
            )
        return text, each
    assert wrong is not None
    line = content.count(b"\n", 0, wrong.start) + 1
    words = " nor ".join(ENCODINGS.get(str(each), str(each)) for each in tries)
    raise TableError(
        f"{name}: line {line} is no text in {words}; choose the right encoding, or save the file "
        f"as UTF-8"
    )


def separator_of(text: str, name: str, known: Sequence[str] = ()) -> str:
    r"""Return what stands between the cells of a text.

    It is what divides the first line into more than one cell. Where several do, it is the one that
    gives more of the known names, or else the one by which every line has as many cells as the
    first; where that does not decide, it is refused, not guessed at.

    >>> separator_of("case;crp\nP1;3,5\n", "file")
    ';'
    >>> separator_of("case;a,b\nP1;3,5\n", "file", ["case"])
    ';'
    >>> separator_of("case\nP1\n", "file")
    ','
    """
    lines = list(islice((line[:_LONGEST] for line in _lines(text) if line.strip()), _LOOKED_AT))
    names = {each.casefold() for each in known}
    found: dict[str, tuple[int, bool]] = {}
    for mark in SEPARATORS.values():
        try:
            rows = list(csv.reader(lines, delimiter=mark, strict=True))
        except csv.Error:
            continue
        if rows and len(rows[0]) > 1:
            hits = sum(cell.strip().casefold() in names for cell in rows[0])
            found[mark] = hits, len({len(row) for row in rows}) == 1
    if not found:
        return ","
    best = max(found.values())
    marks = [mark for mark, each in found.items() if each == best]
    if len(marks) > 1:
        words = {sign: each for each, sign in SEPARATORS.items()}
        both = " and ".join(_plural(words[mark]) for mark in marks)
        raise TableError(
            f"{name}: its first line, {lines[0][:80]!r}, has {both}; choose what stands between "
            f"the cells"
        )
    return marks[0]


def _plural(word: str) -> str:
    return f"{word}s"


def _lines(text: str) -> Iterator[str]:
    """Yield the lines of a text one by one; a list of millions would be as large as the text."""
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end + 1
        yield text[start:end]
        start = end


def _rows(text: str, name: str, mark: str, most: Most) -> Iterator[tuple[int, list[str]]]:
    """Yield line numbers and rows; a line that is far too wide is refused before it is divided."""

    def narrow() -> Iterator[str]:
        for line in _lines(text.replace("\r\n", "\n").replace("\r", "\n")):
            if line.count(mark) >= 2 * most.columns:
                raise too_many_columns(name, line.count(mark) + 1, most)
            yield line

    try:
        reader = csv.reader(narrow(), delimiter=mark, strict=True)
    except (TypeError, ValueError):
        raise TableError(f"separator: must be one character, got {mark!r}") from None
    try:
        for row in reader:
            if row:
                yield reader.line_num, row
    except csv.Error as error:
        raise TableError(
            f"{name}: line {reader.line_num}: {error}; check the quotes around its cells"
        ) from None
