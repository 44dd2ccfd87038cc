"""Rows of a journal as they were written, to be copied to another one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any, TypeVar

_Row = TypeVar("_Row")
_PORTION = 500
"""Rows of one statement."""


def as_written(fetched: Sequence[Any]) -> list[dict[str, Any]]:
    """Return rows that were fetched and checked as `rows.write_rows` takes them, in order."""
    names = ("seq", "at", "actor", "key", "command", "body", "digest")
    found = [dict(zip(names, row[3:], strict=True)) for row in fetched if row[3] is not None]
    return sorted(found, key=itemgetter("seq"))


def portions(rows: Sequence[_Row]) -> Iterator[Sequence[_Row]]:
    """Yield rows in portions that a statement can carry."""
    for begin in range(0, len(rows), _PORTION):
        yield rows[begin : begin + _PORTION]
