"""What an experiment names and this process does not have: workers may lack a package."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator

from budgeted.errors import RunnerError
from budgeted.experiments.spec import Contender, Experiment
from budgeted.learners import LEARNERS
from budgeted.policies import POLICIES
from budgeted.problem.prices import PRICE_LISTS
from budgeted.value.loss import LOSSES


def check_installed(experiment: Experiment, contender: Contender) -> None:
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
