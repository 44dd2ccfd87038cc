"""An append-only log of events: a SQLite file for one person, PostgreSQL for a team.

Two operations: `Journal.read` and `Journal.append`. Events of a study are numbered 1, 2, 3, …
without gaps. Who appends says which number was the last one he knows; if somebody else was first,
nothing is written and `ConflictError` says so. Two writers can therefore never take the same number
(the primary key forbids it) and no write is lost.

Every row carries a digest of itself and of the row before it: a file that was damaged or edited is
found out when it is read.
"""

from __future__ import annotations

import getpass
import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from budgeted.errors import ConflictError, JournalError, UnwritableError
from budgeted.events import Entry, Event, from_json, to_json

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine
    from sqlalchemy.engine import URL

FORMAT = 1
"""Version of the tables; a database with a higher one is not touched."""
_FORMAT_TABLE, _EVENTS_TABLE = "budgeted_format", "budgeted_events"
_WAIT = 30
"""Seconds to wait for another writer of a SQLite file, or for a PostgreSQL server to answer."""

_WORDS = (
    (("readonly", "read-only"), "is read-only; ask for the right to write, or copy it"),
    (("disk is full", "no space left", "could not extend file"), "has no room left: free some"),
    (("not a database",), "is not a SQLite database; name the right file with --db"),
    (("malformed", "corrupt", "disk i/o"), "is damaged; restore it from a backup"),
    (("database is locked",), f"is kept locked by another program for {_WAIT} s; try again"),
    (("unable to open",), "cannot be opened; check the folder and the rights to it"),
    (("permission denied",), "does not let this user in; ask for the right to it"),
    (("authentication failed",), "does not accept this user or password"),
    (("connection", "could not translate host"), "cannot be reached; is the server running?"),
)
"""What databases say, by fragments of their messages, and what that means for people."""


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

    Examples
    --------
    >>> import tempfile
    >>> from budgeted.events import Closed
    >>> folder = tempfile.TemporaryDirectory()
    >>> with Journal(f"{folder.name}/studies.db", "anaemia", create=True) as journal:
    ...     _ = journal.append([Closed("enough")], expected=0, by="anna", at="2026-01-02T03:04:05Z")
    ...     print(*journal.read(after=0))  # doctest: +ELLIPSIS
    Entry(seq=1, ..., by='anna', event=Closed(why='enough', kind='closed'), key='', command='')
    >>> folder.cleanup()
    """

    def __init__(self, database: str, study: str, *, create: bool = False) -> None:
        self.study = study
        _check_text("the name of the study", study)
        self._url = parse_url(database)
        self.where = self._url.render_as_string(hide_password=True)
        self._last = (0, "")  # number and digest of the last event that was seen
        self._engine = _engine(self._url)
        try:
            with self._translated():
                self._check_tables(create)
        except BaseException:
            self.release()
            raise

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def release(self) -> None:
        """Let go of the connections to the database."""
        self._engine.dispose()

    def append(
        self,
        events: Sequence[Event],
        *,
        expected: int,
        by: str | Sequence[str],
        at: str | None = None,
        keys: Sequence[tuple[str, str]] | None = None,
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
            `budgeted.study.keys`; none unless given.

        Raises
        ------
        ConflictError
            If another event has been written meanwhile.
        """
        from sqlalchemy import insert

        when = now() if at is None else at
        actors = [by] * len(events) if isinstance(by, str) else list(by)
        for each in {by} if isinstance(by, str) else set(actors):
            _check_text("the name of who writes", each)
        marks = [("", "")] * len(events) if keys is None else list(keys)
        texts = [to_json(event) for event in events]
        with self._translated(), self._engine.connect() as plain:
            connection = plain.execution_options(budgeted_write=True)
            with connection.begin():
                last, digest = self._newest(connection)
                if last != expected:
                    raise ConflictError(
                        f"study {self.study!r} has {last} events by now, not "
                        f"{expected}; read on and try again",
                        self.where,
                    )
                rows, seq = [], expected
                for actor, (key, command), text in zip(actors, marks, texts, strict=True):
                    seq += 1
                    digest = _digest(digest, self.study, seq, when, actor, key, command, text)
                    rows.append({"study": self.study, "seq": seq, "at": when, "actor": actor,
                                 "key": key, "command": command, "body": text,
                                 "digest": digest})  # fmt: skip
                if rows:
                    connection.execute(insert(_tables()[1]), rows)
        if self._last[0] == expected:
            self._last = (seq, digest)
        return tuple(
            Entry(seq, when, actor, event, *mark)
            for seq, (actor, event, mark) in enumerate(
                zip(actors, events, marks, strict=True), expected + 1
            )
        )

    def read(self, after: int = 0) -> tuple[Entry, ...]:
        """Return the events behind number `after`, checked for gaps and damage."""
        from sqlalchemy import select

        table = _tables()[1]
        known = self._last if after == self._last[0] else None
        start = after if known or after == 0 else after - 1  # the row before gives the digest
        query = select(table).where(table.c.study == self.study, table.c.seq > start)
        with self._translated(), self._engine.connect() as connection, connection.begin():
            rows = connection.execute(query.order_by(table.c.seq)).all()
        digest = known[1] if known else ""
        if start < after:
            if not rows:
                raise JournalError(f"{self.study!r} has fewer than {after} events", self.where)
            digest, rows = rows[0].digest, rows[1:]
        entries = []
        for seq, row in enumerate(rows, start=after + 1):
            study, found, at, actor, key, command, body, kept = row
            digest = _digest(digest, study, found, at, actor, key, command, body)
            if found != seq or kept != digest:
                raise JournalError(
                    f"the journal of {self.study!r} is damaged or was edited at "
                    f"event {seq}; restore the database from a backup",
                    self.where,
                )
            try:
                entries.append(Entry(seq, at, actor, from_json(body), key, command))
            except JournalError as error:
                raise JournalError(f"event {seq} of {self.study!r}: {error}", self.where) from None
        if after == self._last[0] or after == 0:
            self._last = (after + len(rows), digest)
        return tuple(entries)

    def _newest(self, connection: Connection) -> tuple[int, str]:
        from sqlalchemy import select

        table = _tables()[1]
        query = select(table.c.seq, table.c.digest).where(table.c.study == self.study)
        row = connection.execute(query.order_by(table.c.seq.desc()).limit(1)).first()
        return (0, "") if row is None else (row.seq, row.digest)

    def _check_tables(self, create: bool) -> None:
        from sqlalchemy import inspect, select

        sqlite = self._url.get_backend_name() == "sqlite"
        file = Path(self._url.database or "")
        if sqlite and not create and not file.is_file():
            raise JournalError(
                "there is no such file; 'budgeted study new' makes one, and --db "
                "(or BUDGETED_DB) says where it is",
                self.where,
            )
        with self._engine.connect() as connection:
            names = inspect(connection).get_table_names()
            if _FORMAT_TABLE in names and _EVENTS_TABLE in names:
                found = connection.execute(select(_tables()[0].c.version)).scalars().all()
                if len(found) != 1 or found[0] > FORMAT:
                    raise JournalError(
                        f"has journal format {found or 'nothing'}, written by a "
                        f"newer budgeted; this one knows format {FORMAT}: update the package",
                        self.where,
                    )
                return
        if _FORMAT_TABLE in names or _EVENTS_TABLE in names or (sqlite and names):
            raise JournalError(
                f"belongs to another program (it has tables {', '.join(names[:5])}); "
                f"name another database with --db",
                self.where,
            )
        if not create:
            raise JournalError("holds no studies; 'budgeted study new' begins one", self.where)
        self._make_tables(sqlite)

    def _make_tables(self, sqlite: bool) -> None:
        from sqlalchemy import insert
        from sqlalchemy.exc import DBAPIError

        if sqlite:
            raw = self._engine.raw_connection()
            try:
                raw.cursor().execute("PRAGMA journal_mode = WAL")  # it stays with the file
            finally:
                raw.close()
        try:
            with self._engine.connect() as plain:
                connection = plain.execution_options(budgeted_write=True)
                with connection.begin():
                    version = _tables()[0]
                    version.metadata.create_all(connection, checkfirst=False)
                    connection.execute(insert(version), [{"version": FORMAT}])
        except DBAPIError as error:
            if "already exists" not in str(error):  # somebody else made them just now: fine
                raise

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Say in our words what the database says in its own."""
        from sqlalchemy.exc import IntegrityError, SQLAlchemyError

        try:
            yield
        except IntegrityError as error:
            raise ConflictError(
                f"somebody else wrote to study {self.study!r} first; read on and try again",
                self.where,
            ) from error
        except (SQLAlchemyError, sqlite3.Error, ImportError) as error:
            raise JournalError(_words(error), self.where) from error


def studies(database: str) -> tuple[str, ...]:
    """Return the names of the studies in a database."""
    from sqlalchemy import select

    with Journal(database, "") as journal, journal._translated():
        table = _tables()[1]
        query = select(table.c.study).where(table.c.seq == 1).order_by(table.c.study)
        with journal._engine.connect() as connection:
            return tuple(connection.execute(query).scalars().all())


def now() -> str:
    """Return the time in ISO 8601, UTC, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def user() -> str:
    """Return the name of the user who runs this process."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "unknown"


def parse_url(database: str) -> URL:
    """Return the URL of a database given as a path or URL.

    >>> str(parse_url("studies.db")), parse_url("postgres://anna@lab/studies").drivername
    ('sqlite:///studies.db', 'postgresql+psycopg')
    """
    try:
        from sqlalchemy.engine import URL, make_url
        from sqlalchemy.exc import ArgumentError
    except ImportError:
        raise JournalError("studies need SQLAlchemy: pip install 'budgeted[studies]'") from None
    if "://" not in database:
        return URL.create("sqlite", database=database)
    try:
        url = make_url(database)
    except (ArgumentError, ValueError):
        raise JournalError("--db: this is no URL of a database; see docs/studies.md") from None
    if url.drivername in ("postgres", "postgresql", "postgresql+psycopg"):
        return url.set(drivername="postgresql+psycopg")
    if url.drivername != "sqlite" or not url.database or url.database == ":memory:":
        raise JournalError(
            f"--db: {url.drivername!r} is not supported; give the path of a SQLite file or a URL "
            f"such as postgresql://user@host/database"
        )
    return url


def _engine(url: URL) -> Engine:
    from sqlalchemy import create_engine, event

    sqlite = url.get_backend_name() == "sqlite"
    try:
        wait = {"timeout": _WAIT} if sqlite else {"connect_timeout": _WAIT}
        engine = create_engine(url, connect_args=wait, pool_pre_ping=not sqlite)
    except ImportError:
        raise JournalError("PostgreSQL needs psycopg: pip install 'budgeted[postgres]'") from None
    if sqlite:

        @event.listens_for(engine, "connect")
        def _connected(connection: Any, _: object) -> None:
            connection.isolation_level = None  # Python's driver would begin too late
            connection.execute("PRAGMA synchronous = FULL")

        @event.listens_for(engine, "begin")
        def _begun(connection: Connection) -> None:
            # Taking the lock at once makes writers wait in turn instead of failing half-way.
            writes = connection.get_execution_options().get("budgeted_write")
            connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _tables() -> tuple[Any, Any]:
    """The two tables: the version of the format, and the events."""
    from sqlalchemy import Column, Integer, MetaData, String, Table, Text

    global _TABLES  # noqa: PLW0603 - SQLAlchemy is an extra, so this cannot be made on import
    if _TABLES is None:
        metadata = MetaData()
        _TABLES = (
            Table(_FORMAT_TABLE, metadata, Column("version", Integer, nullable=False)),
            Table(
                _EVENTS_TABLE,
                metadata,
                Column("study", String, primary_key=True),
                Column("seq", Integer, primary_key=True, autoincrement=False),
                Column("at", String, nullable=False),
                Column("actor", String, nullable=False),
                Column("key", String, nullable=False),
                Column("command", String, nullable=False),
                Column("body", Text, nullable=False),
                Column("digest", String, nullable=False),
            ),
        )
    return _TABLES


_TABLES: tuple[Any, Any] | None = None


def _digest(
    before: str, study: str, seq: int, at: str, actor: str, key: str, command: str, body: str
) -> str:
    # No text of a journal holds a NUL, so that nothing can move from one field to the next.
    content = "\0".join((before, study, str(seq), at, actor, key, command, body))
    return hashlib.sha256(content.encode()).hexdigest()


def _check_text(what: str, text: str) -> None:
    """Refuse what some database cannot hold: NUL, and halves of characters from a bad encoding."""
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise UnwritableError(f"{what} has characters that cannot be stored: {text!r}")


def _words(error: Exception) -> str:
    if isinstance(error, ImportError):
        return "PostgreSQL needs psycopg: pip install 'budgeted[postgres]'"
    said = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
    for fragments, words in _WORDS:
        if any(fragment in said.lower() for fragment in fragments):
            return f"{words} ({said}); nothing was changed"
    return f"the database says: {said}; nothing was changed"
