"""Two processes that go on working while the database under them is restored, again and again.

Run as a program of its own, because it forks (see `tests.workers`):

    python -m tests.restores DATABASE HOW_OFTEN
"""

from __future__ import annotations

import os
import random
import select
import signal
import sys
import uuid

import psycopg

from budgeted import Study
from budgeted.errors import BudgetedError, ForeignHistoryError
from tests import sample_studies as studies
from tests.workers import fork

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


class Lines:
    """What a process reports, line by line."""

    def __init__(self, reading):
        self.reading, self._rest = reading, b""

    def take(self, at_least):
        """Wait for so many lines, and return all that are there."""
        found = []
        while len(found) < at_least or select.select([self.reading], [], [], 0)[0]:
            more = os.read(self.reading, 65_536)
            assert more, "a process has died"
            *whole, self._rest = (self._rest + more).split(b"\n")
            found += [line.decode() for line in whole]
        return found


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


def main(database, times):
    """Restore, let both work on, and look at what is there."""
    rng = random.Random(3)
    problem = studies.make_problem(budget=str(BUDGET))
    studies.begin(database, problem=problem, per_label=40, policy="round-robin").release()
    children = [fork(work(database, who)) for who in VALUES]
    reporting = [Lines(reading) for _, reading in children]
    acknowledged, gone, said = set(), set(), []
    try:
        with psycopg.connect(database, autocommit=True) as connection:
            for _ in range(times):
                lines = [line for each in reporting for line in each.take(AT_LEAST)]
                said += lines
                acknowledged |= {line.split()[1] for line in lines if line.startswith("done")}
                before, after = restore(connection, rng)
                assert len(set(before)) == len(before), "something was done twice"
                # What was acknowledged is there, or a restore took it away before our eyes.
                lost = acknowledged - set(before) - gone
                assert not lost, f"acknowledged and lost: {lost}"
                gone |= set(before) - set(after)
                with Study.open(database) as found:
                    studies.check_everything(found)
                    assert found.state.spent + found.state.reserved <= BUDGET
    finally:
        for child, reading in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            os.close(reading)
    refused = said.count("refused")
    assert refused > times // 4, said
    sys.stdout.write(
        f"{times} restores, {len(acknowledged)} commands acknowledged, {refused} refused\n"
    )


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
