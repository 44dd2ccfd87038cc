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
from contextlib import suppress
from threading import Thread
from typing import Any, NoReturn

from budgeted.errors import BudgetedError

_log = logging.getLogger(__name__)
NICENESS = 15
"""People who work with the page come first."""
_REFUSED, _LEFT_ALONE = 1, 3
_UNEXPECTED = "it ended before it was done; try again, or tell whoever runs the server"


async def computed(module: str, wanted: Mapping[str, Any], tell: Callable[[int], None]) -> str:
    """Have a module compute in a process; return why that did not work, empty if it did.

    Who is cancelled while it waits ends the process.

    Parameters
    ----------
    module
        One that calls `child` when it is run.
    wanted
        What it is told, as JSON can hold it.
    tell
        Called with each number that it says.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", module,
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
            process.stdin.write(json.dumps({**wanted, "niceness": NICENESS}).encode() + b"\n")
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
    _log.warning("%s ended with %s: %s", module, status, said)
    return said.splitlines()[-1][:500] if status == _REFUSED and said else _UNEXPECTED


async def ended(task: asyncio.Task[None]) -> None:
    """Cancel what waits for a process, and wait until that is over."""
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


def child(main: Callable[[dict[str, Any], Callable[[int], None]], None]) -> NoReturn:
    """Be such a process: do what is wanted at a low priority, and end.

    Parameters
    ----------
    main
        Given what is wanted, and what it says its numbers with.
    """
    wanted = json.loads(_first_line())
    Thread(target=_end_with_input, daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(wanted.pop("niceness"))
    try:
        main(wanted, _say)
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
