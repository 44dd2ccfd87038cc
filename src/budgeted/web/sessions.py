"""Who is behind a browser: sessions with an end, and tokens against forged forms."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass

COOKIE = "budgeted-session"
HOURS = 12
_MOST = 10_000


@dataclass(frozen=True)
class Session:
    """A browser: who uses it, until when, and whether that was proved."""

    key: str
    actor: str
    until: float
    proved: bool


class Sessions:
    """The sessions of a server, in memory: after a restart people log in again.

    A browser holds the key of its session in a cookie that scripts cannot read. The token that its
    forms carry is made from the key and a secret of this server.

    Parameters
    ----------
    clock
        What tells the time, in seconds.

    Examples
    --------
    >>> sessions = Sessions()
    >>> session = sessions.begin("anna", proved=True)
    >>> sessions.find(session.key).actor, sessions.find("another")
    ('anna', None)
    >>> sessions.form_token(session.key) == sessions.form_token(session.key)
    True
    """

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._secret = secrets.token_bytes(32)
        self._kept: dict[str, Session] = {}

    def begin(self, actor: str, *, proved: bool) -> Session:
        """Return a new session."""
        now = self._clock()
        if len(self._kept) >= _MOST:
            self._kept = {key: each for key, each in self._kept.items() if each.until > now}
            while len(self._kept) >= _MOST:
                del self._kept[next(iter(self._kept))]
        session = Session(secrets.token_urlsafe(32), actor, now + HOURS * 3600, proved)
        self._kept[_digest(session.key)] = session
        return session

    def find(self, key: str) -> Session | None:
        """Return the session of a key unless it is over."""
        found = self._kept.get(_digest(key))
        if found is not None and found.until <= self._clock():
            self.end(key)
            return None
        return found

    def end(self, key: str) -> None:
        """Forget a session."""
        self._kept.pop(_digest(key), None)

    def form_token(self, key: str) -> str:
        """Return the token that the forms of a browser carry."""
        return hmac.new(self._secret, key.encode(errors="replace"), hashlib.sha256).hexdigest()

    def form_fits(self, key: str, token: str) -> bool:
        """Tell whether a form was made for this browser."""
        given = token.encode(errors="replace")
        return hmac.compare_digest(self.form_token(key).encode(), given)


def _digest(key: str) -> str:
    """Looking up by digest makes the time of a lookup say nothing about the key."""
    return hashlib.sha256(key.encode(errors="replace")).hexdigest()
