"""How often passwords may be tried from an address, so that nobody finds one out.

Every wrong password takes a token from the bucket of its address, which fills again at a steady
rate: whoever must wait, waits for seconds. There is no bucket for a name, so nobody can lock out
somebody else; who guesses from many addresses at once still waits for the one hash at a time, and
a password has ten characters at least.
"""

from __future__ import annotations

import asyncio
import ipaddress
import time
from collections.abc import Callable
from math import ceil

from budgeted.errors import BusyError
from budgeted.web.auth.credentials import Credentials

_SIZE, _SECONDS = 10, 6.0
"""Tokens of a full bucket, and in how many seconds one comes back."""
_MOST_WAITING = 20
_MOST_ADDRESSES = 10_000


class Attempts:
    """Checks passwords one at a time, and slows down who tries many."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._full_at: dict[str, float] = {}
        self._one = asyncio.Semaphore(1)  # each takes 128 MB
        self._waiting = 0

    async def check(self, credentials: Credentials, address: str, name: str, secret: str) -> str:
        """Return the line that a password or token fits; empty if none does.

        Raises `BusyError`, which says how long to wait, after too many wrong ones.
        """
        key, now = _network(address), self._clock()
        wait = self._full_at.get(key, now) - now - (_SIZE - 1) * _SECONDS
        if wait > 0:
            raise BusyError(
                f"too many wrong passwords from this address; wait {ceil(wait)} seconds"
            )
        if self._waiting >= _MOST_WAITING:
            raise BusyError("too many people log in at this moment; wait a few seconds")
        self._take(key, now)  # at once, so that attempts side by side count too
        self._waiting += 1
        try:
            async with self._one:
                line = await asyncio.to_thread(credentials.line_for, name, secret)
        finally:
            self._waiting -= 1
        if line and key in self._full_at:
            self._full_at[key] -= _SECONDS
        return line

    def _take(self, key: str, now: float) -> None:
        if len(self._full_at) >= _MOST_ADDRESSES:
            waiting = {each: at for each, at in self._full_at.items() if at > now}
            self._full_at = waiting if len(waiting) < _MOST_ADDRESSES else {}
        self._full_at[key] = max(self._full_at.get(key, now), now) + _SECONDS


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
