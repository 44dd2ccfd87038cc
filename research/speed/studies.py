"""How fast a study opens, and that nothing grows slower with its age or its size.

python -m research.speed.studies [--json]
"""

from __future__ import annotations

import os

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"  # before NumPy is loaded, as in engine.py

import statistics
import sys
import tempfile
import time
from decimal import Decimal
from typing import ClassVar

import numpy as np

from budgeted import Feature, Problem, State, Study
from budgeted.policies import Choice
from budgeted.studies import commands
from budgeted.studies.drafts import Draft
from budgeted.studies.events import Asked, Entry, Event, Told
from budgeted.studies.journal import Journal
from budgeted.studies.projection import Projection
from research.speed.findings import Finding, exit_status

EVENTS = 20_000
FEATURES, CASES = 10, 4_000


def make_problem() -> Problem:
    """Return a problem that 20 000 events do not exhaust."""
    features = [Feature(f"f{i}", ("a", "b", "c"), "1.50") for i in range(FEATURES)]
    return Problem(features, ("no", "yes"), (0.5, 0.5), budget=100_000)


def begin(database: str, name: str) -> Study:
    """Return a new study."""
    cases = [(f"case {at}", ("no", "yes")[at % 2]) for at in range(CASES)]
    return Study.create(database, name, make_problem(), cases, policy="round-robin", seed=1)


def fill(database: str, name: str, events: int) -> None:
    """Write a long history: requests told in another order than they were asked for."""
    with begin(database, name) as study:
        draft = Draft.of(study._projection)
        draft.chooser = FirstCell()
        wanted: list[Event] = []
        while len(wanted) < events - 1:
            asked = commands.Ask(10).decide(draft)
            wanted += asked
            for event in reversed(asked):
                assert isinstance(event, Asked)
                told = Told(event.number, "abc"[event.number % 3], Decimal("1.50"))
                _apply(draft, told)
                wanted.append(told)
    with Journal(database, name) as journal:
        journal.append(wanted[: events - 1], expected=1, by="benchmark")


def _apply(draft: Projection, event: Event) -> None:
    draft.apply(Entry(0, "", "", event))


class FirstCell:
    """A policy that costs nothing: cells in turn, with scores of the usual size."""

    name: ClassVar[str] = "first-cell"
    summary: ClassVar[str] = "for measuring"

    def choose(self, state: State, rng: np.random.Generator) -> Choice:
        """Return the next cell in turn."""
        actions = state.problem.actions
        action = actions[state.next_number % len(actions)]
        return Choice(action, {each: 0.4321 + each.feature / 7 for each in actions}, "in turn")


def opening(database: str) -> Finding:
    """Opening a study of 20 000 events, the best of five."""
    times, busy = [], []
    for _ in range(5):
        start, started = time.perf_counter(), time.process_time()
        with Study.open(database, "old") as study:
            times.append(time.perf_counter() - start)
            busy.append(time.process_time() - started)
            assert study.events == EVENTS
    print(f"    {min(times):.2f} s, of which this process worked {min(busy):.2f} s")
    return Finding(f"opening {EVENTS} events takes seconds", min(times), 2, False)


def asking(database: str) -> Finding:
    """Asking in an old and in a new study, policy time aside; they take turns."""
    times: dict[str, list[float]] = {"new": [], "old": []}
    with begin(database, "new") as new, Study.open(database, "old") as old:
        for study in (new, old):
            study.policy = FirstCell()
            study.ask()
        for _ in range(100):
            for name, study in (("new", new), ("old", old)):
                start = time.perf_counter()
                (request,) = study.ask()
                times[name].append(time.perf_counter() - start)
                study.tell(request.number, "a")
    fresh, aged = (statistics.median(times[name]) for name in ("new", "old"))
    print(f"    new {fresh * 1e3:.2f} ms, old {aged * 1e3:.2f} ms")
    return Finding(f"asking after {EVENTS} events costs at most", aged / fresh, 1.5, False)


def telling(database: str) -> Finding:
    """Telling with 8 000 requests under way and with 8; they take turns."""
    times: dict[str, list[float]] = {"few": [], "many": []}
    with begin(database, "few") as few, begin(database, "many") as many:
        for study, pending in ((few, 8), (many, 8_000)):
            study.policy = FirstCell()
            study.ask(pending)
        for _ in range(60):
            for name, study in (("few", few), ("many", many)):
                (request,) = study.ask()
                start = time.process_time()
                study.tell(request.number, "a")
                times[name].append(time.process_time() - start)
    light, heavy = (statistics.median(times[name]) for name in ("few", "many"))
    print(f"    8 under way {light * 1e3:.2f} ms, 8 000 {heavy * 1e3:.2f} ms of this process")
    return Finding("telling with 8 000 under way costs at most", heavy / light, 1.5, False)


def beginning(database: str) -> Finding:
    """Beginning a study with 20 000 cases and with 200 000; each case costs the same."""
    spent = []
    for number in (20_000, 200_000):
        cases = [(f"case {at}", ("no", "yes")[at % 2]) for at in range(number)]
        start = time.process_time()
        Study.create(database, f"with {number}", make_problem(), cases, seed=1).release()
        spent.append((time.process_time() - start) / number)
    print(f"    {spent[0] * 1e6:.1f} and {spent[1] * 1e6:.1f} µs of this process for each case")
    return Finding("ten times the cases cost each at most", spent[1] / spent[0], 1.5, False)


def main() -> int:
    """Measure, print, and say whether all of it holds."""
    findings = []
    with tempfile.TemporaryDirectory() as folder:
        database = f"{folder}/studies.db"
        fill(database, "old", EVENTS)
        for measure in (opening, asking, telling, beginning):
            print(f"{(measure.__doc__ or '').strip()}")
            finding = measure(database)
            findings.append(finding)
            print(finding)
    return exit_status(findings, "--json" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
