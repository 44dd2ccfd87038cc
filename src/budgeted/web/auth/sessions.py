"""Who is behind a browser: sessions, a table in a SQLite file of the data folder.

A browser keeps a random text in a cookie that scripts cannot read; the table has its digest, so
that whoever reads the file cannot log in with it. Only who logs in (or chooses a name, where nobody
has to log in) gets a session, so strangers cannot fill the table, and logging out takes it away.

A session of somebody who logged in is over twelve hours after it was last renewed (by asking for a
page, once an hour at most), a week after the log-in, and when the password or token is changed or
removed. The name that somebody chose on his own machine is kept for a year.
"""

from __future__ import annotations

import hashlib
import logging
import secrets
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

HOURS = 12
"""After which a session is over if nothing is heard of its browser."""
_IDLE = HOURS * 3600
_LONGEST = 7 * 24 * 3600
_YEAR = 365 * 24 * 3600
_OFTEN = 12
"""A session is renewed when this part of its time has passed."""
_TABLE = """CREATE TABLE IF NOT EXISTS sessions
    (id TEXT PRIMARY KEY, actor TEXT, proof TEXT, begun INTEGER, until INTEGER)"""
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Session:
    """A browser: who uses it, by which password or token that was proved, and until when.

    `id` is the digest of what the browser keeps; `proof` is empty where nobody logs in; times are
    seconds since 1970.
    """

    id: str
    actor: str
    proof: str
    begun: int
    until: int

    @property
    def longest(self) -> int:
        """Seconds that a browser keeps the cookie; whether it is still good, the table says."""
        return _LONGEST if self.proof else _YEAR


class Sessions:
    """Begins sessions, finds them again, and ends them.

    >>> sessions = Sessions(None)
    >>> cookie, session = sessions.begin("anna", proof="password")
    >>> sessions.find(cookie).actor, sessions.find("another")
    ('anna', None)
    >>> sessions.end(session)
    >>> sessions.find(cookie) is None
    True
    """

    def __init__(
        self, folder: Path | None, realm: str = "", clock: Callable[[], float] = time.time
    ) -> None:
        self._clock = clock
        self._name = f"budgeted-{_digest(f'{folder}|{realm}')[:10]}"
        self._table = _open(None if folder is None else folder / "sessions.db")

    def cookie_name(self, secure: bool, root: str) -> str:
        """Return the name of the cookie, which is another one for each server of a host.

        Browsers send cookies to all ports of a host. Over TLS the prefix makes them refuse a cookie
        of this name that a neighbouring host, or somebody on the line, tries to plant.
        """
        prefix = ("__Secure-" if root else "__Host-") if secure else ""
        return prefix + self._name

    def begin(self, actor: str, *, proof: str = "") -> tuple[str, Session]:
        """Return what a browser keeps of a new session, and the session."""
        now, text = int(self._clock()), secrets.token_urlsafe(32)
        session = Session(_digest(text), actor, proof, now, _end(now, now, proof))
        with self._table:
            self._table.execute("DELETE FROM sessions WHERE until <= ?", (now,))
            self._table.execute(
                "INSERT INTO sessions VALUES (:id, :actor, :proof, :begun, :until)", vars(session)
            )
        return text, session

    def find(self, text: str) -> Session | None:
        """Return the session of what a browser kept, unless it is over."""
        return self.current(_digest(text))

    def current(self, id: str) -> Session | None:
        """Return a session as it is now, unless it is over."""
        rows = self._table.execute(
            "SELECT * FROM sessions WHERE id = ? AND until > ?", (id, self._clock())
        )
        with closing(rows):
            row = rows.fetchone()
        return None if row is None else Session(*row)

    def find_in_cookies(self, headers: Iterable[str], name: str) -> Session | None:
        """Return the session among all headers named ``Cookie``, whatever else is there."""
        found = (self.find(text) for text in _values(headers, name))
        return next((each for each in found if each is not None), None)

    def renewed(self, session: Session) -> Session:
        """Return a session with a later end, if it is time for one."""
        until = _end(int(self._clock()), session.begun, session.proof)
        if until - session.until <= (_IDLE if session.proof else _YEAR) / _OFTEN:
            return session
        with self._table:
            self._table.execute("UPDATE sessions SET until = ? WHERE id = ?", (until, session.id))
        return replace(session, until=until)

    def end(self, session: Session) -> None:
        """End a session for good."""
        with self._table:
            self._table.execute("DELETE FROM sessions WHERE id = ?", (session.id,))

    def close(self) -> None:
        """Let go of the file."""
        self._table.close()


def proof_of(line: str) -> str:
    """Return by which a line of the files of passwords and tokens is recognised."""
    return _digest(line)


def _open(path: Path | None) -> sqlite3.Connection:
    try:
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch(mode=0o600)
        table = sqlite3.connect(":memory:" if path is None else path, check_same_thread=False)
        table.execute(_TABLE)
    except (OSError, sqlite3.Error) as error:
        _log.warning(
            "%s: sessions cannot be kept there (%s); people will have to log in again when the "
            "server is started again",
            path,
            error,
        )
        return _open(None)
    return table


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()


def _end(now: int, begun: int, proof: str) -> int:
    return min(now + _IDLE, begun + _LONGEST) if proof else now + _YEAR


def _values(headers: Iterable[str], name: str) -> Iterator[str]:
    """The values of a cookie; there may be several, and odd neighbours."""
    for header in headers:
        for each in header.split(";"):
            found, mark, value = each.partition("=")
            if mark and found.strip() == name:
                yield value.strip()
