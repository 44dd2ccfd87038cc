"""Reading a journal: every row is checked against the one before it, and the last with the head."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from budgeted.errors import JournalError
from budgeted.events import Entry, from_json
from budgeted.journal.tables import Head, digest_of, sql, summary_digest_of
from budgeted.journal.writing import damaged, foreign

if TYPE_CHECKING:
    from sqlalchemy import Connection

# One statement, so that the head and the events are of the same moment. The row before gives its
# digest only: the first event of a large study is megabytes.
_READ = """
    SELECT h.seq, h.digest,
        (SELECT b.digest FROM budgeted_events b WHERE b.study = :study AND b.seq = :after),
        e.seq, e.at, e.actor, e."key", e.command, e.body, e.digest
    FROM (SELECT 1 AS one) AS one
    LEFT JOIN budgeted_heads h ON h.study = :study
    LEFT JOIN budgeted_events e ON e.study = :study AND e.seq > :after"""

# From both places: one that is damaged in one of them is listed, and says so when opened. From name
# to name by the index: the events in between need not be looked at.
_NAMES = """
    WITH RECURSIVE begun(study) AS (
        SELECT min(study) FROM budgeted_events
        UNION ALL
        SELECT (SELECT min(e.study) FROM budgeted_events e WHERE e.study > begun.study)
        FROM begun WHERE begun.study IS NOT NULL)
    SELECT study FROM begun WHERE study IS NOT NULL UNION SELECT study FROM budgeted_heads"""
_HEADS = f"""
    SELECT names.study, h.seq, h.digest, h.summary, h.summary_digest FROM ({_NAMES}) AS names
    LEFT JOIN budgeted_heads h ON h.study = names.study ORDER BY names.study"""


def fetch_names(connection: Connection) -> tuple[str, ...]:
    """Return the names of all studies, in order."""
    query = f"SELECT study FROM ({_NAMES}) AS names ORDER BY study"
    return tuple(connection.execute(sql(query)).scalars().all())


def fetch_heads(connection: Connection) -> list[tuple[str, Head, str]]:
    """Return name, last event and summary of each study, in order of their names.

    A summary that was not written with that event, or was edited since, is left out.
    """
    found = []
    for study, seq, digest, summary, kept in connection.execute(sql(_HEADS)):
        right = kept == summary_digest_of(str(digest), str(summary))
        found.append((study, Head(seq or 0, digest or ""), str(summary) if right else ""))
    return found


def fetch(connection: Connection, study: str, after: int) -> Sequence[Any]:
    """Return the rows behind a number, each with the head and the digest before all of them."""
    return connection.execute(sql(_READ), {"study": study, "after": after}).all()


def checked(
    rows: Sequence[Any], study: str, after: int, known: Head, where: str
) -> tuple[tuple[Entry, ...], Head]:
    """Return the events in some rows and the head that they lead to, or an error if they do not.

    Parameters
    ----------
    rows
        As of `fetch`.
    study, after
        What they are of.
    known
        The last event that was seen before; a history without it is another one.
    where
        For messages.
    """
    head = Head() if rows[0][0] is None else Head(rows[0][0], rows[0][1])
    digest = "" if after == 0 else rows[0][2]
    _check_start(head, digest, after, known, study, where)
    try:  # sorted here: the database would make a copy of everything for that
        found = [] if rows[0][3] is None else sorted((row[3:] for row in rows), key=itemgetter(0))
    except TypeError:
        raise damaged(study, where, after + 1) from None
    entries, seq = [], after
    for number, at, actor, key, command, body, kept in found:
        seq += 1
        try:
            digest = digest_of(digest, study, number, at, actor, key, command, body)
        except (TypeError, ValueError):  # a text that became a number, or half a character
            raise damaged(study, where, seq) from None
        if number != seq or kept != digest:
            raise damaged(study, where, seq)
        if seq == known.seq and digest != known.digest:
            raise foreign(study, where, known.seq, head.seq)
        try:
            entries.append(Entry(seq, at, actor, from_json(body), key, command))
        except JournalError as error:
            raise JournalError(f"event {seq} of {study!r}: {error}", where) from None
    if head != (seq, digest):
        if head.seq > seq:
            raise JournalError(
                f"the end of the journal of {study!r} is missing: it holds {seq} events, and "
                f"{head.seq} were written; restore the database from a backup",
                where,
            )
        raise damaged(study, where, min(head.seq + 1, seq))
    return tuple(entries), Head(seq, digest)


def _check_start(
    head: Head, digest: str | None, after: int, known: Head, study: str, where: str
) -> None:
    """Raise an error if the history that is there does not hold what was seen before."""
    if isinstance(head.seq, int) and head.seq < known.seq:
        raise foreign(study, where, known.seq, head.seq)
    if not isinstance(head.seq, int) or (digest is None and head.seq >= after):
        raise damaged(study, where, after)
    if digest is None:
        raise JournalError(f"{study!r} has fewer than {after} events", where)
    if after == known.seq and digest != known.digest:
        raise foreign(study, where, known.seq, head.seq)
