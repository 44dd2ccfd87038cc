"""The process that makes one forecast: ``python -m budgeted.web.forecaster``.

The first line of its input says of what, as JSON; the address of a database may hold a password,
and everybody on a machine can see the arguments of a process. It says on its output how many runs
there are, a number per line, and leaves them in a file. It ends when its input does: the server
holds the other end, so nothing goes on after it.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import ExitStack
from pathlib import Path
from threading import Thread
from typing import Any

from budgeted.errors import BudgetedError
from budgeted.experiments import executors
from budgeted.studies.forecast import kept_forecast
from budgeted.studies.journal import now
from budgeted.studies.study import Study

_LOW_PRIORITY = 15


def main(wanted: dict[str, Any]) -> int:
    """Make a forecast; return the exit status."""
    if hasattr(os, "nice"):
        os.nice(_LOW_PRIORITY)  # people who work with the page come first
    workers = wanted["workers"]
    try:
        with Study.open(wanted["database"], wanted["name"]) as study:
            entries = study.history()[: wanted["events"]]
        with ExitStack() as stack:
            kept_forecast(
                Path(wanted["file"]),
                entries,
                now(),
                seconds=wanted["seconds"],
                most=wanted["most"],
                pool=lambda: (
                    stack.enter_context(executors.processes(workers)) if workers > 1 else None
                ),
                workers=workers,
                progress=_say,
            )
    except BudgetedError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def _say(runs: int) -> None:
    sys.stdout.write(f"{runs}\n")
    sys.stdout.flush()


def _end_with_input() -> None:
    while os.read(0, 1024):  # not sys.stdin: its lock would be held when Python ends
        pass
    os._exit(3)


def _first_line() -> bytes:
    line = b""
    while not line.endswith(b"\n"):
        more = os.read(0, 1)
        if not more:
            os._exit(3)
        line += more
    return line


if __name__ == "__main__":
    _wanted = json.loads(_first_line())
    Thread(target=_end_with_input, daemon=True).start()
    sys.exit(main(_wanted))
