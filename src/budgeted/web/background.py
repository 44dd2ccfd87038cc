"""What takes long is computed behind the pages: once for a burst of events, one thing at a time.

Worth, charts and the error of the classifier of a large study take seconds. If each event of a
busy laboratory, and each browser that watches, had them computed, nothing else would be. So whoever
wants such a thing gets what was computed last, with the number of events that it was computed of,
and what is missing is computed on a thread of its own: of the newest events, once for all who want
it, however many events came meanwhile. Who must have it up to date waits for that.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from budgeted.cache import Cache
from budgeted.errors import BusyError
from budgeted.studies.snapshot import Snapshot

View = TypeVar("View")
Place = tuple[Any, ...]
Moment = tuple[int, int]
"""Which history of a study, and how many events of it."""

_MOST_KEPT = 8_000_000
"""Bytes of what is kept of one study."""
_MOST_WANTED = 200
_AT_ONCE = 0.1
"""Seconds: what takes less is computed for every event, without a pause."""
_QUIET, _MOST_QUIET = 0.3, 2.0
"""Seconds without an event after which a burst is over, and how long one is waited for."""
_REST = 0.5
"""Of the time that the last round took, there is a pause before the next one."""


@dataclass(frozen=True)
class Computed(Generic[View]):
    """What was computed last, and of how many events."""

    view: View | None  # none while there is nothing yet
    events: int
    of: int
    whole: bool = True  # whether all of it is there; a curve comes piece by piece

    @property
    def behind(self) -> str:
        """What people are told of its age; nothing if it is up to date.

        >>> Computed("a chart", 412, 415).behind, Computed("a chart", 415, 415).behind
        ('After 412 of 415 events; being computed…', '')
        """
        if self.view is None:
            return "Being computed…"
        if self.events < self.of:
            return f"After {self.events} of {self.of} events; being computed…"
        return "" if self.whole else "The first part; being computed…"


@dataclass(frozen=True)
class Partly(Generic[View]):
    """What a computation returns that wants to go on later, and let others have their turn."""

    view: View


@dataclass
class _Wanted:
    """A computation, and who waits for it."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    waiting: list[tuple[Moment, asyncio.Future[Any]]] = field(default_factory=list)
    # Where it stopped part of the way: it goes on with these events, or it would never come to an
    # end while others write without pause.
    begun: tuple[Moment, Snapshot] | None = None


class Background:
    """What is computed behind the pages of one study."""

    def __init__(
        self,
        look: Callable[[], Awaitable[tuple[int, Snapshot]]],
        seq: Callable[[], int],
        tell: Callable[[], Awaitable[None]],
        threads: Executor | None = None,
    ) -> None:
        self._look, self._seq, self._tell, self._threads = look, seq, tell, threads
        self._done: Cache[Place, tuple[Moment, Any, bool]] = Cache(_MOST_KEPT)
        self._wanted: dict[Place, _Wanted] = {}
        self._now: tuple[Place, Moment, _Wanted] | None = None
        self._running: asyncio.Task[None] | None = None
        self._forgotten = 0
        self._took, self._ended, self._last = 0.0, 0.0, 0  # of the last round

    @property
    def busy(self) -> bool:
        """Whether something is being computed."""
        return self._running is not None and not self._running.done()

    def forget(self) -> None:
        """Forget what was computed, and compute anew what is under way: it depends on more."""
        self._forgotten += 1
        self._done.clear()

    async def close(self) -> None:
        """Begin nothing more; what is under way on a thread ends by itself."""
        waiting = [each for wanted in self._wanted.values() for _, each in wanted.waiting]
        self._wanted.clear()
        if self._running is not None:
            self._running.cancel()
            with suppress(asyncio.CancelledError):
                await self._running
        for each in waiting:
            each.cancel()

    async def wait(self, key: str, function: Callable[..., View], *arguments: Any) -> View:
        """Return ``function(snapshot, *arguments)`` of a study as it is now, or later.

        What it returns may be `Partly` there: then it is called again.
        """
        place, moment, found = await self._find(key, arguments)
        if found is not None and found[0] == moment and found[2]:
            view: View = found[1]
            return view
        result: View = (await self._request(place, moment, function, arguments))[1]
        return result

    async def latest(
        self, key: str, function: Callable[..., View], *arguments: Any, patience: float = 0.0
    ) -> Computed[View]:
        """Return what was computed last; what is newer is computed behind it.

        What is done within `patience` seconds is not worth a second answer.
        """
        place, moment, found = await self._find(key, arguments)
        if found is None or found[0] != moment or not found[2]:
            coming = self._request(place, moment, function, arguments)
            with suppress(asyncio.TimeoutError):
                (_, events), view = await asyncio.wait_for(coming, patience)
                return Computed(view, events, max(events, self._seq()))
            found = self._done.get(place)
        if found is None or found[0][0] != moment[0]:  # another history is no news of this one
            return Computed(None, 0, moment[1])
        return Computed(found[1], found[0][1], moment[1], found[2])

    async def _find(
        self, key: str, arguments: tuple[Any, ...]
    ) -> tuple[Place, Moment, tuple[Moment, Any, bool] | None]:
        history, snapshot = await self._look()
        place = (key, *arguments)
        return place, (history, snapshot.events), self._done.get(place)

    def _request(
        self,
        place: Place,
        moment: Moment,
        function: Callable[..., Any],
        arguments: tuple[Any, ...],
    ) -> asyncio.Future[Any]:
        """Have something computed, unless it is under way already; return what comes of it."""
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        future.add_done_callback(_seen)
        if self._now is not None and self._now[:2] == (place, moment):
            self._now[2].waiting.append((moment, future))
            return future
        if len(self._wanted) >= _MOST_WANTED and place not in self._wanted:
            raise BusyError("too much of this study is being computed; try again in a moment")
        wanted = self._wanted.setdefault(place, _Wanted(function, arguments))
        wanted.waiting = [each for each in wanted.waiting if not each[1].done()]
        wanted.waiting.append((moment, future))
        if not self.busy:
            self._running = asyncio.create_task(self._work())
        return future

    async def _work(self) -> None:
        """Compute what is wanted, round by round, each of the newest events."""
        while self._wanted:
            await self._burst()
            began = time.monotonic()
            try:
                history, snapshot = await self._look()
            except Exception as error:
                self._refuse(error)
                return
            for place, wanted in list(self._wanted.items()):
                here = wanted.begun
                if here is None or here[0][0] != history:
                    here = (history, snapshot.events), snapshot
                await self._compute(place, *here)
            self._ended, self._last = time.monotonic(), snapshot.events
            self._took = self._ended - began

    async def _compute(self, place: Place, moment: Moment, snapshot: Snapshot) -> None:
        wanted, forgotten = self._wanted.pop(place), self._forgotten
        self._now = (place, moment, wanted)
        loop = asyncio.get_running_loop()
        try:
            found = await loop.run_in_executor(
                self._threads, wanted.function, snapshot, *wanted.arguments
            )
        except Exception as error:
            _answer(wanted, error)
            return
        finally:
            self._now = None
        wanted.begun = None
        if forgotten != self._forgotten:
            self._want_again(place, wanted)
            return
        whole = not isinstance(found, Partly)
        view = found if whole else found.view
        self._done.put(place, (moment, view, whole))
        if not whole:  # the others have their turn first
            wanted.begun = moment, snapshot
            self._want_again(place, wanted)
        else:
            newer = [each for each in wanted.waiting if each[0] > moment]
            wanted.waiting = [each for each in wanted.waiting if each[0] <= moment]
            _answer(wanted, (moment, view))
            if newer:  # they came while it went on, and know of more events
                later = _Wanted(wanted.function, wanted.arguments, newer)
                self._want_again(place, later)
        await self._tell()

    def _want_again(self, place: Place, wanted: _Wanted) -> None:
        later = self._wanted.setdefault(place, wanted)
        if later is not wanted:
            later.waiting += wanted.waiting
            later.begun = later.begun or wanted.begun

    async def _burst(self) -> None:
        """Wait until a burst of events is over, where computing takes longer than a moment."""
        if self._took < _AT_ONCE or self._seq() == self._last:
            return
        await asyncio.sleep(max(0.0, self._ended + _REST * self._took - time.monotonic()))
        until = time.monotonic() + _MOST_QUIET
        before = -1
        while before != self._seq() and time.monotonic() < until:
            before = self._seq()
            await asyncio.sleep(_QUIET)

    def _refuse(self, error: Exception) -> None:
        refused, self._wanted = self._wanted, {}
        for wanted in refused.values():
            _answer(wanted, error)


def _answer(wanted: _Wanted, answer: Any) -> None:
    for _, each in wanted.waiting:
        if each.done():  # who wanted it has gone away
            continue
        if isinstance(answer, Exception):
            each.set_exception(answer)
        else:
            each.set_result(answer)


def _seen(future: asyncio.Future[Any]) -> None:
    """Look at an error, so that nobody complains that nobody did: who waited may be gone."""
    if not future.cancelled():
        future.exception()
