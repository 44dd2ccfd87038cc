"""A proxy in front of PostgreSQL that drops the connection after any byte, in either direction."""

from __future__ import annotations

import socket
import threading
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

TO_SERVER, TO_CLIENT = "to server", "to client"


class Relay:
    """Listens on loopback and passes bytes on; `drop` says after how many it lets go.

    Parameters
    ----------
    url
        Of the database behind it: on a Unix socket, or on a host.
    """

    def __init__(self, url: str) -> None:
        self._parts = urlsplit(url)
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = self._server.getsockname()[1]
        self._lock = threading.Lock()
        self._left: dict[str, int | None] = {TO_SERVER: None, TO_CLIENT: None}
        self.passed = {TO_SERVER: 0, TO_CLIENT: 0}
        self.dropped = 0
        self._refusing = False
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._server.close()

    @property
    def url(self):
        """The database, through the proxy."""
        user = self._parts.username or ""
        return f"postgresql://{user}@127.0.0.1:{self.port}{self._parts.path}"

    def drop(self, direction, after, *, refusing=False):
        """Drop the connection after so many more bytes in a direction; once.

        With `refusing`, nobody gets through afterwards until `mend`.
        """
        with self._lock:
            self._left = {TO_SERVER: None, TO_CLIENT: None, direction: after}
            self._refuse_next, self._refusing = refusing, False

    def mend(self):
        """Pass everything on again."""
        with self._lock:
            self._left = {TO_SERVER: None, TO_CLIENT: None}
            self._refusing = False

    def _behind(self):
        query = parse_qs(self._parts.query)
        port = self._parts.port or 5432
        host = query.get("host", [self._parts.hostname or "127.0.0.1"])[0]
        if host.startswith("/"):
            behind = socket.socket(socket.AF_UNIX)
            behind.connect(str(Path(host) / f".s.PGSQL.{port}"))
            return behind
        return socket.create_connection((host, port))

    def _accept(self):
        with suppress(OSError):
            while True:
                client, _ = self._server.accept()
                if self._refusing:
                    client.close()
                    continue
                server = self._behind()
                for ends in ((client, server, TO_SERVER), (server, client, TO_CLIENT)):
                    threading.Thread(target=self._pass_on, args=ends, daemon=True).start()

    def _pass_on(self, source, target, direction):
        with closing(source), closing(target), suppress(OSError):
            while more := source.recv(65_536):
                allowed, drop = self._allow(direction, len(more))
                target.sendall(more[:allowed])
                if drop:
                    break
            for each in (source, target):
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)

    def _allow(self, direction, wanted):
        """How many bytes go through, and whether that is the end."""
        with self._lock:
            left = self._left[direction]
            if left is None or wanted <= left:
                self.passed[direction] += wanted
                if left is not None:
                    self._left[direction] = left - wanted
                return wanted, False
            self._left = {TO_SERVER: None, TO_CLIENT: None}
            self.passed[direction] += left
            self.dropped += 1
            self._refusing = self._refuse_next
            return left, True
