"""The append-only log of events, in SQLite or PostgreSQL; damage and a cut end are found out.

Two operations: `Journal.read` and `Journal.append`. Events of a study are numbered 1, 2, 3, …
without gaps. Who appends says which number was the last one he knows; if somebody else was first,
nothing is written and `ConflictError` says so. Two writers can therefore never take the same number
(the primary key forbids it) and no write is lost.

Every row carries a digest of itself and of the row before it, and the last one is kept a second
time: a file that was damaged, cut off, edited or replaced is found out when it is read.
"""

from __future__ import annotations

import getpass
import os
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from budgeted.errors import JournalError, UnknownFateError
from budgeted.studies.events import Entry, Event
from budgeted.studies.journal import fate, rows
from budgeted.studies.journal.connections import (
    Pool,
    acquire,
    drop,
    let_go,
    parse_url,
    translated,
)
from budgeted.studies.journal.messages import UNCHANGED, reason_of
from budgeted.studies.journal.opening import check_tables, look_over
from budgeted.studies.journal.rows import check_text, digest_of, sql, to_json
from budgeted.studies.journal.sidecar import drop_beside, head_beside, keep_beside
from budgeted.studies.journal.tables import FORMAT, Head

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

__all__ = ["FORMAT", "Head", "Journal", "now", "parse_url", "studies", "user"]


class Journal:
    """The events of one study in a database.

    Parameters
    ----------
    database
        Path of a SQLite file, or a URL: ``sqlite:///file``, ``postgresql://user@host/name``.
    study
        Name of the study; a database holds many.
    create
        Make the tables (and the file) if there are none. Unless given, nothing is ever created.

    Attributes
    ----------
    head
        Number and digest of the last event that was seen; the digest stands for all before it.
    where
        The database, without a password.

    Examples
    --------
    >>> import tempfile
    >>> from budgeted.studies.events import Closed
    >>> folder = tempfile.TemporaryDirectory()
    >>> with Journal(f"{folder.name}/studies.db", "anaemia", create=True) as journal:
    ...     _ = journal.append([Closed("enough")], expected=0, by="anna", at="2026-01-02T03:04:05Z")
    ...     print(*journal.read(after=0))  # doctest: +ELLIPSIS
    ...     print(journal.head.seq, journal.head.digest[:12])
    Entry(seq=1, ..., by='anna', event=Closed(why='enough', kind='closed'), key='', command='')
    1 cd221224dc51
    >>> folder.cleanup()
    """

    def __init__(self, database: str, study: str, *, create: bool = False) -> None:
        self.study = study
        self.database = database
        check_text("the name of the study", study)
        self._url = parse_url(database)
        self.where = self._url.render_as_string(hide_password=True)
        self.head = Head()
        self._file: str | None = None
        if self._url.get_backend_name() == "sqlite":
            self._file = os.path.abspath(self._url.database or "")
        self._held: Pool | None = None
        self._let_go: weakref.finalize[..., Journal] | None = None
        try:
            with translated(self.where, study):
                check_tables(self._pool, self._file, self.where, create=create)
        except BaseException:
            self.release()
            raise

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def release(self) -> None:
        """Let go of the database; its connections are closed when no journal needs them."""
        held, self._held = self._held, None
        if self._let_go is not None and self._let_go.detach() and held is not None:
            let_go(held)

    @property
    def _pool(self) -> Pool:
        """The connections; taken again if they were let go, or belong to the parent of a fork."""
        if self._held is None or self._held.process != os.getpid():
            self._held = acquire(self._url)
            self._let_go = weakref.finalize(self, drop, self._held)
        return self._held

    @property
    def _engine(self) -> Engine:
        return self._pool.engine

    def append(
        self,
        events: Sequence[Event],
        *,
        expected: int,
        by: str | Sequence[str],
        at: str | None = None,
        keys: Sequence[tuple[str, str]] | None = None,
        summary: str = "",
    ) -> tuple[Entry, ...]:
        """Write events behind number `expected`, all of them or none; return them as entries.

        Parameters
        ----------
        events
            What happened.
        expected
            Number of the last event that the writer knows of; 0 for a new study.
        by
            Who writes; or who gave rise to each of the events, where one writes for many.
        at
            When (ISO 8601, UTC); now unless given.
        keys
            The idempotency key of each event and the fingerprint of its command, see
            `budgeted.studies.drafts`; none unless given.
        summary
            What the study looks like after these events, for `Journal.heads`.

        Raises
        ------
        ConflictError
            If another event has been written meanwhile.
        ForeignHistoryError
            If the events up to `expected` are not those that were read here.
        UnknownFateError
            If the connection was lost, and it cannot be found out whether they were written.
        """
        when = now() if at is None else at
        actors = [by] * len(events) if isinstance(by, str) else list(by)
        for each in {by} if isinstance(by, str) else set(actors):
            check_text("the name of who writes", each)
        marks = [("", "")] * len(events) if keys is None else list(keys)
        texts = [to_json(event) for event in events]
        entries = tuple(
            Entry(seq, when, actor, event, *mark)
            for seq, (actor, event, mark) in enumerate(
                zip(actors, events, marks, strict=True), expected + 1
            )
        )
        known = self.head if expected == self.head.seq else Head(expected)
        head = self._write(entries, texts, known, summary)
        if self.head.seq == expected:
            self.head = head
        return entries

    def read(self, after: int = 0) -> tuple[Entry, ...]:
        """Return the events behind number `after`, checked for gaps, damage and a missing end.

        Raises
        ------
        ForeignHistoryError
            If the events that were seen before are not there any more.
        """
        # Before the events: what it says now was written by now. Later, somebody else may have
        # written more than what was read here.
        kept = self._kept_beside() if after == 0 and self.head.seq == 0 else Head()
        with (
            translated(self.where, self.study),
            self._engine.connect() as connection,
            connection.begin(),
        ):
            fetched = rows.fetch(connection, self.study, after)
        entries, head = rows.checked(fetched, self.study, after, self.head, self.where)
        self._check_kept(kept, head)
        self.head = head
        return entries

    def read_restored(self) -> tuple[tuple[Entry, ...], Head]:
        """Return all events, though they may not be all that was written; and the last that was."""
        kept = self._kept_beside()
        with translated(self.where, self.study), self._engine.connect() as connection:
            fetched = rows.fetch(connection, self.study, 0)
        entries, self.head = rows.checked(fetched, self.study, 0, Head(), self.where)
        return entries, kept

    def accept(self) -> None:
        """Note beside the file that what was read or written last is all that there is."""
        if self._file is not None:
            with self._pool.lock:
                drop_beside(self._file, self.study)
                keep_beside(self._file, self.study, self.head)

    def delete(self) -> Head:
        """Take the study out of the database for good; return what its last event was.

        In one transaction, and only if the last event is the one that was read here: what somebody
        wrote meanwhile is not deleted unseen.

        Raises
        ------
        ConflictError
            If another event has been written meanwhile.
        """
        head = self.head
        with translated(self.where, self.study, UNCHANGED), self._engine.connect() as plain:
            connection = plain.execution_options(budgeted_write=True)
            transaction = connection.begin()
            found = rows.hold_head(connection, self.study)
            rows.check_head(connection, found, head, self.study, self.where)
            rows.delete_rows(connection, self.study)
            if self._file is not None:
                # Before it is done: what is noted there may lag behind, but a study that is gone
                # must not be missed.
                with self._pool.lock:
                    drop_beside(self._file, self.study)
            lost = rows.commit(transaction)
        if lost is not None and (there := fate.find_out(self._engine, self.study, head, False)):
            raise JournalError(f"{reason_of(lost)}; {UNCHANGED}, try again", self.where) from lost
        if lost is not None and there is None:
            raise UnknownFateError(
                f"{reason_of(lost)}. The connection was lost while deleting, and it is not known "
                f"whether study {self.study!r} is still there: look before doing it again",
                self.where,
            ) from lost
        return head

    def forget(self) -> None:
        """Forget what was seen, so that whatever history the database holds now is read."""
        self.head = Head()

    def number_of(self, digest: str) -> int | None:
        """Return the number of the event whose digest begins like this; None if there is none."""
        query = "SELECT seq FROM budgeted_events WHERE study = :study AND digest LIKE :like"
        values = {"study": self.study, "like": f"{digest}%"}
        with translated(self.where, self.study), self._engine.connect() as connection:
            found: int | None = connection.execute(sql(query), values).scalar()
        return found

    def names(self) -> tuple[str, ...]:
        """Return the names of all studies in the database, with one query."""
        with self._one_query() as connection:
            return rows.fetch_names(connection)

    def heads(self) -> list[tuple[str, Head, str]]:
        """Return name, last event and summary of each study in the database, with one query."""
        with self._one_query() as connection:
            return rows.fetch_heads(connection)

    def ping(self) -> None:
        """Raise an error unless the database holds a journal, and lets somebody write."""
        with translated(self.where, self.study), self._engine.connect() as connection:
            connection.execution_options(budgeted_write=True)  # waits for who holds the lock
            connection.execute(sql("SELECT version FROM budgeted_format")).one()

    @contextmanager
    def _one_query(self) -> Iterator[Connection]:
        """Lend a connection for one statement, which needs no transaction round it."""
        with translated(self.where, self.study), self._engine.connect() as plain:
            yield plain.execution_options(budgeted_single=True)

    def look_over(self) -> None:
        """Have the database check itself as thoroughly as it can; raise an error if it is damaged.

        A server does so by itself.
        """
        if self._file is None:
            return
        with translated(self.where, self.study), self._engine.connect() as connection:
            look_over(connection, self._file, self.where, whole=True)

    def _write(
        self, entries: Sequence[Entry], texts: Sequence[str], known: Head, summary: str
    ) -> Head:
        """Write entries behind what is known; return the head that they lead to."""
        lost: Exception | None = None
        kept = self._kept_beside() if known.seq == 0 else Head()
        with translated(self.where, self.study, UNCHANGED), self._engine.connect() as plain:
            connection = plain.execution_options(budgeted_write=True)
            transaction = connection.begin()
            found = rows.hold_head(connection, self.study)
            rows.check_head(connection, found, known, self.study, self.where)
            if found.seq == 0:  # one that was lost must not begin anew in silence
                self._check_kept(kept, found)
            new, head = self._rows(entries, texts, found)
            if not new:
                return head
            rows.write_rows(connection, self.study, found, new, self.where, summary)
            lost = rows.commit(transaction)
        self._settle(lost, head, first=found.seq == 0)
        return head

    def _settle(self, lost: Exception | None, head: Head, *, first: bool) -> None:
        """Make sure that a write is in the journal, and note its end beside a file."""
        if lost is not None:  # it may be written all the same
            self._find_out(lost, head, first=first)
        if self._file is not None:
            with self._pool.lock:
                keep_beside(self._file, self.study, head)

    def _rows(
        self, entries: Sequence[Entry], texts: Sequence[str], before: Head
    ) -> tuple[list[dict[str, Any]], Head]:
        made, digest, seq = [], before.digest, before.seq
        for entry, body in zip(entries, texts, strict=True):
            seq, at, by, key, command = entry.seq, entry.at, entry.by, entry.key, entry.command
            digest = digest_of(digest, self.study, seq, at, by, key, command, body)
            made.append({"seq": seq, "at": at, "actor": by, "key": key, "command": command,
                         "body": body, "digest": digest})  # fmt: skip
        return made, Head(seq, digest)

    def _find_out(self, error: Exception, head: Head, *, first: bool) -> None:
        """Raise an error unless a write whose answer was lost is in the journal."""
        said = reason_of(error)
        known = fate.find_out(self._engine, self.study, head, first)
        if known is None:
            raise UnknownFateError(
                f"{said}. The connection was lost while writing, and it is not known whether it "
                f"was written: look at the study before doing it again",
                self.where,
            ) from error
        if not known:
            raise JournalError(f"{said}; {UNCHANGED}, try again", self.where) from error

    def _kept_beside(self) -> Head:
        return Head() if self._file is None else head_beside(self._file, self.study)

    def _check_kept(self, kept: Head, head: Head) -> None:
        """Raise an error if the file, with this head, lacks what was kept of it beside."""
        if kept.seq == 0 or kept == head:
            return
        found = ""
        if kept.seq < head.seq:
            with translated(self.where, self.study), self._engine.connect() as connection:
                found = rows.digest_at(connection, self.study, kept.seq) or ""
        if found != kept.digest:
            raise JournalError(
                f"the journal of {self.study!r} holds {head.seq} events, and they are not all "
                f"that was written ({kept.seq}, of which the last is missing): its end is damaged, "
                f"or an older copy was put in its place. Restore the newest backup; if the older "
                f"copy is meant, say so with 'budgeted study accept-restore'",
                self.where,
            )


def studies(database: str) -> tuple[str, ...]:
    """Return the names of the studies in a database."""
    with Journal(database, "") as journal:
        return journal.names()


def now() -> str:
    """Return the time in ISO 8601, UTC, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def user() -> str:
    """Return the name of the user who runs this process."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "unknown"
