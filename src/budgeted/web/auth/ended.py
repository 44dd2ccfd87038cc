"""Sessions that people ended: remembered in a file until they would have ended by themselves."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from budgeted.files import write_atomically

_LOG = logging.getLogger("budgeted.web")
_OFTEN = 1_000
"""Lines after which those of sessions that are over anyway are left out."""


class EndedSessions:
    """The ids of sessions that must not be let in any more.

    A signed session is good until its time is over; logging out therefore writes its id down.
    Only who was let in can log out, so strangers cannot fill the file. Several servers on the same
    folder read what the others write.

    Parameters
    ----------
    path
        Of the file: a line for each session, its id and the second from which on it may be
        forgotten. None keeps them in memory only.
    clock
        What tells the time, in seconds.

    Examples
    --------
    >>> ended = EndedSessions(None, lambda: 100.0)
    >>> ended.add("a", until=200)
    >>> "a" in ended, "b" in ended
    (True, False)
    """

    def __init__(self, path: Path | None, clock: Callable[[], float]) -> None:
        self._path = path
        self._clock = clock
        self._kept: dict[str, int] = {}
        self._read: tuple[int, int] | None = None  # file and length up to which it was read
        if path is not None:
            self._catch_up()
            self._tidy()

    def __contains__(self, session: str) -> bool:
        self._catch_up()
        return session in self._kept

    def add(self, session: str, until: int) -> None:
        """Remember that a session ended."""
        self._kept[session] = until
        if self._path is None:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
            with open(os.open(self._path, flags, 0o600), "w", encoding="ascii") as file:
                file.write(f"{session} {until}\n")
        except OSError as error:
            _LOG.warning(
                "%s: it cannot be kept that somebody logged out (%s); it holds until the server "
                "ends",
                self._path,
                error.strerror or error,
            )
        if len(self._kept) % _OFTEN == 0:
            self._catch_up()
            self._tidy()

    def _catch_up(self) -> None:
        """Read what this or another server appended since."""
        if self._path is None:
            return
        try:
            found = self._path.stat()
            state = (found.st_ino, found.st_size)
            if state == self._read:
                return
            # Another file, or a shorter one, is read from its beginning.
            known = self._read
            begin = known[1] if known and known[0] == state[0] and known[1] <= state[1] else 0
            with self._path.open("rb") as file:
                file.seek(begin)
                text = file.read(state[1] - begin)
        except OSError:
            return
        whole = text[: text.rfind(b"\n") + 1]
        for line in whole.decode("ascii", errors="replace").splitlines():
            session, _, until = line.partition(" ")
            if until.isdecimal():
                self._kept[session] = int(until)
        self._read = (state[0], begin + len(whole))

    def _tidy(self) -> None:
        """Forget sessions that are over anyway."""
        now = self._clock()
        left = {session: until for session, until in self._kept.items() if until > now}
        if len(left) == len(self._kept) or self._path is None:
            return
        self._kept = left
        text = "".join(f"{session} {until}\n" for session, until in left.items())
        with suppress(OSError):  # then it stays longer than it needs to
            write_atomically(self._path, text.encode("ascii"))
