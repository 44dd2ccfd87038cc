"""Rehearsals: one at a time in a process of its own, the others wait their turn."""

from __future__ import annotations

import asyncio
import logging
import secrets
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from budgeted.errors import BudgetedError, BusyError, StorageError, StudyError, UnknownError
from budgeted.experiments.runs import Runs
from budgeted.experiments.store import Store
from budgeted.studies.journal import now
from budgeted.web.jobs import (
    CANCELLED,
    DONE,
    FAILED,
    RUNNING,
    WAITING,
    Job,
    Wanted,
    check,
)
from budgeted.web.settings import Settings
from budgeted.web.sse import Streams, event
from budgeted.web.storage import storing, words_of

_log = logging.getLogger(__name__)
_MOST_KEPT = 200


class Rehearsals:
    """All rehearsals of a server; they are kept in a folder, so that a restart shows them.

    One that was under way when the server ended goes on when it starts again: every run is kept
    as it ends.

    Parameters
    ----------
    settings
        Of the server.
    """

    def __init__(self, settings: Settings) -> None:
        self.limits = settings.limits
        self._folder = settings.data_folder / "rehearsals"
        self._jobs: dict[str, Job] = {}
        self._news = asyncio.Condition()
        self._worker: asyncio.Task[None] | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._unkept: set[str] = set()  # those whose last change is not on the disk
        self._results: dict[str, tuple[int, dict[str, Runs]]] = {}
        self._ending = False

    async def open(self) -> None:
        """Find what is kept, and go on with what was not finished."""
        restarted = {"state": WAITING, "message": "goes on after a restart of the server"}
        for job in await asyncio.to_thread(_kept, self._folder):
            self._jobs[job.id] = job.changed(**restarted) if job.state == RUNNING else job
        self._worker = asyncio.create_task(self._work())

    async def close(self) -> None:
        """Stop what is under way; it goes on at the next start."""
        self._ending = True
        if self._worker is not None:
            self._worker.cancel()
            with suppress(asyncio.CancelledError):
                await self._worker
        await self._keep()

    def all(self) -> list[Job]:
        """Return all rehearsals, the newest first."""
        return sorted(self._jobs.values(), key=lambda job: (job.at, job.id), reverse=True)

    def find(self, id: str) -> Job:
        """Return a rehearsal."""
        if id not in self._jobs:
            raise UnknownError("there is no such rehearsal")
        return self._jobs[id]

    async def create(self, wanted: Wanted, content: bytes, *, by: str) -> Job:
        """Take on a rehearsal of a complete table, after checking it.

        Parameters
        ----------
        wanted
            What is compared.
        content
            Of the CSV.
        by
            Who wants it.
        """
        waiting = sum(job.state in (WAITING, RUNNING) for job in self._jobs.values())
        if waiting >= self.limits.waiting:
            raise BusyError(f"{waiting} rehearsals wait already; cancel some, or try again later")
        if len(self._jobs) >= _MOST_KEPT:
            raise BusyError(f"{len(self._jobs)} rehearsals are kept already, and no more than that")
        job = await asyncio.to_thread(self._made, wanted, content, by)
        self._jobs[job.id] = job
        await self._tell()
        return job

    async def cancel(self, id: str) -> Job:
        """Stop a rehearsal, or take it out of the queue; its finished runs are kept."""
        job = self.find(id)
        if job.state not in (WAITING, RUNNING):
            raise StudyError(f"this rehearsal is {job.state} already")
        running = job.state == RUNNING
        job = await self._change(job.id, state=CANCELLED, message="cancelled")
        if job.id in self._unkept:
            words = "cancelled; the disk is full, so it may go on after a restart of the server"
            job = await self._change(job.id, message=words)
        if running and self._process is not None:
            _end(self._process)
        return job

    async def results(self, job: Job) -> dict[str, Runs]:
        """Return the runs that are there, by the label of the policy."""
        known = self._results.get(job.id)
        if known is None or known[0] != job.done:
            found = await asyncio.to_thread(_finished, job)
            self._results = {job.id: (job.done, found)}  # one: a page shows one
            return found
        return known[1]

    async def events(self, job: Job, streams: Streams, after: int) -> AsyncIterator[bytes]:
        """Yield an event after each change of a rehearsal, until it is over."""
        while True:
            job = self.find(job.id)
            if job.changes > after:
                after = job.changes
                data = {"seq": after, "state": job.state, "done": job.done, "total": job.total}
                yield event("changed", after, data)
                continue
            came = await streams.or_heartbeat(self._change_of(job.id, job.changes))
            if came is None:
                return
            if not came:
                yield b": still here\n\n"

    async def _change_of(self, id: str, after: int) -> None:
        async with self._news:
            await self._news.wait_for(lambda: self._jobs[id].changes > after)

    async def _change(self, id: str, **changes: Any) -> Job:
        self._jobs[id] = self._jobs[id].changed(**changes)
        if "state" in changes:
            self._unkept.add(id)
            await self._keep()
        await self._tell()
        return self._jobs[id]

    async def _keep(self) -> None:
        """Write down all that changed; what the disk has no room for now is tried again later."""
        for id in tuple(self._unkept):
            with suppress(StorageError):
                await asyncio.to_thread(self._jobs[id].keep)
                self._unkept.discard(id)

    async def _tell(self) -> None:
        async with self._news:
            self._news.notify_all()

    async def _work(self) -> None:
        """Take one after the other, the oldest first."""
        while True:
            async with self._news:
                await self._news.wait_for(lambda: self._next() is not None)
            job = self._next()
            if job is None:
                continue
            try:
                await self._run(job)
            except Exception as error:  # whatever befalls one, the others get their turn
                _log.exception("rehearsal %s", job.id)
                words = words_of(error) if isinstance(error, OSError) else str(error)
                await self._change(job.id, state=FAILED, message=words)

    def _next(self) -> Job | None:
        waiting = [job for job in reversed(self.all()) if job.state == WAITING]
        return waiting[0] if waiting else None

    async def _run(self, job: Job) -> None:
        await self._change(job.id, state=RUNNING, message="")
        if job.id in self._unkept:  # then there is no room for its results either
            await asyncio.to_thread(self._jobs[job.id].keep)
        process = self._process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "budgeted.web.rehearse", str(job.folder),
            str(self.limits.workers),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        assert process.stdout is not None
        assert process.stderr is not None
        errors = asyncio.create_task(process.stderr.read(100_000))
        try:
            async for line in process.stdout:
                if self._jobs[job.id].state == RUNNING:
                    await self._change(job.id, done=int(line))
            status = await process.wait()
        finally:
            if process.returncode is None:
                _end(process)
                await process.wait()
            # Its workers hold the pipes a moment longer; the loop must not close before they do.
            if process.stdin is not None:
                process.stdin.close()
            await process.stdout.read()
            self._process = None
            said = (await errors).decode(errors="replace").strip()
        if self._jobs[job.id].state != RUNNING:
            return
        if status == 0:
            await self._change(job.id, state=DONE)
        else:
            words = said.splitlines()[-1][:500] if said else f"its process ended with {status}"
            words = words.replace(f"{job.folder}/", "")
            await self._change(job.id, state=FAILED, message=words)

    def _made(self, wanted: Wanted, content: bytes, by: str) -> Job:
        id = secrets.token_hex(8)
        folder = self._folder / id
        with storing(folder):
            folder.mkdir(parents=True)
        try:
            table, _ = check(wanted, content, folder, self.limits)
            job = Job(id, folder, wanted, by, now(), len(table), table.features, table.labels)
            job.keep()
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        return job


def _end(process: asyncio.subprocess.Process) -> None:
    """Its workers end with it."""
    with suppress(ProcessLookupError):
        process.terminate()


def _kept(folder: Path) -> list[Job]:
    found = []
    for each in sorted(folder.glob("*/job.json")):
        with suppress(BudgetedError):  # a damaged one must not hide the others
            found.append(Job.read(each.parent))
    return found


def _finished(job: Job) -> dict[str, Runs]:
    if not job.results.exists():
        return {}
    store = Store(job.results, job.experiment())
    found = store.load_finished()
    others = store.others()
    if not found and others:  # the program is newer than the results, which are shown all the same
        most = max(others, key=lambda each: each.runs)
        found = replace(store, fingerprint=most.fingerprint).load_finished()
    return found
