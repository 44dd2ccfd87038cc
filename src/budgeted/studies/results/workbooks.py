"""Tables in .xlsx files: unpacked with care, looked over, and only then given to a reader.

A workbook is a zip of XML. One of a few kilobytes may unpack to gigabytes, or claim a cell in the
last corner of a sheet, for which a reader would make room. So every part is unpacked here, never
more than was allowed, whatever its directory says; the sheet is looked over by a plain XML parser;
and `python-calamine`, which takes the values that a spreadsheet computed last and computes nothing
itself, sees what is left. Macros, passwords and formulas without a value are refused.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from typing import Any
from xml.parsers import expat

from budgeted.errors import TableError
from budgeted.listing import shortened
from budgeted.studies.results.tables import Cell, Most, Table, tabulated

ZIP, OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
_MOST_PARTS = 500
_CHUNK = 1 << 16
_NEEDED = re.compile(r"(\[Content_Types\]\.xml|_rels/\.rels|xl/.*\.(xml|rels))", re.IGNORECASE)
_REFERENCE = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
_MOST_NAMED = 10


def read_workbook(
    content: bytes, name: str, sheet: str | None = None, most: Most | None = None
) -> Table:
    """Return the table on a sheet of a workbook: the first that is not empty, unless one is named.

    Parameters
    ----------
    content, name
        Of the file; the name is for messages.
    sheet
        Its name.
    most
        How much is too much.
    """
    try:
        import python_calamine as calamine  # noqa: PLC0415 - of the extra "web"
    except ImportError:
        raise TableError(
            f"{name}: .xlsx files need the package python-calamine: pip install 'budgeted[web]'; "
            f"or save the sheet as CSV"
        ) from None
    limit = most or Most()
    parts = _unpacked(content, name, limit)
    lengths = _lengths(parts, name)
    for path, part in parts.items():
        if re.fullmatch(r"xl/worksheets/[^/]+\.xml", path, re.IGNORECASE):
            _look_over(part, name, limit, lengths)
        elif path.lower().endswith((".xml", ".rels")):
            _parse(expat.ParserCreate(), part, name)
    try:
        book = calamine.CalamineWorkbook.from_filelike(io.BytesIO(_packed(parts)))
        sheets = tuple(book.sheet_names)
        if sheet is not None and sheet not in sheets:
            there = ", ".join(map(repr, sheets))
            raise TableError(f"{name}: there is no sheet {sheet!r}; there are {there}")
        for chosen in (sheet,) if sheet is not None else sheets:
            rows = book.get_sheet_by_name(chosen).to_python(skip_empty_area=False)
            if any(cell != "" for row in rows for cell in row):
                header, cells, lines = tabulated(_numbered(rows), name, limit, "row")
                more = f" (of {len(sheets)})" if len(sheets) > 1 else ""
                said = f"the sheet {chosen!r}{more} of a workbook, with the values it showed last"
                return Table(header, cells, lines, said, sheet=chosen, sheets=sheets)
    except (TableError, MemoryError):
        raise
    except BaseException as error:  # the reader's own, which are of many kinds
        if isinstance(error, KeyboardInterrupt | SystemExit | ValueError):
            raise
        raise _damaged(name) from None
    raise TableError(f"{name}: the workbook is empty; it needs a header row and rows")


def _numbered(rows: list[list[Any]]) -> Iterator[tuple[int, list[Cell]]]:
    for number, row in enumerate(rows, 1):
        yield number, list(map(_cell, row))


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
            return str(value).strip()


def _unpacked(content: bytes, name: str, most: Most) -> dict[str, bytes]:
    """Return the parts of a workbook that are needed, or an error if it is none, or too large."""
    if content.startswith(OLE):
        raise TableError(
            f"{name}: is protected by a password, or a workbook of an old kind (.xls); save it as "
            f".xlsx without a password, or as CSV"
        )
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            infos = packed.infolist()
            _check_directory(infos, name, most)
            parts: dict[str, bytes] = {}
            left = most.unpacked
            for info in infos:
                if not _NEEDED.fullmatch(info.filename):
                    continue
                part = bytearray()
                with packed.open(info) as opened:  # never gives more than the directory says
                    while chunk := opened.read(_CHUNK):
                        part += chunk
                        left -= len(chunk)
                        if left < 0:
                            raise _large(name, most)
                parts[info.filename] = bytes(part)
            return parts
    except TableError:
        raise
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError,
            zipfile.LargeZipFile, ArithmeticError, LookupError):  # fmt: skip
        raise _damaged(name) from None
    except Exception as error:
        if type(error).__module__ in ("zlib", "lzma", "_lzma"):
            raise _damaged(name) from None
        raise


def _check_directory(infos: list[zipfile.ZipInfo], name: str, most: Most) -> None:
    """Raise an error if what a packed file says of itself is no workbook, or too much."""
    names = [each.filename for each in infos]
    if any("vbaproject" in each.lower() for each in names):
        raise TableError(f"{name}: has macros; save it as .xlsx without them, or as CSV")
    if any(each.flag_bits & 1 for each in infos):
        raise TableError(f"{name}: is encrypted; save it without a password")
    if not any(each.lower() == "xl/workbook.xml" for each in names):
        raise TableError(f"{name}: is a packed file, but no .xlsx workbook")
    if len(set(names)) < len(names) or len(names) > _MOST_PARTS:
        raise _damaged(name)
    if sum(each.file_size for each in infos) > most.unpacked:
        raise _large(name, most)


def _large(name: str, most: Most) -> TableError:
    return TableError(
        f"{name}: unpacked, it would have more than {most.unpacked:,} bytes; is it the right file?"
    )


def _packed(parts: dict[str, bytes]) -> bytes:
    """Return a zip of what was unpacked here, so that a reader unpacks nothing itself."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as packed:
        for path, part in parts.items():
            packed.writestr(path, part)
    return made.getvalue()


def _lengths(parts: dict[str, bytes], name: str) -> list[int]:
    """Return how long each text is that the cells of all sheets share."""
    found: list[int] = []
    parser = expat.ParserCreate()

    def begin(tag: str, _: dict[str, str]) -> None:
        if tag.rpartition(":")[2] == "si":
            found.append(0)

    def text(data: str) -> None:
        if found:
            found[-1] += len(data)

    parser.StartElementHandler = begin
    parser.CharacterDataHandler = text
    for path, part in parts.items():
        if path.lower().endswith("sharedstrings.xml"):
            _parse(parser, part, name)
            break
    return found


class _Sheet:
    """Goes through a sheet cell by cell: is it too large, and is the value of each cell known?

    A text that many cells share takes room in each of them; `lengths` says how much.
    """

    def __init__(self, name: str, most: Most, lengths: list[int]) -> None:
        self.name, self.most, self.lengths = name, most, lengths
        self.row = self.column = self.last_column = self.cells = self.signs = 0
        self.here = self.index = ""
        self.has_formula = self.has_value = self.shares = self.in_value = False
        self.unknown: list[str] = []

    def begin(self, tag: str, given: dict[str, str]) -> None:
        match tag.rpartition(":")[2]:
            case "row":
                self.row, self.column = _number(given.get("r", ""), self.row + 1, self.name), 0
            case "c":
                self._cell(given)
            case "f":
                self.has_formula = True
            case "v" | "is":
                self.in_value = True

    def _cell(self, given: dict[str, str]) -> None:
        self.column += 1
        if "r" in given:
            found = _REFERENCE.fullmatch(given["r"])
            if found is None:
                raise _damaged(self.name)
            self.column, self.row = _column(found[1]), int(found[2])
        self.cells, self.last_column = self.cells + 1, max(self.last_column, self.column)
        self.here = given.get("r", f"row {self.row}")
        self.has_formula = self.has_value = False
        self.shares, self.index = given.get("t") == "s", ""
        if given.get("t") == "e":
            self.unknown.append(f"{self.here} holds an error, such as #N/A; empty it")
        area = max(self.row * self.last_column, self.cells)
        if self.row > self.most.rows + 1 or area > self.most.cells:
            raise TableError(
                f"{self.name}: a sheet reaches to row {self.row:,} and column "
                f"{self.last_column:,}, which is more than is taken at once; is it the right file?"
            )

    def text(self, data: str) -> None:
        self.has_value = self.has_value or self.in_value
        if self.shares and len(self.index) < 10:
            self.index += data

    def end(self, tag: str) -> None:
        kind = tag.rpartition(":")[2]
        self.in_value = self.in_value and kind not in ("v", "is")
        if kind != "c":
            return
        if self.shares and self.index.strip().isdigit():
            at = int(self.index)
            self.signs += self.lengths[at] if at < len(self.lengths) else 0
            if self.signs > self.most.unpacked:
                raise TableError(
                    f"{self.name}: its cells have more than {self.most.unpacked:,} characters; is "
                    f"it the right file?"
                )
        if self.has_formula and not self.has_value:
            self.unknown.append(
                f"{self.here} is a formula whose result is not in the file; open and save it in a "
                f"spreadsheet, or put the value in its place"
            )


def _look_over(part: bytes, name: str, most: Most, lengths: list[int]) -> None:
    """Raise an error if a sheet is too large, or has cells whose value is not known."""
    sheet = _Sheet(name, most, lengths)
    parser = expat.ParserCreate()
    parser.StartElementHandler = sheet.begin
    parser.EndElementHandler = sheet.end
    parser.CharacterDataHandler = sheet.text
    _parse(parser, part, name)
    if sheet.last_column > most.columns:
        raise TableError(
            f"{name}: there are {sheet.last_column:,} columns, and at most {most.columns:,} are "
            f"taken; is it the right file?"
        )
    if sheet.unknown:
        raise TableError(f"{name}: {'; '.join(shortened(sheet.unknown[: _MOST_NAMED + 20]))}")


def _parse(parser: expat.XMLParserType, part: bytes, name: str) -> None:
    """Go through a part; one that defines entities, which may multiply, is refused."""

    def refuse(*_: Any) -> None:
        raise _damaged(name)

    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(part, True)
    except expat.ExpatError:
        raise _damaged(name) from None


def _number(text: str, usual: int, name: str) -> int:
    if not text:
        return usual
    if not text.isascii() or not text.isdigit() or len(text) > 7:
        raise _damaged(name)
    return int(text)


def _column(letters: str) -> int:
    """Return the number of a column.

    >>> _column("A"), _column("Z"), _column("XFD")
    (1, 26, 16384)
    """
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number


def _damaged(name: str) -> TableError:
    return TableError(
        f"{name}: cannot be read as an .xlsx workbook; it may be damaged. Open it in a spreadsheet "
        f"and save it again, or save it as CSV"
    )
