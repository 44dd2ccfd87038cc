"""An experiment that is killed again and again, and begun again each time."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import tempfile
import time
from pathlib import Path
from unittest import mock

import pandas  # noqa: F401  (imported here, so that no child begins with that: also what follows)
import pyarrow.parquet  # noqa: F401
import rich.progress  # noqa: F401

from budgeted.cli.main import main
from budgeted.experiments import executors, figures, runner, spec, store  # noqa: F401
from tests.crashes import Tally

TOML = """
title = "Small"
budget = {budget}
runs = {runs}
seed = 5

[problem]
table = "votes"
missing = "not sold"
case_rule = "per cell"
prior_counts = "2/r"

[[policy]]
name = "biased-robin"
next_label = "fewest"

[[policy]]
name = "round-robin"
over = "cases"

[[policy]]
name = "sfl"
engine = "particles"
particles = 20
"""
"""Read as the paper may be: all of it has streams of its own, which a stop must not move."""


def kept(out):
    """How many runs are there."""
    return len(list(out.glob("runs/*/*.parquet")))


def start(file, out):
    """Fork the command; return its process id, and a pipe that ends with its last process."""
    reading, writing = os.pipe()
    child = os.fork()
    if child:
        os.close(writing)
        return child, reading
    code = 1
    try:
        os.close(reading)
        os.dup2(writing, 1)
        arguments = ["experiment", "run", file, "--out", out, "--workers", "2", "--figure", "none"]
        main([*map(str, arguments), "--json"])
    except SystemExit as end:
        code = end.code or 0
    finally:
        os._exit(code)


def ended(child):
    """Whether a command has ended by itself; it can still be waited for."""
    return os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def wait(child, reading):
    """Wait for the end of a command and of its workers; return its exit status."""
    while os.read(reading, 65_536):
        pass
    os.close(reading)
    return os.waitpid(child, 0)[1]


def kill(file, out, kills, every):
    """Kill the command so often, at moments dealt by chance; return how often it was at work."""
    moments, at_work = random.Random(7), 0
    for _ in range(kills):
        child, reading = start(file, out)
        if moments.random() < 0.3:  # while it starts up, or begins to work
            time.sleep(moments.uniform(0, 0.2))
        else:  # when some more runs have ended, and others are under way
            enough = min(kept(out) + moments.randint(1, 9), every)
            while kept(out) < enough and not ended(child):
                time.sleep(0.0005)
        os.kill(child, signal.SIGKILL)
        at_work += wait(child, reading) == signal.SIGKILL and 0 < kept(out) < every
    return at_work


def play(_, times):
    """Kill it so often, let it finish, and do it once more without a disturbance."""
    forking = multiprocessing.get_context("fork")
    tally = Tally("experiment killed", times)
    with (
        # Workers too are forked from what is imported.
        mock.patch.object(executors, "get_context", return_value=forking),
        tempfile.TemporaryDirectory() as folder,
    ):
        out, file = Path(folder), Path(folder) / "stopped.toml"
        file.write_text(TOML.format(budget=6, runs=max(40, 5 * times // 2)))
        chosen = spec.read(file)
        every = chosen.runs * len(chosen.contenders)
        tally.said["at work"] = kill(file, out / "killed", times, every)
        for name in ("killed", "whole"):
            assert wait(*start(file, out / name)) == 0, name
        killed, whole = (out / name / "stopped.parquet" for name in ("killed", "whole"))
        tally.acknowledged = every
        tally.lost = every - kept(out / "killed")
        tally.half_done = int(killed.read_bytes() != whole.read_bytes())
    assert tally.said["at work"] >= times // 2, "the kills must have met it at work"
    return tally
