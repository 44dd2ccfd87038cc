"""All studies of a database, each at its worker."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from budgeted.errors import BudgetedError, JournalError, StudyError, UnknownError, UnknownFateError
from budgeted.files import write_atomically
from budgeted.studies.files import StudyFile
from budgeted.studies.journal import Journal, studies
from budgeted.studies.ledger import Summary, summaries
from budgeted.studies.study import Study
from budgeted.studies.validation import ValidationFile, read_validation, tidy_validation
from budgeted.web.forecasts import Forecasts
from budgeted.web.logs import note
from budgeted.web.settings import Settings
from budgeted.web.uploads import Understood
from budgeted.web.worker import StudyWorker

_log = logging.getLogger(__name__)
_SLOW_THREADS = 2
_THREADS = 32
"""On which studies are read and written; a thread that waits for a database does no harm."""


class StudyWorkers:
    """Opens studies when somebody wants them, and keeps those that are in use open.

    Another program, such as the command line, may write to the same studies; so every worker looks
    at its journal about once a second while somebody watches.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._workers: dict[str, StudyWorker] = {}
        self._opening: dict[str, asyncio.Task[StudyWorker]] = {}
        self._creating = asyncio.Lock()
        self._journal: Journal | None = None  # kept open: lists and probes cost one query each
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="study")
        self._slow_threads = ThreadPoolExecutor(_SLOW_THREADS, thread_name_prefix="slow")
        self._forecasts = Forecasts(settings)
        self._poll: asyncio.Task[None] | None = None
        self._past: set[asyncio.Task[None]] = set()
        self.closing = asyncio.Event()

    async def open(self) -> None:
        """Make the database if there is none, and begin to look for news."""
        self._journal = await asyncio.to_thread(Journal, self.settings.database, "", create=True)
        self._poll = asyncio.create_task(self._look_for_news())

    async def close(self) -> None:
        """Let all that is under way end, and let go of the database."""
        self.closing.set()
        if self._poll is not None:
            self._poll.cancel()
            with suppress(asyncio.CancelledError):
                await self._poll
        await self._forecasts.close()
        await asyncio.gather(*self._opening.values(), return_exceptions=True)
        for worker in self._workers.values():
            await worker.release()
        await asyncio.gather(*self._past)
        self._workers.clear()
        self._threads.shutdown()
        self._slow_threads.shutdown(cancel_futures=True)
        if self._journal is not None:
            self._journal.release()

    async def ping(self) -> None:
        """Raise an error unless the database answers."""
        await asyncio.to_thread(self._database.ping)

    async def summaries(self) -> dict[str, Summary | JournalError]:
        """Return all studies at a glance, by name, without opening any."""
        return await asyncio.to_thread(summaries, self._database)

    @property
    def where(self) -> str:
        """Which database it is, for the log; without its password."""
        return self._database.where

    @property
    def _database(self) -> Journal:
        assert self._journal is not None, "not open yet"
        return self._journal

    async def worker(self, name: str) -> StudyWorker:
        """Return the worker of a study, opening it if needed."""
        found = self._workers.pop(name, None)
        if found is not None and found.gone:
            await self._forget(found)
            found = None
        if found is None:
            found = await self._open(name)
        else:
            self._workers[name] = found  # now the one that was used last
        return found

    async def create(
        self, given: StudyFile, *, by: str, validation: bytes | None = None
    ) -> StudyWorker:
        """Begin a study; a validation file is kept beside the database, never in the journal."""
        async with self._creating:
            study, judge = await asyncio.to_thread(
                _begin, self.settings.database, given, by, self._validation_file(given.name),
                validation,
            )  # fmt: skip
            note(study=given.name, operation="create")
            return self._take(study, judge)

    async def _forget(self, worker: StudyWorker) -> None:
        """Take away what is kept of a study that somebody deleted."""
        self._let_go(worker)
        await self._forecasts.forget(worker.id)
        async with self._creating:
            if worker.name in self._workers:  # another one of this name was begun meanwhile
                return
            file = self._validation_file(worker.name)
            try:
                await asyncio.to_thread(file.unlink, missing_ok=True)
            except OSError as error:  # a new study of this name takes it away
                _log.warning("%s cannot be deleted: %s", file, error)

    async def without_taken_name(self, found: Understood) -> Understood:
        """Return what was understood of a new study, with the mistake that its name is taken."""
        if found.given is None or found.given.name not in await asyncio.to_thread(self._names):
            return found
        taken = f"name: there is a study {found.given.name!r} already; give another name"
        return replace(found, given=None, study_mistakes=(*found.study_mistakes, taken))

    def _names(self) -> tuple[str, ...]:
        return self._database.names()

    async def judge_on(self, name: str, content: bytes, label_column: str = "label") -> None:
        """Keep another validation file for a study, after checking it."""
        worker = await self.worker(name)
        async with worker.uploading:
            problem = (await worker.look()).state.problem
            tidy = await asyncio.to_thread(tidy_validation, content, problem, label_column)
            await asyncio.to_thread(_keep, self._validation_file(name), tidy)
            worker.judge_on(ValidationFile(tidy))
            note(study=name)

    async def _open(self, name: str) -> StudyWorker:
        """Open a study once, however many wait for it; nothing is left of one that is not there."""
        task = self._opening.get(name)
        if task is None:
            task = self._opening[name] = asyncio.create_task(self._opened(name))
            task.add_done_callback(lambda _: self._opening.pop(name))
        return await asyncio.shield(task)  # who goes away must not stop it for the others

    async def _opened(self, name: str) -> StudyWorker:
        study = await asyncio.to_thread(_open, self.settings.database, name)
        judge, file = None, self._validation_file(name)
        with suppress(BudgetedError, OSError):  # it only feeds a chart
            content = await asyncio.to_thread(file.read_bytes)
            judge = ValidationFile(content)
            await asyncio.to_thread(judge.judge, study.state.problem)
        return self._take(study, judge)

    def _take(self, study: Study, judge: ValidationFile | None) -> StudyWorker:
        """Give a study its worker."""
        worker = StudyWorker(
            study, judge, self.settings.limits.ask, self._threads, self._slow_threads,
            self._forecasts,
        )  # fmt: skip
        former = self._workers.pop(worker.name, None)
        self._workers[worker.name] = worker
        if former is not None:
            self._let_go(former)
        self._make_room()
        return worker

    def _make_room(self) -> None:
        """Let go of the studies that were not used for the longest time, until few enough are open.

        Those that somebody uses stay, and so does the one that was used last.
        """
        for name, worker in list(self._workers.items())[:-1]:
            if len(self._workers) <= self.settings.limits.studies:
                return
            if not worker.busy:
                del self._workers[name]
                self._let_go(worker)

    def _let_go(self, worker: StudyWorker) -> None:
        task = asyncio.create_task(worker.release())
        self._past.add(task)
        task.add_done_callback(self._past.discard)

    async def _look_for_news(self) -> None:
        while True:
            await asyncio.sleep(self.settings.poll)
            for worker in list(self._workers.values()):
                if worker.watchers:
                    # Whoever does something next is told; one that was deleted says so itself.
                    with suppress(JournalError, UnknownError):
                        await worker.look()

    def _validation_file(self, name: str) -> Path:
        """Where a validation file is kept; a digest, because a name may hold anything."""
        digest = hashlib.sha256(name.encode()).hexdigest()
        return self.settings.data_folder / "validation" / f"{digest}.csv"


def _keep(file: Path, content: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(file, content)


def _open(database: str, name: str) -> Study:
    try:
        return Study.open(database, name)
    except UnknownError:
        raise UnknownError(f"there is no study {name!r}") from None


def _begin(
    database: str, given: StudyFile, by: str, file: Path, validation: bytes | None
) -> tuple[Study, ValidationFile | None]:
    """Begin a study, whole or not at all: the file is in its place before the study exists."""
    if given.name in studies(database):
        raise StudyError(f"there is a study {given.name!r} already; give another name")
    judge = None
    if validation is None:
        file.unlink(missing_ok=True)  # one of a database that is gone
    else:
        read_validation(validation, given.problem)
        judge = ValidationFile(validation)
        _keep(file, validation)
    settings: Mapping[str, object] = {
        key: value for key, value in vars(given).items() if key != "problem"
    }
    try:
        study = Study.create(database, problem=given.problem, by=by, **settings)  # type: ignore[arg-type]
    except UnknownFateError:
        raise  # it may have begun, and then these are its cases
    except BaseException:
        with suppress(OSError):
            file.unlink(missing_ok=True)
        raise
    return study, judge
