"""One study on the server: what people want of it is collected and carried out together.

While one write to the journal is under way, commands wait; then all that wait go in with the next
one (`budgeted.studies.ledger`). So fifty people who work at once wait for two writes, not for
fifty. Nothing touches the `Study` on two threads at once; pages get a `Snapshot`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

from budgeted.cache import Cache
from budgeted.errors import (
    BudgetedError,
    BusyError,
    ForeignHistoryError,
    StudyError,
    UnknownError,
)
from budgeted.studies.blinding import Blinder, BlindSnapshot
from budgeted.studies.commands import Command
from budgeted.studies.drafts import Done, Draft, Sent
from budgeted.studies.events import Entry
from budgeted.studies.snapshot import Snapshot
from budgeted.studies.study import Study
from budgeted.studies.validation import ValidationFile
from budgeted.web.background import Background, Computed, Partly
from budgeted.web.curve import Curve
from budgeted.web.forecasts import Forecasts, Known

View = TypeVar("View")

_MOST_TOGETHER = 500
"""Commands of one write; the rest waits for the next."""
_MOST_WAITING = 5_000
_MOST_VIEWS = 8_000_000
"""Bytes of the pages of one study that are kept."""
_PATIENCE = 1.0
_SECONDS_OF_CURVE = 2.0
"""For which a page waits for what takes long, and a curve grows before others have their turn."""
_TURNS = 3
"""Of the loop between two writes: answers leave, and what comes back at once goes in together."""


class _Waiting(NamedTuple):
    """A command (None: only a look), who waits for it, and what to try on the study."""

    sent: Sent | None
    future: asyncio.Future[Any]
    trial: Callable[[Study], Any] | None = None


class StudyWorker:
    """The study that people work on."""

    blind = False
    """Whether labels of cases are left out of what is shown here."""

    def __init__(
        self,
        study: Study,
        validation: ValidationFile | None = None,
        most_at_once: int = 200,
        threads: Executor | None = None,
        slow_threads: Executor | None = None,
        forecasts: Forecasts | None = None,
    ) -> None:
        self._study = study
        self.name = study.name
        self._snapshot = study.snapshot()
        self._seq = self._snapshot.events
        self.most_at_once = most_at_once
        self._waiting: list[_Waiting] = []
        self._running: asyncio.Task[None] | None = None
        self._threads = threads
        self._views: Cache[tuple[Any, ...], Any] = Cache(_MOST_VIEWS)
        self._draft: Draft | None = None
        self._wants_draft = False
        self.trying = asyncio.Lock()
        """Held while something is tried on a draft, by one after the other."""
        self._released = False
        self._reopened = 0
        self._news = asyncio.Condition()
        self._validation = validation
        self._curve: Curve | None = None
        self._forecasts = forecasts
        self._background = Background(self._look, lambda: self._seq, self._tell, slow_threads)
        self._computed = 0
        self.blinder = Blinder()
        self.blinded: BlindSnapshot | None = None
        self.id = self._snapshot.id
        """By what the study is told from another one of its name."""
        self.gone = False
        """Whether the study was deleted: then this worker is of no use any more."""
        self.watchers = 0
        self.uploading = asyncio.Lock()
        """Held while other cases to judge on are taken, by one after the other."""

    @property
    def reopened(self) -> int:
        """How often the study turned out to have another history, and was read anew."""
        return self._reopened

    @property
    def computed(self) -> int:
        """How often something that takes long was computed."""
        return self._computed

    @property
    def seq(self) -> int:
        """Number of the last event that is known here."""
        return self._seq

    @property
    def busy(self) -> bool:
        """Whether somebody watches, waits, or is being served."""
        working = self._running is not None and not self._running.done()
        working |= self._background.busy or self.uploading.locked()
        return bool(self.watchers or self._waiting or working)

    @property
    def validation(self) -> ValidationFile | None:
        """The file of the cases that the classifier is judged on."""
        return self._validation

    def judge_on(self, validation: ValidationFile | None) -> None:
        """Take other cases to judge the classifier on."""
        self._validation, self._curve = validation, None
        self._background.forget()

    async def look(self) -> Snapshot:
        """Return the study as it is now, with what others wrote since."""
        return self._shown((await self._look())[1])

    async def _look(self) -> tuple[int, Snapshot]:
        """Which of its histories the study has, as `reopened` counts them, and how it is now."""
        await self._wait_for(None)
        # In this order, the opposite of that in `_start_anew`: what is kept under an old history is
        # never looked for.
        return self._reopened, self._snapshot

    def snapshot(self) -> Snapshot:
        """Return the study as it was known here last."""
        return self._shown(self._snapshot)

    def _shown(self, snapshot: Snapshot) -> Snapshot:
        """What is shown of the study; see `budgeted.web.worker`."""
        return snapshot

    async def view(self, key: str, function: Callable[..., View], *arguments: Any) -> View:
        """Return ``function(snapshot, *arguments)``, computed off the loop, once per event."""
        history, snapshot = await self._look()
        place = (key, self.blind, history, snapshot.events, *arguments)
        found: View | None = self._views.get(place)
        if found is None:
            found = await asyncio.to_thread(function, self._shown(snapshot), *arguments)
            if (history, snapshot.events) == (
                self._reopened,
                self._seq,
            ):  # else nobody will look for it again
                self._views.put(place, found)
        return found

    async def slow(self, key: str, function: Callable[..., View], *arguments: Any) -> View:
        """Return the same of a function that takes long: once for all who want it."""
        place = (self.blind, *arguments)
        return await self._background.wait(key, self._seeing(function), *place)

    async def draft(self) -> Draft:
        """Return the study as it is now, to try commands on; nothing of it is written."""
        self._wants_draft = True
        await self._look()
        assert self._draft is not None
        return Draft.of(self._draft)

    async def latest(
        self, key: str, function: Callable[..., View], *arguments: Any
    ) -> Computed[View]:
        """Return what was computed last by a function that takes long, and how old it is."""
        place = (self.blind, *arguments)
        return await self._background.latest(
            key, self._seeing(function), *place, patience=_PATIENCE
        )

    def _seeing(self, function: Callable[..., View]) -> Callable[..., View]:
        """The same function of what may be shown here; whether that is all is part of the key."""

        def seen(snapshot: Snapshot, _: bool, *arguments: Any) -> View:
            return function(self._shown(snapshot), *arguments)

        return seen

    async def curve(self) -> list[dict[str, Any]]:
        """Return predicted and measured error against money, up to the last event."""
        found: list[dict[str, Any]] = await self._background.wait("curve", self._grown_curve)
        return found

    async def latest_curve(self) -> Computed[Any]:
        """Return the same as far as it was computed."""
        return await self._background.latest("curve", self._grown_curve, patience=_PATIENCE)

    def _grown_curve(self, snapshot: Snapshot) -> Any:
        """The curve, some points at a time; one thread at a time grows it."""
        curve = self._curve
        created, judge = snapshot.created, self._validation
        if curve is None or (curve.created, curve.validation) != (created, judge):
            curve = self._curve = Curve(created, judge)
        whole = curve.advance(snapshot.state, at_most=_SECONDS_OF_CURVE)
        return curve.points if whole else Partly(curve.points)

    async def forecast(self) -> Known:
        """Return what there is of a forecast: the last one, and the one that is under way."""
        _, snapshot = await self._look()
        if self._forecasts is None:
            return Known(None, None, snapshot.events)
        return await self._forecasts.known(self.id, snapshot.entries)

    async def begin_forecast(self, seconds: float | None = None) -> Known:
        """Have a forecast made, or a better one of the same events; return at once."""
        _, snapshot = await self._look()
        if snapshot.closed:
            raise StudyError("the study is closed, so that nothing more will be bought")
        if self._forecasts is None:
            raise UnknownError("no forecasts are made here")
        return await self._forecasts.begin(
            self.name, self.id, snapshot.entries, seconds, self._tell
        )

    async def news(
        self, after: int, reopened: int = 0, computed: int | None = None
    ) -> tuple[Entry, ...]:
        """Wait for events behind a number, and return them.

        Another history is news as well, and so is what was computed, if that is asked for.
        """
        async with self._news:
            await self._news.wait_for(
                lambda: (
                    self.seq > after
                    or self.reopened != reopened
                    or self.gone
                    or computed not in (None, self.computed)
                )
            )
        if self.gone:
            raise UnknownError(f"there is no study {self.name!r} any more: it was deleted")
        return (await self.look()).entries[after:]

    async def do(self, command: Command, *, by: str, key: str = "") -> Done:
        """Have something done to the study; see `budgeted.studies.ledger.Ledger.do`."""
        self.check_size(command)
        done: Done = await self._wait_for(Sent(command, by, key))
        number = getattr(command, "number", None)
        if number is not None and not done.requests:  # told before: harmless, and still an answer
            done = replace(done, requests=((await self.look()).request(number),))
        return done

    async def leave(self) -> None:
        """Take note that the study was deleted, and tell those who watch."""
        self.gone = True
        await self._notify()

    def check_size(self, command: Command) -> None:
        """Raise an error if a command asks for more than one person may at once."""
        for size in command.sized_by:
            wanted = getattr(command, size)
            if wanted is not None and wanted > self.most_at_once:
                raise StudyError(f"{size}: must be from 1 to {self.most_at_once}, got {wanted}")

    async def trial(self, function: Callable[[Study], View]) -> View:
        """Return what a function finds out from the study itself, while nothing is being written.

        It must change nothing, such as `Study.preview`.
        """
        found: View = await self._wait_for(None, function)
        return found

    async def release(self) -> None:
        """Let what is under way end, and let go of the database."""
        await self._background.close()
        if self._running is not None:
            await asyncio.wait([self._running])
        self._released = True
        await asyncio.to_thread(self._study.release)

    def _wait_for(
        self, sent: Sent | None, trial: Callable[[Study], Any] | None = None
    ) -> asyncio.Future[Any]:
        if len(self._waiting) >= _MOST_WAITING:
            raise BusyError("too many people want something of this study; try again in a moment")
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Waiting(sent, future, trial))
        if self._running is None or self._running.done():
            self._running = asyncio.create_task(self._carry_out())
        return future

    async def _carry_out(self) -> None:
        """Carry out what waits, all that came meanwhile at once, until nothing does."""
        loop = asyncio.get_running_loop()
        while self._waiting:
            batch, self._waiting = (
                self._waiting[:_MOST_TOGETHER],
                self._waiting[_MOST_TOGETHER:],
            )
            # A decision looks anew at every feature that changed: once, if answers come first.
            batch.sort(key=lambda each: each.sent is not None and each.sent.command.late)
            sent = [each.sent for each in batch if each.sent is not None]
            look = len(sent) < len(batch)
            known = (self._seq, self._reopened)
            try:
                answers = await loop.run_in_executor(self._threads, self._work, sent, look)
            except Exception as error:
                for each in batch:
                    if not each.future.done():
                        each.future.set_exception(error)
                if self.gone:
                    await self.leave()
                continue
            given = iter(answers)
            for each in batch:
                answer = None if each.sent is None else next(given)
                if each.trial is not None:
                    answer = await loop.run_in_executor(self._threads, _tried, each, self._study)
                if each.future.done():  # who asked has gone away
                    continue
                if isinstance(answer, Exception):
                    each.future.set_exception(answer)
                else:
                    each.future.set_result(answer)
            if (self._seq, self._reopened) != known:
                await self._notify()
            for _ in range(_TURNS):  # else deciding would slow the answers down
                await asyncio.sleep(0)

    async def _tell(self) -> None:
        """Tell those who watch that something was computed."""
        self._computed += 1
        await self._notify()

    async def _notify(self) -> None:
        async with self._news:
            self._news.notify_all()

    def _read_anew(self) -> None:
        """Read the study as it is now; one that is another by now is none of this worker's."""
        try:
            self._study.read_anew()
            if self._study.snapshot().id != self.id:
                raise UnknownError(
                    f"the study {self.name!r} that was here was deleted, and there is another one "
                    f"of this name now; load the page anew"
                )
        except UnknownError:
            self.gone = True
            raise

    def _start_anew(self) -> None:
        """Forget all that was made of the history before."""
        self._reopened += 1
        self._views.clear()
        self._background.forget()
        self._curve = None
        self._snapshot = self._study.snapshot()

    def _work(self, sent: list[Sent], look: bool) -> tuple[Done | BudgetedError, ...]:
        """Carry out commands on a thread; make a snapshot if somebody looks."""
        answers: tuple[Done | BudgetedError, ...] = ()
        try:
            if sent:
                answers = self._study.carry_out(sent, shared=True)
            else:
                self._study.refresh()
        except ForeignHistoryError as error:
            # Who wanted something was looking at another history; who only looks sees this one.
            self._read_anew()
            self._start_anew()
            answers = (error,) * len(sent)
        if self._seq != self._study.events and self._views.bytes:
            self._views.clear()  # what was made of fewer events is not wanted any more
        self._seq = self._study.events
        if look and self._snapshot.events < self._seq:
            self._snapshot = self._study.snapshot()
        if look and self._wants_draft:
            self._draft, self._wants_draft = self._study.draft(shared=True), False
        if self._released:  # somebody held on to a worker that was put away
            self._study.release()
        return answers


def _tried(waiting: _Waiting, study: Study) -> Any:
    """Return what somebody wants to find out, or the error that it ends with."""
    assert waiting.trial is not None
    try:
        return waiting.trial(study)
    except Exception as error:
        return error


class BlindWorker(StudyWorker):
    """The worker of a study that shows no labels."""

    blind = True

    def __init__(self, worker: StudyWorker) -> None:
        self.__dict__ = worker.__dict__

    async def do(self, command: Command, *, by: str, key: str = "") -> Done:
        """Have something done to the study, and say so without labels."""
        return self.blinder.done(await super().do(command, by=by, key=key))

    def _shown(self, snapshot: Snapshot) -> Snapshot:
        if isinstance(snapshot, BlindSnapshot):
            return snapshot
        if self.blinded is None or self.blinded.seen is not snapshot:
            self.blinded = self.blinder.snapshot(snapshot)
        return self.blinded
