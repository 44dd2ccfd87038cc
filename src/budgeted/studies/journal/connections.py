"""Connections to databases: one bounded pool for each database and process.

All journals of a database share it, however many studies are open. It is made when the first of
them is opened and let go with the last. On a server every wait has an end: for a lock, for a
statement, for an answer of the network; and a transaction whose client is gone ends by itself.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from budgeted.errors import ConflictError, JournalError
from budgeted.hints import OtherDatabase
from budgeted.studies.journal.messages import LOCK_WAIT, WAIT, hint_of, reason_of

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine
    from sqlalchemy.engine import URL

MOST = 10
"""Connections to one database; servers allow about a hundred in all."""
KEPT = 5
"""Of these, how many stay open while nobody needs them."""
IDLE_WAIT = 10
"""Seconds after which a server ends a transaction that hears nothing from its client."""


@dataclass
class Pool:
    """The connections to a database, and how many journals use them."""

    engine: Engine
    process: int
    users: int = 0
    checked: tuple[int, int] | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)


_pools: dict[tuple[int, str], Pool] = {}
_pools_lock = threading.Lock()
_dropped: deque[Pool] = deque()
"""Given back by the garbage collector, which may come at any moment, also under the lock."""


def acquire(url: URL) -> Pool:
    """Return the pool of a database; to be given back with `let_go`."""
    _take_back()
    with _pools_lock:
        # By process: after a fork the connections belong to the parent.
        place = (os.getpid(), _absolute(url).render_as_string(hide_password=False))
        if place not in _pools:
            _pools[place] = Pool(make_engine(_absolute(url)), os.getpid())
        pool = _pools[place]
        pool.users += 1
    return pool


def drop(pool: Pool) -> None:
    """Give back a pool from a finaliser: now, or if the lock is held, when it is given back."""
    _dropped.append(pool)
    if _pools_lock.acquire(blocking=False):
        _pools_lock.release()
        _take_back()


def _take_back() -> None:
    with suppress(IndexError):  # another thread may take the last one
        while True:
            _let_go(_dropped.popleft())


def let_go(pool: Pool) -> None:
    """Give back a pool; its connections are closed when nobody uses it any more."""
    _let_go(pool)
    _take_back()


def _let_go(pool: Pool) -> None:
    if pool.process != os.getpid():  # a fork: they are not ours to close
        return
    with _pools_lock:
        pool.users -= 1
        if pool.users:
            return
        for place in [place for place, each in _pools.items() if each is pool]:
            del _pools[place]
    pool.engine.dispose()


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


def _absolute(url: URL) -> URL:
    """Return the URL of a file wherever this process will be."""
    if url.get_backend_name() != "sqlite":
        return url
    return url.set(database=os.path.abspath(url.database or ""))


def make_engine(url: URL) -> Engine:
    """Return a bounded pool of connections to a database."""
    from sqlalchemy import create_engine

    sqlite = url.get_backend_name() == "sqlite"
    size = {"pool_size": KEPT, "max_overflow": MOST - KEPT, "pool_timeout": WAIT}
    try:
        engine = create_engine(
            url,
            connect_args={"timeout": WAIT} if sqlite else _over_a_network(),
            pool_pre_ping=not sqlite,
            **size,
        )
    except ImportError:
        raise JournalError("PostgreSQL needs psycopg: pip install 'budgeted[postgres]'") from None
    if sqlite:
        _prepare_sqlite(engine, url.database or "")
    else:
        _prepare_server(engine)
    return engine


def _over_a_network() -> dict[str, Any]:
    """Options of libpq with which a server that is gone is noticed."""
    return {
        "connect_timeout": 10,
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        "tcp_user_timeout": 1_000 * WAIT,
        "application_name": "budgeted",
    }


def _prepare_sqlite(engine: Engine, file: str) -> None:
    from sqlalchemy import event
    from sqlalchemy.exc import DisconnectionError

    @event.listens_for(engine, "do_connect")
    def _connecting(_dialect: object, record: Any, *_: object) -> None:
        record.info["file"] = identity(file)  # before it is opened: later is too late

    @event.listens_for(engine, "connect")
    def _connected(connection: Any, _: object) -> None:
        connection.isolation_level = None  # Python's driver would begin too late
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA fullfsync = ON")  # macOS keeps what was synced in a cache

    @event.listens_for(engine, "checkout")
    def _used(_connection: object, record: Any, _: object) -> None:
        # Another file of the same name: what is written to the old one would be lost.
        if record.info["file"] != identity(file):
            raise DisconnectionError

    @event.listens_for(engine, "begin")
    def _begun(connection: Connection) -> None:
        options = connection.get_execution_options()
        if options.get("budgeted_single"):  # one statement is a transaction by itself
            return
        # Taking the lock at once makes writers wait in turn instead of failing half-way.
        writes = options.get("budgeted_write")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def identity(file: str) -> tuple[int, int]:
    """Which file that is; opening one that is not there would make an empty one."""
    try:
        found = os.stat(file)
    except OSError:
        raise JournalError(
            "the file is gone, or cannot be reached, and must be put back",
            file,
            hint=OtherDatabase(),
        ) from None
    return found.st_dev, found.st_ino


def _prepare_server(engine: Engine) -> None:
    from sqlalchemy import event

    @event.listens_for(engine, "connect")
    def _connected(connection: Any, _: object) -> None:
        connection.execute(
            f"SET lock_timeout = '{LOCK_WAIT}s'; SET statement_timeout = '{WAIT}s'; "
            f"SET idle_in_transaction_session_timeout = '{IDLE_WAIT}s'"
        )
        connection.commit()


@contextmanager
def translated(where: str, study: str, certain: str = "") -> Iterator[None]:
    """Say in our words what the database says in its own."""
    from sqlalchemy.exc import IntegrityError, SQLAlchemyError

    try:
        yield
    except IntegrityError as error:
        raise ConflictError(
            f"somebody else wrote to study {study!r} first; read on and try again", where
        ) from error
    except (SQLAlchemyError, sqlite3.Error, ImportError, UnicodeDecodeError) as error:
        words = reason_of(error)
        said = f"{words}; {certain}" if certain else words
        raise JournalError(said, where, hint=hint_of(error)) from error
