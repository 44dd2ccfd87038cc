"""Run an experiment on any executor, keep each run as it ends, and continue after a stop."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor, Future, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from budgeted.errors import BudgetedError, PolicyError, RunnerError
from budgeted.experiments import executors
from budgeted.experiments.runs import Run
from budgeted.experiments.sources import what_happened
from budgeted.experiments.spec import Contender, Experiment
from budgeted.experiments.store import Store, provenance
from budgeted.learners import LEARNERS
from budgeted.policies import POLICIES
from budgeted.problem.prices import PRICE_LISTS
from budgeted.provenance import Provenance
from budgeted.value.loss import LOSSES


def run(
    experiment: Experiment,
    folder: str | Path,
    executor: Executor,
    *,
    after_run: Callable[[], object] = lambda: None,
) -> Store:
    """Compute all runs that are missing and put the results together.

    A run counts as missing if its file is damaged, or was computed by other code.
    """
    store = Store(Path(folder), experiment)
    here = provenance(experiment)
    store.begin()
    under_way: dict[Future[tuple[Run, Provenance]], tuple[int, int]] = {}
    contents = {each.sha256: each.content() for each in experiment.sources}
    with executors.handing_over(executor, contents):
        try:
            for contender, number in store.missing():
                chosen = experiment.contenders[contender]
                future = executor.submit(play_one, experiment, chosen, number)
                under_way[future] = (contender, number)
            for future in as_completed(under_way):
                played, computed = future.result()
                _check_same(here, computed)
                store.keep(*under_way.pop(future), played, computed)
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


def play_one(experiment: Experiment, contender: Contender, number: int) -> tuple[Run, Provenance]:
    """Play one run; a function of its own, so that any worker can be sent it.

    The worker says what it computed with: its code may be another than that of who asked.
    """
    _check_installed(experiment, contender)
    try:
        return experiment.play(contender, number), provenance(experiment)
    except PolicyError as error:  # it is somebody's, who wants to know where to look
        cause = error.__cause__
        happened = str(error)
        if contender.modules and isinstance(cause, Exception):
            happened = what_happened(cause, contender.modules)
        raise RunnerError(f"{contender.label}, run {number}: {happened}") from error
    except BudgetedError:
        raise
    except Exception as error:
        if not contender.modules:
            raise
        happened = what_happened(error, contender.modules)
        raise RunnerError(f"{contender.label}, run {number}: {happened}") from error


def _check_same(here: Provenance, computed: Provenance) -> None:
    if computed.fingerprint != here.fingerprint:
        differ = "; ".join(here.differences(computed))
        raise RunnerError(
            f"a worker computes with something else than this program ({differ}), so that its runs "
            "cannot be used; if the code was changed meanwhile, start again, otherwise install "
            f"budgeted {here.budgeted}, Python {here.python} and NumPy {here.numpy} on all workers"
        )


def _check_installed(experiment: Experiment, contender: Contender) -> None:
    """Raise an error that says what is not installed, and where, unless all is there."""
    missing = list(_missing(experiment, contender))
    if missing:
        raise RunnerError(
            f"{contender.label}: {' and '.join(missing)} {'are' if len(missing) > 1 else 'is'} not "
            f"installed on {socket.gethostname()} (process {os.getpid()}, {sys.executable}); "
            f"install the package there as well, on every worker"
        )


def _missing(experiment: Experiment, contender: Contender) -> Iterator[str]:
    if not contender.modules and contender.name not in POLICIES:
        yield f"the policy {contender.name!r}"
    if contender.learner_name is not None and contender.learner_name not in LEARNERS:
        yield f"the learner {contender.learner_name!r}"
    loss = contender.parameters.get("loss")
    if isinstance(loss, str) and loss not in LOSSES:
        yield f"the loss {loss!r}"
    if experiment.prices and experiment.prices["list"] not in PRICE_LISTS:
        yield f"the price list {experiment.prices['list']!r}"
