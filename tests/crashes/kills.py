"""A process that does everything that can be done to a study, and is killed again and again."""

from __future__ import annotations

import json
import random
import time

from budgeted import Study
from budgeted.errors import BudgetedError
from tests import sample_studies as studies
from tests.crashes import Tally, operations
from tests.crashes.forks import Lines, fork, kill

OF_ONE = 40
"""Kills of one study: after each the whole log is read, so a long one takes its time."""


def play(database, times, seed=7):
    """Kill a worker so often; whoever is next repeats what it was at, with the same key."""
    rng, tally = random.Random(seed), Tally("worker killed", times)
    struck: set[str] = set()
    for begun in range(0, times, OF_ONE):
        _one_study(database, f"study {begun}", min(OF_ONE, times - begun), rng, tally, struck)
    tally.said["kinds of operation interrupted"] = len(struck)
    assert tally.said["at work"] >= times // 3, "too few got to work before they were killed"
    return tally


def work(database, name, again, seed):
    """Repeat what was interrupted, and then do anything; say before and after what it is."""

    def run(report):
        rng, operation = random.Random(seed), again
        with Study.open(database, name, by="worker") as study:
            while True:
                operation = operation or operations.drawn(study, rng)
                report(f"doing {json.dumps(operation)}")
                try:
                    report(f"done {operation['key']} {operations.carry_out(study, operation)}")
                except BudgetedError:  # it makes no sense now
                    report(f"refused {operation['key']}")
                operation = None

    return run


def _one_study(database, name, times, rng, tally, struck):
    studies.begin(database, name, problem=operations.problem("10000"), per_label=200,
                  policy="round-robin").release()  # fmt: skip
    sizes, done, refused, interrupted = {}, set(), set(), None
    for _ in range(times):
        child, reading = fork(work(database, name, interrupted, rng.random()))
        lines = Lines(reading)
        # A number of reports, not a time: a slow machine is killed at work too. With none, the
        # worker may die while it opens the study.
        said = lines.take(rng.randint(0, 24))
        time.sleep(rng.uniform(0, 0.005))
        kill(child)
        said += lines.rest()
        for line in said:
            what, _, rest = line.partition(" ")
            if what == "doing":
                interrupted = json.loads(rest)
                sizes[interrupted["key"]] = interrupted["events"]
                continue
            key, _, events = rest.partition(" ")
            assert events in ("", "0", str(sizes[key])), (interrupted, line)
            (refused if what == "refused" else done).add(key)
            tally.acknowledged += what == "done"
            interrupted = None
        tally.said["at work"] += bool(said)
        tally.said["repeated"] += interrupted is not None
        struck |= {interrupted["do"]} if interrupted else set()
        found = tally.judge(database, name, sizes, done)
        assert not [key for key in refused if found[key]], "refused, and done all the same"
