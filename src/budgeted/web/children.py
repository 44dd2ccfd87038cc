"""Processes that compute for the server: how they are started, what they say, when they end.

The first line of their input says what is wanted, as JSON: everybody on a machine can see the
arguments of a process, and the address of a database may hold a password. They say on their output
how far they are, a number per line, and on their errors why they could not go on. They end when
their input does: the server holds the other end, so nothing goes on after it.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from threading import Thread
from typing import Any, NoReturn

from budgeted.errors import BudgetedError
from budgeted.experiments import executors
from budgeted.files import write_atomically
from budgeted.studies.forecast import code, kept_forecast
from budgeted.studies.journal import now
from budgeted.studies.study import Study
from budgeted.web.plan_files import PlanFile

_log = logging.getLogger(__name__)
NICENESS = 15
"""People who work with the page come first."""
_REFUSED, _LEFT_ALONE = 1, 3
_UNEXPECTED = "it ended before it was done; try again, or tell whoever runs the server"


async def computed(what: str, wanted: Mapping[str, Any], tell: Callable[[int], None]) -> str:
    """Have one of `COMPUTED` made in a process; return why that did not work, empty if it did.

    Who is cancelled while it waits ends the process.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "budgeted.web.children",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    errors = asyncio.create_task(process.stderr.read(100_000))
    try:
        with suppress(OSError, RuntimeError):  # it may be over by now; its status says so
            process.stdin.write(json.dumps([what, NICENESS, wanted]).encode() + b"\n")
        async for line in process.stdout:
            tell(int(line))
        status = await process.wait()
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.terminate()
            await process.wait()
        # Its workers hold the pipes a moment longer; the loop must not close before they do.
        process.stdin.close()
        await process.stdout.read()
        said = (await errors).decode(errors="replace").strip()
    if status == 0:
        return ""
    _log.warning("%s ended with %s: %s", what, status, said)
    return said.splitlines()[-1][:500] if status == _REFUSED and said else _UNEXPECTED


async def ended(task: asyncio.Task[None]) -> None:
    """Cancel what waits for a process, and wait until that is over."""
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


def forecast(wanted: dict[str, Any], say: Callable[[int], None]) -> None:
    """Make a forecast; its runs are left in a file."""
    workers = wanted["workers"]
    with Study.open(wanted["database"], wanted["name"]) as study:
        entries = study.history()[: wanted["events"]]
    with ExitStack() as stack:
        kept_forecast(
            Path(wanted["file"]),
            entries,
            now(),
            seconds=wanted["seconds"],
            most=wanted["most"],
            pool=lambda: stack.enter_context(executors.processes(workers)) if workers > 1 else None,
            workers=workers,
            progress=say,
        )


def plan(wanted: dict[str, Any], say: Callable[[int], None]) -> None:
    """Make a plan; one that is started again goes on where the last one stopped."""
    file, workers = PlanFile.read(Path(wanted["folder"])), wanted["workers"]
    # Runs of another version of the package are none of this plan.
    keep = file.folder / f"runs-{code()[:12]}.jsonl"
    with ExitStack() as stack:
        made = file.question.asked(wanted["most_cases"]).plan(
            file.at,
            pool=stack.enter_context(executors.processes(workers)) if workers > 1 else None,
            workers=workers,
            keep=keep,
            progress=lambda done, total: say(done),
        )
    write_atomically(file.made, json.dumps({"code": code(), "plan": made.to_plain()}).encode())


COMPUTED = {"forecast": forecast, "plan": plan}


def main() -> NoReturn:
    """Be such a process: do what is wanted at a low priority, and end."""
    what, niceness, wanted = json.loads(_first_line())
    Thread(target=_end_with_input, daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(niceness)
    try:
        COMPUTED[what](wanted, _say)
    except BudgetedError as error:
        sys.stderr.write(f"{' '.join(str(error).split())}\n")
        sys.exit(_REFUSED)
    sys.exit(0)


def _say(number: int) -> None:
    sys.stdout.write(f"{number}\n")
    sys.stdout.flush()


def _end_with_input() -> None:
    while os.read(0, 1024):  # not sys.stdin: its lock would be held when Python ends
        pass
    os._exit(_LEFT_ALONE)


def _first_line() -> bytes:
    line = b""
    while not line.endswith(b"\n"):
        more = os.read(0, 1)
        if not more:
            os._exit(_LEFT_ALONE)
        line += more
    return line


if __name__ == "__main__":
    main()
