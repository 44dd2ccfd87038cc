"""HTTP on one connection: heads have a size, and nobody may take for ever.

The parser of uvicorn is quick but takes heads of any size, and waits for as long as somebody likes
to send them. Here a head has 64 kB, 100 headers and ten seconds; a body must come at a kilobyte a
second on average, after a grace of twenty seconds; and who does not read an answer for a minute
does not get the rest of it.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_BYTES = 64 * 1024
HEAD_FIELDS = 100
HEAD_SECONDS = 10.0
BODY_SECONDS, BODY_RATE = 20.0, 1_000
STALLED_SECONDS = 60.0
_PIECE = 16 * 1024

_QUIET = logging.getLogger("budgeted.web.protocol")
_QUIET.setLevel(logging.ERROR)  # what strangers send is counted, not told one by one


class GuardedProtocol(HttpToolsProtocol):
    """The protocol of uvicorn with limits.

    `waits` tells whether the server waits for the other side; such a connection can be ended to
    make room for another one.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.logger = _QUIET
        self._reading = "head"  # or "body", or nothing: the message is complete
        self._head_bytes = 0
        self._body_bytes = 0
        self._body_begun = 0.0
        self._refused = ""
        self._timer: asyncio.TimerHandle | None = None
        self._stalled: asyncio.TimerHandle | None = None
        self.since = self.loop.time()

    @property
    def waits(self) -> bool:
        """Whether nothing is being done for this connection but waiting for it."""
        idle = self.cycle is None or self.cycle.response_complete
        return idle or self._reading == "body" or self._stalled is not None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a head."""
        super().connection_made(transport)
        self._arm(HEAD_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the timers."""
        self._disarm()
        self._calm()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what came, as long as it is not too much."""
        whole = len(data) <= _PIECE or self._reading != "head"
        for begin in (0,) if whole else range(0, len(data), _PIECE):
            piece = data if whole else data[begin : begin + _PIECE]
            super().data_received(piece)
            if self.transport.is_closing():
                return
            if self._reading == "head":
                self._head_bytes += len(piece)
                if self._head_bytes > HEAD_BYTES:
                    self._end("431 Request Header Fields Too Large", "large head")
                    return
        if not self._reading:
            self._disarm()
        elif self._timer is None:
            self._arm(HEAD_SECONDS if self._reading == "head" else BODY_SECONDS)

    def on_message_begin(self) -> None:
        """Begin a head."""
        self._reading, self._head_bytes = "head", 0
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header; those behind a body (trailers) are passed over."""
        if self._reading != "head":
            return
        if len(self.headers) >= HEAD_FIELDS:
            self._refused = "431 Request Header Fields Too Large"
            raise ValueError(self._refused)
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Begin a body."""
        self._disarm()
        self._reading, self._body_bytes, self._body_begun = "body", 0, self.loop.time()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Take a part of a body."""
        self._body_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Have a whole message."""
        self._reading = ""
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Wait for the next head, unless it is there already."""
        super().on_response_complete()
        self.since = self.loop.time()
        if not self._reading and self.cycle.response_complete:
            self._reading, self._head_bytes = "head", 0

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP, or too much of it."""
        if self._refused:
            self._end(self._refused, "many headers")
        else:
            self._count("no HTTP")
            super().send_400_response(msg)

    def pause_writing(self) -> None:
        """Begin to wait for somebody who does not read."""
        super().pause_writing()
        if self._stalled is None:
            self._stalled = self.loop.call_later(STALLED_SECONDS, self._give_up)

    def resume_writing(self) -> None:
        """Go on writing."""
        self._calm()
        super().resume_writing()

    def drop(self, cause: str) -> None:
        """End the connection at once."""
        self._count(cause)
        self.connections.discard(self)
        self.transport.abort()

    def _late(self) -> None:
        """What was waited for has not come."""
        self._timer = None
        if self._reading == "body":
            if self.flow.read_paused:  # it is the server that takes its time
                self._body_begun = self.loop.time()
            left = self._body_begun + BODY_SECONDS + self._body_bytes / BODY_RATE
            if (left := left - self.loop.time()) > 0:
                self._arm(left)
                return
        self._end("408 Request Timeout", "slow head" if self._reading == "head" else "slow body")

    def _give_up(self) -> None:
        self._stalled = None
        self.drop("does not read")

    def _end(self, status: str, cause: str) -> None:
        """Say why, if nothing was said yet, and end the connection."""
        self._count(cause)
        if self.cycle is None or self.cycle.response_complete or not self.cycle.response_started:
            head = f"HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
            self.transport.write(head.encode())
        self.transport.close()

    def _count(self, cause: str) -> None:
        app: Any = self.config.app
        app.state.metrics.dropped.add(cause=cause)

    def _arm(self, seconds: float) -> None:
        self._disarm()
        self._timer = self.loop.call_later(seconds, self._late)

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _calm(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None
