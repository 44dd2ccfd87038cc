"""Writing to a journal, and finding out what became of a write whose answer was lost.

A transaction holds the head of its study from its first statement to its end. So whoever gets hold
of that head afterwards, over a new connection, knows that the lost transaction has ended: what it
wrote is there, or will never be.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from budgeted.errors import ConflictError, ForeignHistoryError, JournalError
from budgeted.journal.tables import Head, sql, summary_digest_of

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine, RootTransaction

PATIENCE = 20.0
"""Seconds to find out what became of a write; a server ends a lost transaction after ten."""

_HEAD = "SELECT seq, digest FROM budgeted_heads WHERE study = :study"
_DIGEST = "SELECT digest FROM budgeted_events WHERE study = :study AND seq = :seq"
_WRITE_HEAD = """
    INSERT INTO budgeted_heads (study, seq, digest, summary, summary_digest)
    VALUES (:study, :last_seq, :last_digest, :summary, :summary_digest)
    ON CONFLICT (study) DO UPDATE
    SET seq = excluded.seq, digest = excluded.digest, summary = excluded.summary,
        summary_digest = excluded.summary_digest"""
_WRITE_EVENT = """
    INSERT INTO budgeted_events (study, seq, at, actor, "key", command, body, digest)
    VALUES (:study, :seq, :at, :actor, :key, :command, :body, :digest)"""
# One statement for any number of rows: the driver's own way for many leaves complaints on stderr
# when one of them fails.
_WRITE_ALL = f"""
    WITH head AS ({_WRITE_HEAD})
    INSERT INTO budgeted_events (study, seq, at, actor, "key", command, body, digest)
    SELECT CAST(:study AS text), * FROM unnest(
        CAST(:seq AS integer[]), CAST(:at AS text[]), CAST(:actor AS text[]),
        CAST(:key AS text[]), CAST(:command AS text[]), CAST(:body AS text[]),
        CAST(:digest AS text[]))
    WHERE CAST(:before AS integer) = 0 OR EXISTS (
        SELECT 1 FROM budgeted_events e
        WHERE e.study = :study AND e.seq = :before AND e.digest = :before_digest)"""


def hold_head(connection: Connection, study: str) -> Head:
    """Return the head of a study; nobody else can change it before this transaction ends."""
    server = connection.dialect.name != "sqlite"  # a writer of a SQLite file has all of it
    query = sql(f"{_HEAD} FOR UPDATE" if server else _HEAD)
    row = connection.execute(query, {"study": study}).first()
    return Head() if row is None else Head(*row)


def digest_at(connection: Connection, study: str, seq: int) -> str | None:
    """Return the digest of an event; None if there is none of that number."""
    found = connection.execute(sql(_DIGEST), {"study": study, "seq": seq}).scalar()
    return None if found is None else str(found)


def check_head(connection: Connection, found: Head, known: Head, study: str, where: str) -> None:
    """Raise an error unless a study is where its writer thinks it is.

    Parameters
    ----------
    connection
        Where to look for more.
    found, known
        The head that is there, and the last event that the writer knows; without a digest, only its
        number.
    study, where
        For messages.
    """
    if found.seq == known.seq and known.digest in ("", found.digest):
        return
    if found.seq > known.seq or not known.digest:
        before = digest_at(connection, study, known.seq) if known.seq and known.digest else ""
        if before == known.digest:
            raise ConflictError(
                f"study {study!r} has {found.seq} events by now, not {known.seq}; read on and try "
                f"again",
                where,
            )
    raise foreign(study, where, known.seq, found.seq)


def write_rows(
    connection: Connection,
    study: str,
    before: Head,
    rows: Sequence[Mapping[str, Any]],
    where: str,
    summary: str,
) -> None:
    """Write events and the new head of their study, behind an event that must be there.

    Parameters
    ----------
    connection, study
        Where to.
    before
        The head so far; if its event is gone, the end of the journal is.
    rows
        All columns but the study, in order.
    where
        For messages.
    summary
        What the study looks like after these events.
    """
    last = _head_values(study, rows[-1]["seq"], rows[-1]["digest"], summary)
    if connection.dialect.name == "sqlite":
        there = before.seq == 0 or digest_at(connection, study, before.seq) == before.digest
        if there:
            connection.execute(sql(_WRITE_HEAD), last)
            connection.execute(sql(_WRITE_EVENT), [{"study": study, **row} for row in rows])
    else:
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        behind = {"before": before.seq, "before_digest": before.digest}
        written = connection.execute(sql(_WRITE_ALL), {**last, **columns, **behind}).rowcount
        there = written == len(rows)
    if not there:
        raise damaged(study, where, before.seq)


def _head_values(study: str, seq: int, digest: str, summary: str) -> dict[str, Any]:
    return {
        "study": study,
        "last_seq": seq,
        "last_digest": digest,
        "summary": summary,
        "summary_digest": summary_digest_of(digest, summary),
    }


def commit(transaction: RootTransaction) -> Exception | None:
    """Commit; return the error if it is not known thereafter whether that was done."""
    from sqlalchemy.exc import SQLAlchemyError

    try:
        transaction.commit()
    except SQLAlchemyError as error:
        return error
    return None


def find_out(engine: Engine, study: str, written: Head, first: bool) -> bool | None:
    """Tell whether a write whose answer was lost is in the journal; None if nobody answers.

    Parameters
    ----------
    engine
        Connections to the database.
    study, written
        The study, and number and digest of the last event that was to be written.
    first
        Whether the study was to begin with it: then there was no head to hold.
    """
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
        values = _head_values(study, 0, "", "")
        connection.execute(sql(_WRITE_HEAD.partition("ON CONFLICT")[0]), values)
    else:
        hold_head(connection, study)


def foreign(study: str, where: str, known: int, found: int) -> ForeignHistoryError:
    """Return the error of who finds another history than the one he read."""
    return ForeignHistoryError(
        f"the history of study {study!r} is not the one that was read here: {known} events were "
        f"known, and the database, which has {found} now, holds others or fewer. It was restored "
        f"from an older copy, or replaced. Open the study again, and look at it before going on",
        where,
    )


def damaged(study: str, where: str, seq: int) -> JournalError:
    """Return the error of who finds a row that does not belong where it is, or none."""
    return JournalError(
        f"the journal of {study!r} is damaged or was edited at event {seq}; restore the database "
        f"from a backup",
        where,
    )
