"""Run an experiment on any executor, keep each run as it ends, and continue after a stop."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import CancelledError, Executor, Future, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from budgeted.errors import RunnerError
from budgeted.experiment import Contender, Experiment
from budgeted.results import Store
from budgeted.runs import Run


def run(
    experiment: Experiment,
    folder: str | Path,
    executor: Executor,
    *,
    after_run: Callable[[], object] = lambda: None,
) -> Store:
    """Compute all runs that are missing and put the results together.

    Parameters
    ----------
    experiment
        What to run.
    folder
        Where results are kept; made if needed.
    executor
        Anything with the interface of `concurrent.futures`: a process pool, Dask's
        ``Client.get_executor()``, …
    after_run
        Called after each run that was computed and kept.
    """
    store = Store(Path(folder), experiment)
    try:
        store.runs_folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunnerError(f"{store.runs_folder}: cannot be made: {error.strerror}") from error
    under_way: dict[Future[Run], tuple[int, int]] = {}
    try:
        for contender, number in store.missing():
            chosen = experiment.contenders[contender]
            under_way[executor.submit(play_one, experiment, chosen, number)] = (contender, number)
        for future in as_completed(under_way):
            store.keep(*under_way.pop(future), future.result())
            after_run()
    except (BrokenProcessPool, CancelledError) as error:
        raise RunnerError(
            f"{experiment.name}: a worker died; the runs that had ended are kept, "
            "start again to continue"
        ) from error
    finally:
        for future in under_way:
            future.cancel()
    store.gather()
    return store


def play_one(experiment: Experiment, contender: Contender, number: int) -> Run:
    """Play one run; a function of its own, so that any worker can be sent it."""
    return experiment.play(contender, number)
