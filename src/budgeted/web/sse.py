"""Server-sent events: whoever watches is told what happens, in order, and nothing is left out."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Coroutine
from contextlib import suppress
from typing import Any

from starlette.requests import Request
from starlette.responses import StreamingResponse

from budgeted.errors import BusyError, UnknownError
from budgeted.web.pages.fields import whole_number
from budgeted.web.worker import StudyWorker

HEARTBEAT = 15.0
"""Seconds after which a sign of life is sent, so that nothing in between hangs up."""
_RETRY = 1_000


class Streams:
    """Counts who watches, and ends all streams when the server does."""

    def __init__(self, most: int, closing: asyncio.Event) -> None:
        self._most = most
        self._closing = closing
        self.open = 0

    def response(self, events: AsyncIterator[bytes]) -> StreamingResponse:
        """Return the answer that sends events until the server, or who watches, ends it."""
        if self.open >= self._most:
            raise BusyError(f"{self._most} browsers and programs watch already; try again later")
        headers = {"X-Accel-Buffering": "no", "Cache-Control": "no-store"}
        return StreamingResponse(
            self._counted(events), media_type="text/event-stream", headers=headers
        )

    async def _counted(self, events: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        self.open += 1
        try:
            yield f"retry: {_RETRY}\n\n".encode()
            async for each in events:
                yield each
        finally:
            self.open -= 1
            with suppress(AttributeError):
                await events.aclose()  # type: ignore[attr-defined]

    async def or_heartbeat(self, wait: Coroutine[Any, Any, object]) -> bool | None:
        """Wait for something: True if it came, False after a while, None if the server ends."""
        coming = asyncio.ensure_future(wait)
        ending = asyncio.ensure_future(self._closing.wait())
        try:
            done, _ = await asyncio.wait(
                (coming, ending), timeout=HEARTBEAT, return_when=asyncio.FIRST_COMPLETED
            )
            if ending in done:
                return None
            if coming in done:
                coming.result()
            return coming in done
        finally:
            for each in (coming, ending):
                each.cancel()


async def study_events(worker: StudyWorker, streams: Streams, after: int) -> AsyncIterator[bytes]:
    """Yield an event for each event of the journal behind a number, as they come."""
    worker.watchers += 1
    reopened, computed = worker.reopened, worker.computed
    try:
        while True:
            try:
                came = await streams.or_heartbeat(worker.news(after, reopened, computed))
            except UnknownError as error:  # it was deleted
                yield event("gone", after, {"words": str(error)})
                return
            if came is None:
                return
            if not came:
                yield b": still here\n\n"
                continue
            every = (await worker.look()).entries
            if worker.reopened != reopened:
                reopened, after = worker.reopened, len(every)
                words = "the study was restored from another copy; what is shown is new"
                yield event("changed", after, {"seq": after, "by": "", "words": words})
            entries = every[after:]
            for entry in entries:
                data = {"seq": entry.seq, "by": entry.by, "words": entry.event.words()}
                yield event("changed", entry.seq, data)
            after += len(entries)
            if worker.computed != computed:
                computed = worker.computed
                yield event("computed", after, {"seq": after})
    finally:
        worker.watchers -= 1


def event(name: str, number: int, data: object) -> bytes:
    r"""Return one event as it goes over the wire.

    >>> event("changed", 7, {"seq": 7})
    b'id: 7\nevent: changed\ndata: {"seq": 7}\n\n'
    """
    return f"id: {number}\nevent: {name}\ndata: {json.dumps(data)}\n\n".encode()


def last_seen(request: Request, default: int) -> int:
    """Return the number that a browser saw last; `default` if it says nothing that makes sense.

    A page that is just loaded says it in the address, one that lost its connection in a header.
    """
    given = request.headers.get("last-event-id") or request.query_params.get("after", "")
    number = whole_number(given)
    return default if number is None else min(number, default)
