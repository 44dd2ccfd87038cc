"""The process of one rehearsal: ``python -m budgeted.web.rehearse FOLDER WORKERS``.

It says on its output how many runs are there, a number per line. It ends when its input does: the
server holds the other end, so nothing goes on after it. Every run is kept as it ends, so a process
that is started again goes on where the last one stopped.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from threading import Thread

from budgeted.errors import BudgetedError
from budgeted.experiments import executors, runner
from budgeted.experiments.store import Store
from budgeted.web.jobs import Job

_LOW_PRIORITY = 15


def main(folder: Path, workers: int) -> int:
    """Compute the runs of a rehearsal that are missing; return the exit status."""
    Thread(target=_end_with_input, daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(_LOW_PRIORITY)  # people who work with the page come first
    try:
        job = Job.read(folder)
        experiment = job.experiment()
        done = job.total - len(Store(job.results, experiment).missing())
        _say(done)

        def count() -> None:
            nonlocal done
            done += 1
            _say(done)

        with executors.processes(workers) as pool:
            runner.run(experiment, job.results, pool, after_run=count)
    except BudgetedError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def _say(done: int) -> None:
    sys.stdout.write(f"{done}\n")
    sys.stdout.flush()


def _end_with_input() -> None:
    while os.read(0, 1024):  # not sys.stdin: its lock would be held when Python ends
        pass
    os._exit(3)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2])))
