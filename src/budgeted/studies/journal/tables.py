"""The three tables of a journal.

`budgeted_events` holds the events. Every row carries a digest of itself and of the row before it,
so that the last digest stands for the whole history. `budgeted_heads` holds number and digest of
the last event of each study a second time: a history whose end is missing is no history any more.
Beside them is what the study looks like at a glance, for lists of studies.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

FORMAT = 1
"""Of journals; one with another number was written by a newer package."""
FORMAT_TABLE, EVENTS_TABLE, HEADS_TABLE = "budgeted_format", "budgeted_events", "budgeted_heads"
NAMES = (FORMAT_TABLE, EVENTS_TABLE, HEADS_TABLE)


class Head(NamedTuple):
    """Number and digest of the last event of a study; of none, 0 and an empty text."""

    seq: int = 0
    digest: str = ""


@cache
def metadata() -> Any:
    """Return the tables; SQLAlchemy is an extra, so they cannot be made on import."""
    from sqlalchemy import Column, Integer, MetaData, String, Table, Text

    made = MetaData()
    Table(FORMAT_TABLE, made, Column("version", Integer, nullable=False))
    Table(
        HEADS_TABLE,
        made,
        Column("study", String, primary_key=True),
        Column("seq", Integer, nullable=False),
        Column("digest", String, nullable=False),
        Column("summary", Text, nullable=False),
        Column("summary_digest", String, nullable=False),
    )
    Table(
        EVENTS_TABLE,
        made,
        Column("study", String, primary_key=True),
        Column("seq", Integer, primary_key=True, autoincrement=False),
        Column("at", String, nullable=False),
        Column("actor", String, nullable=False),
        Column("key", String, nullable=False),
        Column("command", String, nullable=False),
        Column("body", Text, nullable=False),
        Column("digest", String, nullable=False),
    )
    return made
