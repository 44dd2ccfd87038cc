"""How often passwords may be tried, so that nobody finds one out, or locks anybody out.

Every wrong password takes a token from two buckets: that of the address and that of the name. A
bucket fills again at a steady rate, so that whoever must wait, waits for seconds and never for
ever. A right password takes none, and puts none back that others took.

Who keeps trying the name of somebody else would keep its bucket empty. A browser in which that
person logged in before therefore has a bucket of its own (a signed cookie tells).
"""

from __future__ import annotations

import asyncio
import hashlib
import ipaddress
import os
import time
from collections.abc import Callable
from math import ceil

from budgeted.errors import BusyError
from budgeted.web.auth.credentials import Credentials

_SLOTS = 4_096
_MOST_WAITING = 20


class Buckets:
    """Buckets of tokens, one for each key, in a fixed number of slots.

    Keys are dealt to slots by a digest that nobody can predict; so memory stays bounded, and to
    share a bucket with somebody else takes luck.

    Parameters
    ----------
    size
        Tokens of a full bucket.
    seconds
        In which one token comes back.
    clock
        What tells the time, in seconds.

    Examples
    --------
    >>> now = [0.0]
    >>> buckets = Buckets(2, 30, lambda: now[0])
    >>> buckets.take("a"), buckets.take("a"), buckets.wait("a"), buckets.wait("b")
    (None, None, 30.0, 0.0)
    """

    def __init__(self, size: int, seconds: float, clock: Callable[[], float]) -> None:
        self._size = size
        self._seconds = seconds
        self._clock = clock
        self._salt = os.urandom(16)
        self._full_at: dict[int, float] = {}

    def wait(self, key: str) -> float:
        """Return the seconds until a token is there."""
        left = self._full_at.get(self._slot(key), 0.0) - self._clock()
        return max(0.0, left - (self._size - 1) * self._seconds)

    def take(self, key: str) -> None:
        """Take a token."""
        slot = self._slot(key)
        self._full_at[slot] = max(self._full_at.get(slot, 0.0), self._clock()) + self._seconds

    def put_back(self, key: str) -> None:
        """Put back a token that was taken."""
        self._full_at[self._slot(key)] -= self._seconds

    def _slot(self, key: str) -> int:
        given = key.encode(errors="replace")
        digest = hashlib.blake2b(given, digest_size=8, key=self._salt).digest()
        return int.from_bytes(digest) % _SLOTS


class Attempts:
    """Checks passwords, and slows down who tries many.

    Parameters
    ----------
    clock
        What tells the time, in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._addresses = Buckets(10, 6.0, clock)
        self._names = Buckets(20, 6.0, clock)
        self._browsers = Buckets(10, 6.0, clock)
        self._at_once = asyncio.Semaphore(2)
        self._waiting = 0

    async def check(
        self, credentials: Credentials, address: str, name: str, secret: str, browser: str = ""
    ) -> str:
        """Return the line that a password or token fits; empty if none does.

        Parameters
        ----------
        credentials
            Who may come in.
        address
            Where it was typed.
        name, secret
            What was typed.
        browser
            Id of a browser in which this person logged in before; empty for any other.

        Raises
        ------
        BusyError
            After too many wrong ones; says how long to wait.
        """
        buckets = (
            [(self._browsers, browser, "in this browser")]
            if browser
            else [
                (self._addresses, _network(address), "from this address"),
                (self._names, name, "for this name"),
            ]
        )
        for bucket, key, where in buckets:
            if wait := bucket.wait(key):
                raise BusyError(f"too many wrong passwords {where}; wait {ceil(wait)} seconds")
        if self._waiting >= _MOST_WAITING and not browser:
            raise BusyError("too many people log in at this moment; wait a few seconds")
        for bucket, key, _ in buckets:
            bucket.take(key)  # at once, so that attempts side by side count too
        self._waiting += 1
        try:
            async with self._at_once:
                line = await asyncio.to_thread(credentials.line_for, name, secret)
        finally:
            self._waiting -= 1
        if line:
            for bucket, key, _ in buckets:
                bucket.put_back(key)
        return line


def _network(address: str) -> str:
    """One household has many IPv6 addresses: those that share their first half count as one.

    >>> _network("2001:db8::1") == _network("2001:db8::ffff:2"), _network("192.0.2.7")
    (True, '192.0.2.7')
    """
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if found.version == 4 or found.ipv4_mapped is not None:
        return str(found)
    return str(ipaddress.ip_network((found, 64), strict=False))
