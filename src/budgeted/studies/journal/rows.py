"""The rows of a journal: written behind those that the writer knows, and checked when read.

Every row carries a digest of itself and of the row before it; reading checks each against the one
before it, and the last with the head.

The body of a row is its event as JSON. `to_json` and `from_json` are the only way in
and out: explicit keys, unknown ones refused, amounts of money as text, and nothing that could run
code.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cache, lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from budgeted.errors import (
    ConflictError,
    JournalError,
    UnwritableError,
)
from budgeted.studies import (  # noqa: F401 - events of their own files
    availability,
    budget_terms,
    created,
    growth,
    notes,
    stop_events,
)
from budgeted.studies.events import EVENTS, Entry, Event, Recorded, Told
from budgeted.studies.journal.messages import damaged, foreign
from budgeted.studies.journal.tables import Head

if TYPE_CHECKING:
    from sqlalchemy import Connection, RootTransaction

_HEAD = "SELECT seq, digest FROM budgeted_heads WHERE study = :study"
_DIGEST = "SELECT digest FROM budgeted_events WHERE study = :study AND seq = :seq"
WRITE_HEAD = """
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
    WITH head AS ({WRITE_HEAD})
    INSERT INTO budgeted_events (study, seq, at, actor, "key", command, body, digest)
    SELECT CAST(:study AS text), * FROM unnest(
        CAST(:seq AS integer[]), CAST(:at AS text[]), CAST(:actor AS text[]),
        CAST(:key AS text[]), CAST(:command AS text[]), CAST(:body AS text[]),
        CAST(:digest AS text[]))
    WHERE CAST(:before AS integer) = 0 OR EXISTS (
        SELECT 1 FROM budgeted_events e
        WHERE e.study = :study AND e.seq = :before AND e.digest = :before_digest)"""
# One statement, so that the head and the events are of the same moment. The row before gives its
# digest only: the first event of a large study is megabytes.
_READ = """
    SELECT h.seq, h.digest,
        (SELECT b.digest FROM budgeted_events b WHERE b.study = :study AND b.seq = :after),
        e.seq, e.at, e.actor, e."key", e.command, e.body, e.digest
    FROM (SELECT 1 AS one) AS one
    LEFT JOIN budgeted_heads h ON h.study = :study
    LEFT JOIN budgeted_events e ON e.study = :study AND e.seq > :after"""


@cache
def sql(statement: str) -> Any:
    """Return a statement as SQLAlchemy takes it, made once."""
    from sqlalchemy import text

    return text(statement)


def digest_of(
    before: str, study: str, seq: int, at: str, actor: str, key: str, command: str, body: str
) -> str:
    """Return the digest of a row behind a row with the digest `before`.

    >>> digest_of("", "flu", 1, "2026-01-02T03:04:05Z", "anna", "", "", "{}")[:12]
    '829cc0299cda'
    """
    # No text of a journal holds a NUL, so that nothing can move from one field to the next.
    content = "\0".join((before, study, str(seq), at, actor, key, command, body))
    return hashlib.sha256(content.encode()).hexdigest()


def summary_digest_of(head: str, summary: str) -> str:
    """Return the digest of a summary, which belongs to the event with the digest `head` only."""
    return hashlib.sha256(f"{head}\0{summary}".encode(errors="surrogatepass")).hexdigest()


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
    """Raise an error unless a study is where its writer thinks it is."""
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
    """Write events and the new head of their study, behind an event that must be there."""
    last = head_values(study, rows[-1]["seq"], rows[-1]["digest"], summary)
    if connection.dialect.name == "sqlite":
        there = before.seq == 0 or digest_at(connection, study, before.seq) == before.digest
        if there:
            connection.execute(sql(WRITE_HEAD), last)
            connection.execute(sql(_WRITE_EVENT), [{"study": study, **row} for row in rows])
    else:
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        behind = {"before": before.seq, "before_digest": before.digest}
        written = connection.execute(sql(_WRITE_ALL), {**last, **columns, **behind}).rowcount
        there = written == len(rows)
    if not there:
        raise damaged(study, where, before.seq)


def head_values(study: str, seq: int, digest: str, summary: str) -> dict[str, Any]:
    """Return the columns of a head."""
    return {
        "study": study,
        "last_seq": seq,
        "last_digest": digest,
        "summary": summary,
        "summary_digest": summary_digest_of(digest, summary),
    }


def delete_rows(connection: Connection, study: str) -> None:
    """Take all events of a study, and its head, out of the database."""
    if connection.dialect.name == "sqlite":  # else what was written stays in the file's free pages
        connection.exec_driver_sql("PRAGMA secure_delete = ON")
    for table in ("budgeted_events", "budgeted_heads"):
        connection.execute(sql(f"DELETE FROM {table} WHERE study = :study"), {"study": study})


def commit(transaction: RootTransaction) -> Exception | None:
    """Commit; return the error if it is not known thereafter whether that was done."""
    from sqlalchemy.exc import SQLAlchemyError

    try:
        transaction.commit()
    except SQLAlchemyError as error:
        return error
    return None


def fetch(connection: Connection, study: str, after: int) -> Sequence[Any]:
    """Return the rows behind a number, each with the head and the digest before all of them."""
    return connection.execute(sql(_READ), {"study": study, "after": after}).all()


def checked(
    rows: Sequence[Any], study: str, after: int, known: Head, where: str
) -> tuple[tuple[Entry, ...], Head]:
    """Return the events in some rows and the head that they lead to, or an error if they do not."""
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


def to_json(event: Event) -> str:
    """Return an event as JSON text, in ASCII, so that no encoding of a database can change it.

    >>> from decimal import Decimal
    >>> to_json(Told(7, "yes", Decimal("1.50")))
    '{"number":7,"value":"yes","cost":"1.50","kind":"told"}'
    """
    try:
        text = json.dumps(to_plain(event), separators=(",", ":"), allow_nan=False)
        # What cannot be read back must not be written: it would lock the whole study.
        if from_json(text) != event:
            raise UnwritableError("it comes back as something else")
    except ValueError as error:
        said = _wrong_field(event) or str(error).strip().splitlines()[-1].strip()
        raise UnwritableError(f"an event that cannot be written as JSON: {said}") from None
    return text


def check_text(what: str, text: str) -> None:
    """Refuse what some database cannot hold: NUL, and halves of characters from a bad encoding."""
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise UnwritableError(f"{what} has characters that cannot be stored: {text!r}")


def to_plain(event: Event) -> dict[str, Any]:
    """Return an event as JSON values, for those who look; its value may be forgotten."""
    plain: dict[str, Any] = _adapter(len(EVENTS)).dump_python(event, mode="json", warnings="error")
    return plain


def from_json(text: str) -> Event:
    """Return the event in a JSON text; raise a `JournalError` if it is none.

    >>> from_json('{"number":7,"value":"yes","cost":"1.50","kind":"told"}')
    Told(number=7, value='yes', cost=Decimal('1.50'), kind='told')
    """
    import pydantic

    try:
        event: Event = _adapter(len(EVENTS)).validate_json(text)
    except pydantic.ValidationError as error:
        mistakes = error.errors()
        if mistakes[0]["type"] == "union_tag_invalid":
            kind = mistakes[0]["ctx"]["tag"]
            raise JournalError(
                f"an event of the kind {kind!r}, which this budgeted does not know: a newer one "
                f"wrote it; update the package"
            ) from None
        wrong = "; ".join(
            f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in mistakes[:5]
        )
        raise JournalError(f"an event that makes no sense ({wrong}): {text[:80]!r}") from None
    forgotten = isinstance(event, Told | Recorded) and event.value is None
    forgotten |= isinstance(event, notes.Noted) and event.text is None
    if forgotten:  # never written down like that
        raise JournalError(f"an event that makes no sense (there is no value): {text[:80]!r}")
    return event


_WORDS = {"str": "text", "int": "a whole number", "bool": "true or false", "Decimal": "an amount"}


def _wrong_field(event: Event) -> str:
    """Which field holds what it cannot hold, in words; nothing where none can be named.

    >>> from budgeted.studies.events import Cancelled
    >>> _wrong_field(Cancelled(3, why=5))
    'why: must be text, got 5'
    """
    for each in fields(event):  # type: ignore[arg-type]  # every kind is a dataclass
        held = getattr(event, each.name)
        if each.type in _WORDS and type(held).__name__ != each.type:
            return f"{each.name}: must be {_WORDS[str(each.type)]}, got {held!r}"
    return ""


@lru_cache(maxsize=1)
def _adapter(_kinds: int) -> Any:
    """What turns events into JSON values and back; built anew when there is another kind."""
    from typing import Annotated, Union

    from pydantic import Field, TypeAdapter

    every: Any = Union[tuple(EVENTS.values())]  # noqa: UP007 - not known before it runs
    tagged: Any = Annotated[every, Field(discriminator="kind")]
    return TypeAdapter(tagged)


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
