"""An experiment that is killed again and again, and begun again each time.

Run as a program of its own, because it forks: everything is imported once, and a new start of the
command costs a few milliseconds, its workers too.

    python -m tests.killed_runs EXPERIMENT.toml OUT KILLS
"""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import sys
import time
from pathlib import Path

import pandas  # noqa: F401  (imported here, so that no child begins with that: also what follows)
import pyarrow.parquet  # noqa: F401
import rich.progress  # noqa: F401

from budgeted.cli.main import main
from budgeted.experiments import comparison, executors, runner, spec, store  # noqa: F401


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


def play(file, out, kills):
    """Kill it, let it finish, and have it done once more without a disturbance."""
    chosen = spec.read(file)
    every = chosen.runs * len(chosen.contenders)
    at_work = kill(file, out / "killed", kills, every)
    for folder in ("killed", "whole"):
        assert wait(*start(file, out / folder)) == 0, folder
    sys.stdout.write(f"{kills} kills, {at_work} of them with some of {every} runs done\n")
    assert at_work >= kills // 2, "the kills must have met it at work"


if __name__ == "__main__":
    forking = multiprocessing.get_context("fork")
    executors.get_context = lambda _: forking  # workers too are forked from what is imported
    play(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
