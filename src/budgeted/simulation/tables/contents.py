"""The cells of a table: what is a number, what is missing, and what cannot be right."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence

from budgeted.errors import TableError
from budgeted.listing import did_you_mean, listed

Cell = str | float | None
"""A text, a number, or None where the value is missing."""
Column = str | int
"""A column by name or position; -1 is the last."""
Place = Callable[[int], str]
"""Names a row in messages, such as "line 12"."""

# Numbers as programs print them. "007" is a code, and 16 digits or more do not fit into a float.
_NUMBER = re.compile(r"[+-]?(0|[1-9][0-9]{0,14})?(\.[0-9]*)?([eE][+-]?[0-9]{1,3})?")
_MOST_LABELS = 100
_MANY_NUMBERS = 20
_MANY_ROWS = 20


def as_cell(raw: Cell) -> Cell:
    """Return a number where the text is one, and the text without blanks around it otherwise.

    >>> [as_cell(raw) for raw in (" 3.50", "007", "TRUE", "12345678901234567890", "5more")]
    [3.5, '007', 'true', '12345678901234567890', '5more']
    """
    if not isinstance(raw, str):
        return raw
    text = raw.strip()
    if text[-1:].isdigit() or text[-1:] == ".":
        matched = _NUMBER.fullmatch(text)
        if matched and (matched[1] or len(matched[2] or "") > 1) and math.isfinite(float(text)):
            return float(text) + 0.0  # minus zero is zero
    # Programs disagree on how to write truth values, and dataframes forget it.
    return text.lower() if text.lower() in ("true", "false") else text


def name_of(cell: str | float) -> str:
    """Return the name of a cell's value; whole numbers have no decimal point.

    >>> name_of(3.0), name_of(0.1), name_of("f")
    ('3', '0.1', 'f')
    """
    if isinstance(cell, str):
        return cell
    return str(int(cell)) if cell.is_integer() and abs(cell) < 1e15 else repr(cell)


def by_number_then_text(name: str) -> tuple[float, str]:
    """Sort key of value names: numbers by size, then texts.

    >>> sorted(["more", "10", "2"], key=by_number_then_text)
    ['2', '10', 'more']
    """
    cell = as_cell(name)
    return (cell, "") if isinstance(cell, float) else (math.inf, name)


def read_cells(raw: Sequence[Cell], markers: Collection[str], as_text: bool) -> tuple[Cell, ...]:
    """Return the cells of a column.

    >>> read_cells(["1", "0.0", ""], markers=["0"], as_text=False)
    (1.0, None, None)
    """
    if isinstance(markers, str):
        raise TableError(f"missing: must be a list of cell texts, got {markers!r}")
    # Comparing what the markers become lets "0" also stand for 0.0 and for a dataframe's 0.
    absent = {None, "", *(as_cell(str(marker)) for marker in markers)}
    known: dict[Cell, Cell] = {}
    for each in set(raw):
        cell = as_cell(each)
        known[each] = None if cell is None or cell in absent else name_of(cell) if as_text else cell
    return tuple(map(known.__getitem__, raw))


def find_column(column: Column, names: Sequence[str], field: str) -> int:
    """Return the position of a column given by name or position.

    >>> find_column("odour", ["class", "odor"], "label")
    Traceback (most recent call last):
    ...
    budgeted.errors.TableError: label: there is no column 'odour'; did you mean 'odor'? \
The columns are: 'class', 'odor'
    """
    if isinstance(column, str):
        if names.count(column.strip()) == 1:
            return names.index(column.strip())
        if column.strip() in names:
            check_header(names)
    elif isinstance(column, int) and not isinstance(column, bool):
        if -len(names) <= column < len(names):
            return column % len(names)
        raise TableError(
            f"{field}: there is no column number {column}; there are {len(names)}, counted from 0"
        )
    hint = did_you_mean(str(column), names)
    raise TableError(
        f"{field}: there is no column {column!r}; {hint}The columns are: {listed(names)}"
    )


def check_header(names: Sequence[str | None]) -> None:
    """Raise an error for a column without a name or a name of two columns; None is ignored."""
    for position, name in enumerate(names):
        if name == "":
            raise TableError(
                f"column {position} (counted from 0) has no name; give it one in the header, or "
                f"pass ignore=[{position}] if it only numbers the rows"
            )
    for name, times in Counter(names).items():
        if name is not None and times > 1:
            where = " and ".join(str(at) for at, each in enumerate(names) if each == name)
            raise TableError(
                f"the header has {name!r} {times} times, in columns {where} (counted from 0); "
                f"give each column its own name or ignore all but one by position"
            )


def label_names(name: str, cells: tuple[Cell, ...], place: Place) -> list[str]:
    """Return the label of each row; raise an error where it is missing or cannot be learned."""
    if None in cells:
        raise TableError(
            f"{place(cells.index(None))} has no label (column {name!r}); the labels of all cases "
            f"must be known: remove the row, or say with missing_in what means missing in that "
            f"column"
        )
    if not cells:
        raise TableError("there are no rows below the header; give at least two cases")
    names = {cell: name_of(cell) for cell in set(cells) if cell is not None}
    different = sorted(set(names.values()))
    if len(different) == 1:
        raise TableError(
            f"label: column {name!r} holds {different[0]!r} in every row; there is nothing to "
            f"tell apart: choose another label column or add cases of another label"
        )
    if len(different) > _MOST_LABELS:
        raise TableError(
            f"label: column {name!r} has {len(different)} different values, such as "
            f"{different[0]!r}; labels are classes, at most {_MOST_LABELS}: choose another column, "
            f"or put its values into groups first"
        )
    return [names[cell] for cell in cells if cell is not None]


def check_column(
    name: str, column: tuple[Cell, ...], most_values: int, place: Place, *, known: bool
) -> None:
    """Raise an error for a column that cannot be for sale as it is.

    `known` says that somebody vouches for it: it was named among the columns of texts.
    """
    distinct = set(column) - {None}
    if not distinct:
        raise TableError(f"column {name!r} has only missing cells; ignore it")
    texts = {cell for cell in distinct if isinstance(cell, str)}
    if not texts:
        return
    such_as = next(
        f"such as {cell!r} in {place(row)}" for row, cell in enumerate(column) if cell in texts
    )
    looks_like_an_id = len(texts) == len(column) > _MANY_ROWS
    if looks_like_an_id and not known and len(column) <= most_values:
        raise TableError(
            f"column {name!r} has another text in every row, {such_as}; that looks like an id: "
            f"ignore it, or name it in text to keep it"
        )
    if len(distinct) > most_values:
        raise TableError(
            f"column {name!r} has {len(distinct)} different values, {such_as}; that looks like an "
            f"id or free text: ignore it, or allow more with most_values"
        )
    if len(distinct) - len(texts) > _MANY_NUMBERS:
        cells = sum(map(texts.__contains__, column))
        if cells < len(column) / 2:
            raise TableError(
                f"column {name!r} is made of numbers, except for {cells} cells {such_as}; if that "
                f"means missing, say so with missing or missing_in; if the numbers are codes, name "
                f"the column in text"
            )
