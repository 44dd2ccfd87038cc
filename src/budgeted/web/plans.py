"""Plans of studies that have not begun, each made in a process of its own, one at a time.

What was asked is kept with the runs that were made for it. So who asks the same again gets the plan
at once, or, if it was stopped or the server was started anew, the runs that are missing are made.
"""

from __future__ import annotations

import asyncio
import logging
import re
import shutil
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from budgeted.errors import BusyError, StudyError, UnknownError
from budgeted.studies.journal import now
from budgeted.studies.planning import AS_PLANNED
from budgeted.web import children
from budgeted.web.failures import words_of
from budgeted.web.plan_files import PlanFile, Question, checked
from budgeted.web.settings import Settings

_log = logging.getLogger(__name__)
_MOST_KEPT = 200
_ID = re.compile("[0-9a-f]{24}")
WAITING, RUNNING, DONE, FAILED, STOPPED = "waiting", "running", "done", "failed", "stopped"
"""Stopped: by somebody, or by a restart of the server; it goes on when it is asked for again."""


@dataclass
class Making:
    """A plan that is being made, or waits its turn."""

    state: str = WAITING
    done: int = 0
    task: asyncio.Task[None] | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Known:
    """What there is of a plan."""

    file: PlanFile
    state: str
    done: int = 0  # how many runs there are
    message: str = ""
    plan: dict[str, Any] | None = None  # as JSON has it; None before it is made

    @property
    def under_way(self) -> bool:
        """Whether it will be there without anybody doing anything."""
        return self.state in (WAITING, RUNNING)


class Plans:
    """All plans of a server."""

    def __init__(self, settings: Settings) -> None:
        self.limits = settings.limits
        self._folder = settings.data_folder / "plans"
        self._making: dict[str, Making] = {}
        self._failed: dict[str, str] = {}
        self._turn = asyncio.Lock()

    async def known(self, id: str) -> Known:
        """Return what there is of a plan."""
        if not _ID.fullmatch(id) or not (self._folder / id).is_dir():
            raise UnknownError("there is no such plan")
        file = await asyncio.to_thread(PlanFile.read, self._folder / id)
        making = self._making.get(id)
        if making is not None:
            return Known(file, making.state, making.done)
        plan = await asyncio.to_thread(file.plan)
        if plan is not None:
            return Known(file, DONE, file.total, plan=plan)
        done = await asyncio.to_thread(file.runs)
        failed = self._failed.get(id, "")
        return Known(file, FAILED if failed else STOPPED, done, failed)

    async def create(self, question: Question, *, by: str) -> Known:
        """Have a plan made, unless it is there or under way; one that was stopped goes on."""
        id = question.digest
        with suppress(UnknownError):
            known = await self.known(id)
            if known.state == DONE and await asyncio.to_thread(known.file.outdated):
                # Who only looks sees the old one; who asks gets what this version says.
                again = replace(known.file, by=by, at=now())
                await asyncio.to_thread(again.made.unlink, missing_ok=True)
                await asyncio.to_thread(again.keep)
            return await self.go_on(id)
        self._check_room()
        await asyncio.to_thread(self._take_on, id, question, by)
        return await self.go_on(id)

    async def go_on(self, id: str) -> Known:
        """Have the runs made that are missing; what is there or under way stays as it is."""
        known = await self.known(id)
        if known.under_way or known.state == DONE:
            return known
        if id in self._making:  # somebody else was quicker
            return await self.known(id)
        self._check_room()
        self._failed.pop(id, None)
        making = self._making[id] = Making(done=known.done)
        making.task = asyncio.create_task(self._make(known.file, making))
        return await self.known(id)

    async def cancel(self, id: str) -> Known:
        """Stop a plan, or take it out of the queue; its runs are kept."""
        known = await self.known(id)
        making = self._making.get(id)
        if making is None or making.task is None:
            raise StudyError(f"this plan is {known.state} already")
        await children.ended(making.task)
        return await self.known(id)

    async def close(self) -> None:
        """Stop all that is under way."""
        for making in list(self._making.values()):
            if making.task is not None:
                await children.ended(making.task)

    async def _make(self, file: PlanFile, making: Making) -> None:
        def tell(done: int) -> None:
            making.done = done

        failed = ""
        try:
            async with self._turn:
                making.state = RUNNING
                wanted = {"folder": str(file.folder), "workers": self.limits.workers,
                          "most_cases": self.limits.rows}  # fmt: skip
                failed = await children.computed("plan", wanted, tell)
        except OSError as error:
            _log.exception("plan %s", file.id)
            failed = words_of(error)
        finally:
            self._making.pop(file.id, None)
            if failed:
                self._failed[file.id] = failed

    def _check_room(self) -> None:
        if len(self._making) >= self.limits.waiting:
            raise BusyError(f"{len(self._making)} plans wait already; stop some, or try later")

    def _take_on(self, id: str, question: Question, by: str) -> None:
        asked = checked(question, self.limits)
        title = asked.designs[AS_PLANNED].name
        self._forget_old()
        PlanFile(self._folder / id, question, title, by, now(), asked.total).keep()

    def _forget_old(self) -> None:
        """Make room: what was not asked for lately can be made again."""
        others = [each for each in self._folder.glob("*") if each.name not in self._making]
        for each in sorted(others, key=_age)[: max(0, len(others) - _MOST_KEPT + 1)]:
            shutil.rmtree(each, ignore_errors=True)
            self._failed.pop(each.name, None)


def _age(folder: Path) -> float:
    with suppress(OSError):
        return folder.stat().st_mtime
    return 0.0
