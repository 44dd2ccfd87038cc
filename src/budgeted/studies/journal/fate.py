"""What became of a write whose answer was lost.

A transaction holds the head of its study from its first statement to its end. So whoever gets hold
of that head afterwards, over a new connection, knows that the lost transaction has ended: what it
wrote is there, or will never be.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from budgeted.errors import JournalError
from budgeted.studies.journal.rows import WRITE_HEAD, digest_at, head_values, hold_head, sql
from budgeted.studies.journal.tables import Head

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

PATIENCE = 20.0
"""Seconds to find out what became of a write; a server ends a lost transaction after ten."""


def find_out(engine: Engine, study: str, written: Head, first: bool) -> bool | None:
    """Tell whether a write whose answer was lost is in the journal; None if nobody answers."""
    from sqlalchemy.exc import IntegrityError, SQLAlchemyError

    until, pause = time.monotonic() + PATIENCE, 0.02
    while True:
        try:
            with engine.connect() as plain:
                connection = plain.execution_options(budgeted_write=True)
                with connection.begin() as transaction:
                    _wait_for_the_other(connection, study, first)
                    if first:
                        transaction.rollback()
                with connection.begin():
                    return digest_at(connection, study, written.seq) == written.digest
        except IntegrityError:  # the head is there: the lost transaction, or another, has ended
            first = False
        except (SQLAlchemyError, JournalError):
            if time.monotonic() > until:
                return None
            time.sleep(pause)
            pause = min(1.0, 2 * pause)


def _wait_for_the_other(connection: Connection, study: str, first: bool) -> None:
    """Wait until the transaction that was lost has ended, by wanting what it holds."""
    if first:  # two cannot begin the same study: this waits for who does
        values = head_values(study, 0, "", "")
        connection.execute(sql(WRITE_HEAD.partition("ON CONFLICT")[0]), values)
    else:
        hold_head(connection, study)
