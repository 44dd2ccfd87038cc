"""Forecasts of studies, each made in a process of its own, one at a time, and kept in files.

Somebody wants one; then it takes about twenty seconds, in which everything else goes on. It is kept
with the number of events that it was made of, and shown with that number until there is another.
Who wants it again though nothing happened since gets more runs of the same.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from budgeted.cache import Cache
from budgeted.errors import BusyError
from budgeted.studies.events import Entry
from budgeted.studies.forecast import MOST, SECONDS, Head, read_head
from budgeted.web import children
from budgeted.web.settings import Settings

_log = logging.getLogger(__name__)
_MOST_WAITING = 20
_MOST_KNOWN = 4_000_000
"""Bytes of what is kept of files that were read."""
_MOST_PROCESSES = 2


@dataclass
class Making:
    """A forecast that is being made, or waits its turn."""

    events: int  # of how many it is made
    before: int
    seconds: float  # how long it may take from its beginning on
    runs: int = 0
    begun: float | None = None  # when it began; None while others have their turn
    task: asyncio.Task[None] | None = field(default=None, repr=False)

    @property
    def share(self) -> float:
        """About how much of it is done, from 0 to 1: it ends when the time is up, or all are there.

        >>> Making(events=9, before=100, seconds=20, runs=250, begun=time.monotonic()).share
        0.5
        """
        if self.begun is None:
            return 0.0
        done = max(0, self.runs - self.before) / max(1, MOST - self.before)
        passed = (time.monotonic() - self.begun) / max(self.seconds, 1e-9)
        return round(min(1.0, max(done, passed)), 3)


@dataclass(frozen=True)
class Known:
    """What there is of the forecast of a study."""

    head: Head | None
    making: Making | None  # the next one, if it is under way
    events: int  # how many there are by now
    failed: str = ""  # why the last attempt came to nothing; empty if it did not
    seconds: float = SECONDS  # how long one takes that is wanted from the page

    @property
    def current(self) -> bool:
        """Whether nothing happened since it was made."""
        return self.head is not None and self.head.events == self.events

    @property
    def runs(self) -> int:
        """Of how many runs it is made."""
        return 0 if self.head is None else int(self.head.forecast["runs"])

    @property
    def exact(self) -> bool:
        """Whether more runs would add nothing that could be seen."""
        return self.current and self.runs >= MOST


class Forecasts:
    """All forecasts of a server."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._folder = settings.data_folder / "forecasts"
        self._heads: Cache[str, Head] = Cache(_MOST_KNOWN)
        self._making: dict[str, Making] = {}
        self._failed: dict[str, tuple[int, str]] = {}
        self._turn = asyncio.Lock()

    async def known(self, id: str, entries: Sequence[Entry]) -> Known:
        """Return what there is of a study."""
        head = self._heads.get(id)
        if head is None:
            head = await asyncio.to_thread(read_head, self._file(id))
            if head is not None:
                self._heads.put(id, head)
        if head is not None and not head.is_of(entries):
            head = None
        at, words = self._failed.get(id, (0, ""))
        failed = words if at == len(entries) else ""
        seconds = self._settings.limits.forecast
        return Known(head, self._making.get(id), len(entries), failed, seconds)

    async def begin(
        self,
        name: str,
        id: str,
        entries: Sequence[Entry],
        seconds: float | None,
        tell: Callable[[], Awaitable[None]],
    ) -> Known:
        """Have a forecast made, or the one of these events made better; what is under way stays.

        It may take `seconds` beyond what it took before; `tell` is called when it begins and ends.
        """
        known = await self.known(id, entries)
        if known.making is not None or known.exact:
            return known
        if len(self._making) >= _MOST_WAITING:
            raise BusyError(f"{_MOST_WAITING} forecasts wait already; try again in a moment")
        self._folder.mkdir(parents=True, exist_ok=True)
        before, took = 0, 0.0
        if known.head is not None and known.current:
            before, took = known.runs, known.head.seconds
        seconds = known.seconds if seconds is None else seconds
        making = self._making[id] = Making(len(entries), before, seconds, before)
        self._failed.pop(id, None)
        making.task = asyncio.create_task(self._make(name, id, making, took, tell))
        return await self.known(id, entries)

    async def forget(self, id: str) -> None:
        """Stop what is under way for a study that is deleted, and take away what is kept."""
        making = self._making.get(id)
        if making is not None and making.task is not None:
            await children.ended(making.task)
        self._heads.clear()
        with suppress(OSError):
            await asyncio.to_thread(self._file(id).unlink, missing_ok=True)

    async def close(self) -> None:
        """Stop all that is under way."""
        for making in list(self._making.values()):
            if making.task is not None:
                await children.ended(making.task)

    def _file(self, id: str) -> Path:
        return self._folder / f"{id}.jsonl"

    async def _make(
        self, name: str, id: str, making: Making, took: float, tell: Callable[[], Awaitable[None]]
    ) -> None:
        try:
            async with self._turn:
                making.begun = time.monotonic()
                await tell()
                failed = await self._run(name, id, making, took)
            head = await asyncio.to_thread(read_head, self._file(id))
            if head is not None:
                self._heads.put(id, head)
            if not failed and (head is None or head.events != making.events):
                failed = "there is no room to keep it; ask whoever runs the server to make some"
            if failed:
                self._failed[id] = (making.events, failed)
        except OSError as error:
            _log.exception("forecast of %s", name)
            self._failed[id] = (making.events, f"it could not begin: {error.strerror}")
        finally:
            self._making.pop(id, None)
            self._failed = dict(list(self._failed.items())[-_MOST_WAITING:])
        await tell()

    async def _run(self, name: str, id: str, making: Making, took: float) -> str:
        """Make it in a process; return why that did not work, if it did not."""
        wanted = {
            "database": self._settings.database, "name": name, "events": making.events,
            "file": str(self._file(id)), "seconds": took + making.seconds, "most": MOST,
            "workers": min(_MOST_PROCESSES, os.cpu_count() or 1),
        }  # fmt: skip

        def tell(runs: int) -> None:
            making.runs = runs

        return await children.computed("forecast", wanted, tell)
