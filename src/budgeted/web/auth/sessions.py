"""Who is behind a browser: signed sessions with an end.

A session is a signed text in a cookie that scripts cannot read; the server stores none of them.
So strangers cannot push anybody out, whatever they send, and a restart ends no session: the secret
that signs them is in a file. What is stored is which sessions people *ended*.

A session of somebody who logged in is over twelve hours after it was last renewed (by asking for a
page, once an hour at most), a week after the log-in, when its owner logs out, and when the password
or token is changed or removed. The name that somebody chose on his own machine, where nobody logs
in, is kept for a year.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from budgeted.web.auth.ended import EndedSessions
from budgeted.web.auth.signing import Signer, kept_secret

HOURS = 12
"""After which a session is over if nothing is heard of its browser."""
_IDLE = HOURS * 3600
_LONGEST = 7 * 24 * 3600
_YEAR = 365 * 24 * 3600
_OFTEN = 12
"""A session is signed anew when this part of its time has passed."""


@dataclass(frozen=True)
class Session:
    """A browser: who uses it, and until when.

    Attributes
    ----------
    id
        Under which it can be ended.
    actor
        Name; empty if nobody gave one.
    proof
        By which the password or token that proved the name is recognised; empty if none did.
    begun, until
        Seconds since 1970.
    """

    id: str
    actor: str
    proof: str
    begun: int
    until: int

    @property
    def proved(self) -> bool:
        """Whether somebody logged in."""
        return bool(self.proof)


class Sessions:
    """Signs sessions, and reads them again.

    Parameters
    ----------
    folder
        Where the secret and the list of ended sessions are kept; None keeps both in memory.
    realm
        What tells servers on the same folder apart, such as their files of passwords.
    clock
        What tells the time, in seconds.

    Examples
    --------
    >>> sessions = Sessions(None)
    >>> session = sessions.begin("anna", proof="password")
    >>> sessions.read(sessions.text(session)).actor, sessions.read("another")
    ('anna', None)
    >>> sessions.end(session)
    >>> sessions.read(sessions.text(session)) is None
    True
    """

    def __init__(
        self, folder: Path | None, realm: str = "", clock: Callable[[], float] = time.time
    ) -> None:
        self._clock = clock
        secret = secrets.token_bytes(32) if folder is None else kept_secret(folder / "secret")
        self._signer = Signer(secret)
        ended = None if folder is None else folder / "ended-sessions"
        self._ended = EndedSessions(ended, clock)
        self._name = f"budgeted-{self._signer.digest('cookie', realm)[:10]}"

    def cookie_name(self, secure: bool, root: str) -> str:
        """Return the name of the cookie, which is another one for each server of a host.

        Browsers send cookies to all ports of a host. Over TLS the prefix makes them refuse a cookie
        of this name that a neighbouring host, or somebody on the line, tries to plant.
        """
        prefix = ("__Secure-" if root else "__Host-") if secure else ""
        return prefix + self._name

    def begin(self, actor: str, *, proof: str = "") -> Session:
        """Return a new session."""
        now = int(self._clock())
        return Session(secrets.token_urlsafe(16), actor, proof, now, _end(now, now, proof))

    def text(self, session: Session) -> str:
        """Return what a browser keeps of a session."""
        kept = [session.id, session.actor, session.proof, session.begun, session.until]
        return self._signer.sign("session", kept)

    def read(self, text: str) -> Session | None:
        """Return a session that was signed here, unless it is over."""
        found = self._signer.read("session", text)
        if found is None:
            return None
        session = Session(*found)
        return session if self.lasts(session) else None

    def read_cookies(self, headers: Iterable[str], name: str) -> Session | None:
        """Return the session among the cookies of a request, whatever else is there.

        Parameters
        ----------
        headers
            All headers named ``Cookie``.
        name
            Of the cookie.
        """
        for text in _values(headers, name):
            if (session := self.read(text)) is not None:
                return session
        return None

    def lasts(self, session: Session) -> bool:
        """Tell whether a session goes on."""
        return session.until > self._clock() and session.id not in self._ended

    def seconds(self, session: Session) -> int:
        """Return how long a session goes on if nothing is heard of it any more."""
        return max(0, session.until - int(self._clock()))

    def renewed(self, session: Session) -> Session | None:
        """Return a session with a later end, if it is time for one."""
        now = int(self._clock())
        until = _end(now, session.begun, session.proof)
        life = _IDLE if session.proof else _YEAR
        return replace(session, until=until) if until - session.until > life / _OFTEN else None

    def end(self, session: Session) -> None:
        """End a session for good, with all that was signed for it."""
        if session.proof:
            self._ended.add(session.id, session.begun + _LONGEST)

    def proof(self, line: str) -> str:
        """Return by which a line of the files of passwords and tokens is recognised."""
        return self._signer.digest("proof", line)[:32]

    def device(self, actor: str) -> str:
        """Return what tells that somebody once logged in with a browser."""
        return self._signer.sign("device", [actor, secrets.token_urlsafe(16)])

    def device_of(self, headers: Iterable[str], name: str, actor: str) -> str:
        """Return the id of a browser in which somebody logged in before; empty for any other."""
        for text in _values(headers, name):
            found = self._signer.read("device", text)
            if found is not None and found[0] == actor:
                return str(found[1])
        return ""


def _end(now: int, begun: int, proof: str) -> int:
    return min(now + _IDLE, begun + _LONGEST) if proof else now + _YEAR


def _values(headers: Iterable[str], name: str) -> Iterator[str]:
    """The values of a cookie; there may be several, and odd neighbours."""
    for header in headers:
        for each in header.split(";"):
            found, mark, value = each.partition("=")
            if mark and found.strip() == name:
                yield value.strip()
