"""Two processes that go on working while the database under them is restored, again and again."""

from __future__ import annotations

import os
import random
import uuid

import psycopg

from budgeted import Study
from budgeted.errors import BudgetedError, ForeignHistoryError
from tests import sample_studies as studies
from tests.crashes import Tally
from tests.crashes.forks import Lines, fork, kill

BUDGET = 60
VALUES = {1: "yes", 2: "no"}
AT_LEAST = 3
"""Reports of each process between two restores, so that each has met the last one."""


def work(database, who):
    """Ask and settle for ever; after a refusal do as the message says, and open the study again."""

    def run(report):
        rng = random.Random(who)
        with Study.open(database, by=f"worker {who}") as study:
            while True:
                key = uuid.UUID(int=rng.getrandbits(128)).hex
                try:
                    report(f"done {key}" if do(study, rng, key, VALUES[who]) else "no money")
                except ForeignHistoryError as error:
                    study.read_anew()
                    studies.check_everything(study)
                    report("refused" if "Open the study again" in error.reason else error.reason)
                except BudgetedError:  # settled by the other one, who was faster
                    report("late")

    return run


def do(study, rng, key, value):
    """One thing that gives one event; tell whether it gave one, as an ask without money does not.

    Each process tells a value of its own: telling what the other told before would give none.
    """
    pending = study.requests("pending")
    if not pending or rng.random() < 0.5:
        return bool(study.ask(key=key))
    number = rng.choice(pending).number
    rng.choice([
        lambda: study.tell(number, value, key=key),
        lambda: study.cancel(number, key=key),
        lambda: study.fail(number, key=key),
    ])()  # fmt: skip
    return True


def restore(connection, rng):
    """Put an older copy in place, as a backup would; return the keys before and after."""
    with connection.transaction():
        # Writers wait for this row, so that no event comes between.
        (last,) = connection.execute("SELECT seq FROM budgeted_heads FOR UPDATE").fetchone()
        before = keys_of(connection)
        to = rng.randint(1, last)
        connection.execute("DELETE FROM budgeted_events WHERE seq > %s", [to])
        connection.execute(
            "UPDATE budgeted_heads SET seq = %s, digest = (SELECT digest FROM budgeted_events "
            "WHERE seq = %s)", [to, to],
        )  # fmt: skip
        return before, keys_of(connection)


def keys_of(connection):
    """The key of every event; each is that of a command that gives a single one."""
    return [key for (key,) in connection.execute("SELECT key FROM budgeted_events")]


def play(database, times, seed=3):
    """Restore, let both work on, and look at what is there."""
    rng, tally = random.Random(seed), Tally("database restored", times)
    problem = studies.make_problem(budget=str(BUDGET))
    studies.begin(database, problem=problem, per_label=40, policy="round-robin").release()
    children = [fork(work(database, who)) for who in VALUES]
    reporting = [Lines(reading) for _, reading in children]
    acknowledged, gone = set(), set()
    try:
        with psycopg.connect(database, autocommit=True) as connection:
            for _ in range(times):
                lines = [line for each in reporting for line in each.take(AT_LEAST)]
                assert not any(each.ended for each in reporting), "a process has died"
                tally.said["refused"] += lines.count("refused")
                acknowledged |= {line.split()[1] for line in lines if line.startswith("done")}
                before, after = restore(connection, rng)
                tally.doubled += len(before) - len(set(before))
                # What was acknowledged is there, or a restore took it away before our eyes.
                tally.lost += len(acknowledged - set(before) - gone)
                gone |= set(before) - set(after)
                with Study.open(database) as found:
                    studies.check_everything(found)
                    tally.crossed += found.state.spent + found.state.reserved > BUDGET
    finally:
        for child, reading in children:
            kill(child)
            os.close(reading)
    tally.acknowledged = len(acknowledged)
    assert tally.said["refused"] > times // 4, tally.said
    return tally
