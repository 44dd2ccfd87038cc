"""Many processes that ask and tell at once until the money is gone."""

from __future__ import annotations

import os
import random

from budgeted import Study
from tests import sample_studies as studies
from tests.crashes import Tally
from tests.crashes.forks import Lines, fork

WORKERS = 8


def play(database, times):
    """Buy so many values: none twice, none for money that is not there, and all of them."""
    tally = Tally("eight at once", times)
    studies.begin(database, problem=studies.make_problem(budget=str(times)),
                  per_label=times // 4 + 50, policy="round-robin").release()  # fmt: skip

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
    lines = [Lines(reading).rest() for _, reading in children]
    for child, _ in children:
        os.waitpid(child, 0)
    assert all(each and each[-1] == "done" for each in lines), lines
    told = {int(line.split()[1]) for each in lines for line in each[:-1]}
    tally.acknowledged = sum(len(each) - 1 for each in lines)
    with Study.open(database) as study:
        studies.check_everything(study)
        state, requests, events = study.state, study.requests(), study.events
    there = {each.number for each in requests if each.value == studies.answer(each)}
    tally.lost = len(told - there) + (times - len(requests))
    tally.doubled = len(requests) - len({(each.case, each.feature) for each in requests})
    tally.half_done = 2 * times + 1 - events
    tally.crossed = int(state.spent != times or state.reserved != 0)
    return tally
