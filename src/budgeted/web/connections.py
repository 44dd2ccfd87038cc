"""Connections are limited; when there are too many, one that only waits makes room.

Whoever opens many connections and sends nothing, or a byte now and then, holds a handle of the
process for each. Here there are never more than a fixed number, below what the system allows; a new
one takes the place of the one that has waited longest among those of the address that has most.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections import Counter
from collections.abc import Callable
from contextlib import suppress

from budgeted.web.protocol import GuardedProtocol

_HANDSHAKE = 10.0
"""Seconds that a browser has to agree on the keys of TLS."""


def most_connections(wanted: int) -> int:
    """Return how many connections there can be: half of the files that may be open at most."""
    try:
        import resource  # noqa: PLC0415 - there is none on Windows
    except ImportError:
        return wanted
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return wanted if allowed == resource.RLIM_INFINITY else min(wanted, max(8, allowed // 2))


class Acceptor:
    """Accepts connections, and ends those that wait when there are too many.

    Parameters
    ----------
    protocol
        Makes the protocol of a connection.
    connections
        In which every protocol puts itself.
    most
        Connections at the same time.
    tls
        To speak HTTPS.
    drop
        Told why a connection was ended before it had a protocol.
    """

    def __init__(
        self,
        protocol: Callable[[], asyncio.Protocol],
        connections: set[GuardedProtocol],
        most: int,
        tls: ssl.SSLContext | None,
        drop: Callable[[str], object],
    ) -> None:
        self._protocol = protocol
        self._connections = connections
        self._most = most
        self._tls = tls
        self._drop = drop
        self._beginning: dict[asyncio.Task[None], tuple[str, float]] = {}

    async def accept(self, listening: socket.socket) -> None:
        """Accept connections for ever."""
        loop = asyncio.get_running_loop()
        while True:
            try:
                accepted, where = await loop.sock_accept(listening)
            except ConnectionError:
                continue
            except OSError:  # no handle is left, though not for connections
                self._make_room()
                await asyncio.sleep(0.1)
                continue
            task = loop.create_task(self._begin(accepted))
            self._beginning[task] = (str(where[0]), loop.time())
            task.add_done_callback(lambda done: self._beginning.pop(done, None))
            while len(self._connections) + len(self._beginning) > self._most:
                if not self._make_room():
                    await asyncio.sleep(0.01)  # all are being served; the next one waits outside

    async def _begin(self, accepted: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        options = {} if self._tls is None else {"ssl_handshake_timeout": _HANDSHAKE}
        try:
            await loop.connect_accepted_socket(
                self._protocol,
                accepted,
                ssl=self._tls,
                **options,
            )
        except (OSError, TimeoutError, asyncio.CancelledError):
            self._drop("no TLS")
            with suppress(OSError):
                accepted.close()

    def _make_room(self) -> bool:
        """End the connection that has waited longest, of the address that has most."""
        waiting: list[tuple[str, float, GuardedProtocol | asyncio.Task[None]]] = [
            (each.client[0] if each.client else "", each.since, each)
            for each in self._connections
            if each.waits
        ]
        if self._tls is not None:
            waiting += [(where, since, task) for task, (where, since) in self._beginning.items()]
        if not waiting:
            return False
        many = Counter(where for where, _, _ in waiting)
        _, _, longest = min(waiting, key=lambda each: (-many[each[0]], each[1]))
        if isinstance(longest, GuardedProtocol):
            longest.drop("made room")
        else:
            self._beginning.pop(longest, None)
            longest.cancel()
        return True
