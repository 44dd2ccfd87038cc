"""Children of this process, and what they report line by line.

Forked, because everything is imported once then, and a new one costs a millisecond.
"""

from __future__ import annotations

import os
import select
import signal


def fork(work):
    """Run `work(report)` in a child; return its process id and where its reports can be read."""
    reading, writing = os.pipe()
    child = os.fork()
    if child:
        os.close(writing)
        return child, reading
    os.close(reading)
    try:
        work(lambda line: os.write(writing, f"{line}\n".encode()))
    finally:
        os._exit(0)


def kill(child):
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


class Lines:
    """What a process reports, line by line; half a line is dropped."""

    def __init__(self, reading):
        self._reading, self._rest = reading, b""
        self.ended = False

    def take(self, at_least):
        """Wait for so many lines, or the end, and return all that are there."""
        found = []
        while not self.ended and (len(found) < at_least or self._waiting()):
            more = os.read(self._reading, 65_536)
            self.ended = not more
            *whole, self._rest = (self._rest + more).split(b"\n")
            found += [line.decode() for line in whole]
        return found

    def rest(self):
        """All to the end."""
        found = []
        while not self.ended:
            found += self.take(1)
        os.close(self._reading)
        return found

    def _waiting(self):
        return bool(select.select([self._reading], [], [], 0)[0])
