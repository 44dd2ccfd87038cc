"""Processes that work on one study at once, or are killed while they do.

Run as a program of its own, because it forks: everything is imported once, and a new worker costs
a millisecond.

    python -m tests.workers crash|together DATABASE
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time

from budgeted import Study
from tests import sample_studies as studies
from tests.thorough import sized

KILLS, STUDIES = sized((60, 3), (200, 5))
WORKERS, PURCHASES = 8, sized(500, 2_000)


def fork(work):
    """Run `work` in a child; return its process id and where its reports can be read."""
    reading, writing = os.pipe()
    child = os.fork()
    if child:
        os.close(writing)
        return child, reading
    os.close(reading)
    try:
        work(lambda line: os.write(writing, f"{line}\n".encode()))
    finally:
        os._exit(0)


def reports(reading, most=None):
    """Lines that a worker says, as many as wanted or all before its end; half a line is dropped."""
    said = b""
    while most is None or said.count(b"\n") < most:
        more = os.read(reading, 1 if most else 65_536)
        if not more:
            break
        said += more
    return [line.decode() for line in said.split(b"\n")[:-1]]


def ask_and_tell(database, name, who):
    def work(report):
        with Study.open(database, name, by=who) as study:
            rng = random.Random(os.getpid())
            report("open")
            while True:
                for request in study.requests("pending"):
                    value = studies.answer(request)
                    report(f"telling {request.number} {value}")
                    study.tell(request.number, value)
                    report(f"told {request.number} {value}")
                study.ask(rng.randint(1, 3))
                report("asked")

    return work


def crash(database):
    """Kill a worker again and again; whatever it had told must be there, once.

    In several studies of one database, one after the other: after each kill the whole log is read
    and checked, so a long one takes its time and shows nothing that a shorter one does not.
    """
    rng = random.Random(7)
    rounds = [
        crash_one(database, f"study {each}", KILLS // STUDIES, rng) for each in range(STUDIES)
    ]
    interrupted, told, events = map(sum, zip(*rounds, strict=True))
    assert interrupted >= KILLS // 3, "too few workers got to work before they were killed"
    assert told > KILLS
    sys.stdout.write(
        f"{KILLS} kills, {interrupted} of them at work, {told} values reported as told, "
        f"{events} events\n"
    )


def crash_one(database, name, kills, rng):
    """The same in one study; return how many kills met it at work, values told, and events."""
    problem = studies.make_problem(("0.1", "0.3"), budget="10000")
    options = {"problem": problem, "per_label": 300, "policy": "round-robin"}
    studies.begin(database, name, **options).release()
    told, interrupted = {}, 0
    for _ in range(kills):
        child, reading = fork(ask_and_tell(database, name, "worker"))
        # A number of reports, not a time: a slow machine is killed at work too. With none, the
        # worker may die while it opens the study.
        wanted = rng.randint(0, 15)
        lines = reports(reading, wanted) if wanted else []
        time.sleep(rng.uniform(0, 0.005))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        lines += reports(reading)
        os.close(reading)
        interrupted += bool(lines) and lines[-1].startswith(("telling", "asked", "told"))
        told.update(line.split()[1:] for line in lines if line.startswith("told"))
        with Study.open(database, name) as study:
            studies.check_everything(study)
            for number, value in told.items():
                request = study.request(int(number))
                assert (request.fate, request.value) == ("told", value), request
    with Study.open(database, name) as study:
        entries = study.history()
    settled = [entry.event.number for entry in entries if entry.event.kind == "told"]
    assert len(settled) == len(set(settled)), "a value was told twice"
    assert len(settled) >= len(told)
    assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))
    studies.check_every_event(entries[:200])
    return interrupted, len(told), len(entries)


def together(database):
    """Many workers on one study: no duplicate, no overspending, no gap."""
    problem = studies.make_problem(budget=str(PURCHASES))
    options = {"problem": problem, "per_label": PURCHASES // 4 + 50, "policy": "round-robin"}
    studies.begin(database, **options).release()

    def work(who):
        def run(report):
            rng = random.Random(who)
            with Study.open(database, by=f"worker {who}") as study:
                while asked := study.ask(rng.randint(1, 4)):
                    for request in asked:
                        study.tell(request.number, studies.answer(request))
                        report(f"told {request.number}")
            report("done")

        return run

    children = [fork(work(who)) for who in range(WORKERS)]
    lines = [reports(reading) for _, reading in children]
    for child, reading in children:
        os.waitpid(child, 0)
        os.close(reading)
    assert all(each and each[-1] == "done" for each in lines), lines
    with Study.open(database) as study:
        studies.check_everything(study)
        entries, requests = study.history(), study.requests()
        assert study.state.spent == PURCHASES
        assert study.state.free == study.state.reserved == 0
    assert len(requests) == PURCHASES
    assert len({(each.case, each.feature) for each in requests}) == PURCHASES
    assert all(each.fate == "told" and each.value == studies.answer(each) for each in requests)
    assert [entry.seq for entry in entries] == list(range(1, 2 * PURCHASES + 2))
    shares = [len(each) - 1 for each in lines]
    assert sum(shares) == PURCHASES
    sys.stdout.write(f"{PURCHASES} purchases by {WORKERS}, {min(shares)} to {max(shares)} each\n")


if __name__ == "__main__":
    {"crash": crash, "together": together}[sys.argv[1]](sys.argv[2])
