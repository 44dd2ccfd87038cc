"""All studies of a database, each at its desk."""

from __future__ import annotations

import asyncio
import hashlib
import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from budgeted.errors import BudgetedError, JournalError, UnknownError
from budgeted.journal import Journal, studies
from budgeted.study import Study
from budgeted.study.file import StudyFile
from budgeted.web.desk import Desk
from budgeted.web.settings import Settings
from budgeted.web.validation import read_validation, tidy_validation


class Office:
    """Opens studies when somebody wants them, and keeps those that are in use open.

    Another program, such as the command line, may write to the same studies; so every desk looks
    at its journal about once a second while somebody watches.

    Parameters
    ----------
    settings
        Of the server.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._desks: dict[str, Desk] = {}
        self._opening: dict[str, asyncio.Lock] = {}
        self._poll: asyncio.Task[None] | None = None
        self._past: set[asyncio.Task[None]] = set()
        self.closing = asyncio.Event()

    async def open(self) -> None:
        """Make the database if there is none, and begin to look for news."""
        await asyncio.to_thread(_make, self.settings.database)
        self._poll = asyncio.create_task(self._look_for_news())

    async def close(self) -> None:
        """Let all that is under way end, and let go of the database."""
        self.closing.set()
        if self._poll is not None:
            self._poll.cancel()
            with suppress(asyncio.CancelledError):
                await self._poll
        for desk in self._desks.values():
            await desk.release()
        self._desks.clear()

    async def names(self) -> tuple[str, ...]:
        """Return the names of all studies."""
        return await asyncio.to_thread(studies, self.settings.database)

    async def desk(self, name: str) -> Desk:
        """Return the desk of a study, opening it if needed."""
        found = self._desks.pop(name, None)
        if found is None:
            found = await self._open(name)
        else:
            self._desks[name] = found  # now the one that was used last
        return found

    async def create(self, given: StudyFile, *, by: str, validation: bytes | None = None) -> Desk:
        """Begin a study; a validation file is kept beside the database, never in the journal.

        Parameters
        ----------
        given
            What the study begins with.
        by
            Who begins it.
        validation
            A CSV as `tidy_validation` returns it.
        """
        study = await asyncio.to_thread(_begin, self.settings.database, given, by)
        study.release()
        file = self._validation_file(given.name)
        if validation is not None:
            await asyncio.to_thread(_keep, file, validation)
        else:  # one of a database that is gone
            file.unlink(missing_ok=True)
        return await self.desk(given.name)

    async def judge_on(self, name: str, content: bytes, label_column: str = "label") -> None:
        """Keep another validation file for a study, after checking it."""
        desk = await self.desk(name)
        problem = (await desk.look()).state.problem
        tidy = await asyncio.to_thread(tidy_validation, content, problem, label_column)
        await asyncio.to_thread(_keep, self._validation_file(name), tidy)
        desk.judge_on(await asyncio.to_thread(read_validation, tidy, problem))

    async def _open(self, name: str) -> Desk:
        async with self._opening.setdefault(name, asyncio.Lock()):
            if name in self._desks:
                return self._desks[name]
            study = await asyncio.to_thread(_open, self.settings.database, name)
            judge = None
            file = self._validation_file(name)
            if file.exists():
                with suppress(BudgetedError, OSError):  # it only feeds a chart
                    judge = read_validation(file.read_bytes(), study.state.problem)
            desk = Desk(study, judge, self.settings.limits.ask)
            self._desks[name] = desk
        self._opening.pop(name, None)
        self._make_room()
        return desk

    def _make_room(self) -> None:
        """Let go of the study that was not used for the longest time."""
        if len(self._desks) <= self.settings.limits.studies:
            return
        for name, desk in list(self._desks.items())[:-1]:
            if not desk.busy:
                del self._desks[name]
                task = asyncio.create_task(desk.release())
                self._past.add(task)
                task.add_done_callback(self._past.discard)
                return

    async def _look_for_news(self) -> None:
        while True:
            await asyncio.sleep(self.settings.poll)
            for desk in list(self._desks.values()):
                if desk.watchers:
                    with suppress(JournalError):  # whoever does something next is told
                        await desk.look()

    def _validation_file(self, name: str) -> Path:
        """Where a validation file is kept; a digest, because a name may hold anything."""
        digest = hashlib.sha256(name.encode()).hexdigest()
        return self.settings.data_folder / "validation" / f"{digest}.csv"


def _make(database: str) -> None:
    Journal(database, "", create=True).release()


def _open(database: str, name: str) -> Study:
    try:
        return Study.open(database, name)
    except UnknownError:
        raise UnknownError(f"there is no study {name!r}") from None


def _begin(database: str, given: StudyFile, by: str) -> Study:
    settings: Mapping[str, object] = {
        key: value for key, value in vars(given).items() if key != "problem"
    }
    return Study.create(database, problem=given.problem, by=by, **settings)  # type: ignore[arg-type]


def _keep(path: Path, content: bytes) -> None:
    """Write beside the place and rename, so that nobody ever reads half a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(content)
    os.replace(file.name, path)
