"""The process that makes one forecast: ``python -m budgeted.web.forecaster``.

It says how many runs there are, and leaves them in a file; see `budgeted.web.children`.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from budgeted.experiments import executors
from budgeted.studies.forecast import kept_forecast
from budgeted.studies.journal import now
from budgeted.studies.study import Study
from budgeted.web.children import child


def main(wanted: dict[str, Any], say: Callable[[int], None]) -> None:
    """Make a forecast."""
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


if __name__ == "__main__":
    child(main)
