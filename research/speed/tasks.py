"""What is timed on two revisions of the package, each task in a process of its own.

A task is a generator: it prepares something, which is not timed, and yields a name and what is
timed. It may use only calls that both revisions have; where one has moved, `moved` finds it.
"""

from __future__ import annotations

import http.client
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from itertools import islice
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from budgeted import Belief, Feature, Problem, Study, policy, simulate
from budgeted.simulation.datasets import load, split
from budgeted.simulation.synthetic import Synthetic
from budgeted.simulation.worlds import TableWorld

SEED = 2003
LABELS, VALUES = ("well", "ill"), ("low", "normal", "high")


class Timed(NamedTuple):
    """Something to time, and which clock says how long it took: processor time of this process."""

    name: str
    work: Callable[[], Any]
    clock: Callable[[], float] = time.process_time


Task = Callable[[], Iterator[Timed]]


def moved(name: str, *modules: str) -> Any:
    """Return what is called so in the first of these modules that the revision has."""
    for each in modules:
        with suppress(ImportError, AttributeError):
            return getattr(import_module(each), name)
    raise ImportError(f"this revision has no {name}")


USUAL = ("round-robin", "biased-robin", "greedy", "sfl", "seu", "iga", "auto")
LOOKING_FAR = ("rsfl", "kg-star", "pair-lookahead")
"""Minutes for a decision among many labels: timed where there are two."""
SPENT, FEW = 30, 5
"""Decisions of a run that are timed, and of the policies that look far."""


def run(make: Callable[[int], Any], name: str, decisions: int) -> Callable[[], Any]:
    """Return the first decisions and purchases of three runs."""
    made = [make(seed) for seed in (1, 2, 3)]
    steps = [simulate(each.problem, policy(name), each.world, seed=1, loss=None) for each in made]
    return lambda: [list(islice(each, decisions)) for each in steps]


def small(seed: int) -> Any:
    """Return what is decided before anything is timed: what is loaded once is not counted."""
    return Synthetic(features=4).draw(seed, 8)


def of_a_table(name: str, seed: int) -> Any:
    """Return a split of a table, with money for a hundred values."""
    return split(load(name), seed, 100, missing="own value" if name == "mushroom" else "no value")


def decisions(make: Callable[[int], Any], names: tuple[str, ...] = USUAL) -> Iterator[Timed]:
    """Time decisions of each policy."""
    for name in names:
        number = FEW if name in LOOKING_FAR else SPENT
        run(small, name, 3)()
        yield Timed(f"{number} decisions of {name}", run(make, name, number))


def wide(features: int, prices: Any = None, seed: int = 1) -> Any:
    """Return features of three values at seven prices, and a world to buy them in."""
    rng = np.random.default_rng(seed)
    problem = Problem(_features(features), LABELS, (0.6, 0.4), 300, prices)
    values, labels = rng.integers(3, size=(400, features)), np.arange(400) % 2
    return SimpleNamespace(problem=problem, world=TableWorld(problem, values, labels, 1, "settle"))


def many_features(number: int) -> Iterator[Timed]:
    """Time the first decision among so many features, and the next ones."""
    for name in ("greedy", "sfl", "auto"):
        run(small, name, 3)()
        made = wide(number)
        steps = simulate(made.problem, policy(name), made.world, seed=SEED, loss=None)
        yield Timed(f"first decision of {name}", partial(next, steps))
        yield Timed(f"next 10 of {name}", partial(list, islice(steps, 10)))


def losses() -> Iterator[Timed]:
    """Time the loss now, after an allocation, and after a purchase of each cell."""
    loss, expected_loss, lookahead = (
        moved(each, "budgeted.value", "budgeted.loss")
        for each in ("loss", "expected_loss", "lookahead")
    )
    for table in ("votes", "car"):
        problem = of_a_table(table, 1).problem
        rng = np.random.default_rng(SEED)
        beliefs = [some_belief(problem, rng) for _ in range(10)]
        after = {(feature, label): 2 for feature in range(3) for label in range(2)}
        one, far = (np.full((len(problem.features), len(problem.labels)), n) for n in (1, 30))
        for kind in ("gini", "entropy", "zero_one"):
            for name, ask, *given in (
                ("loss", loss),
                ("loss after 12 purchases", expected_loss, after),
                ("lookahead of 1", lookahead, one),
                ("lookahead of 30", lookahead, far),
            ):
                found = (ask(belief, *given, kind) for belief in beliefs)
                yield Timed(f"{table}, {kind}: {name}", partial(list, found))


def some_belief(problem: Problem, rng: np.random.Generator) -> Belief:
    """Return a belief in the middle of a study."""
    belief = Belief.prior(problem)
    for _ in range(40):
        feature = int(rng.integers(len(problem.features)))
        value = int(rng.integers(len(problem.features[feature].values)))
        belief = belief.observe_at(feature, int(rng.integers(len(problem.labels))), value)
    return belief


def priced() -> Iterator[Timed]:
    """Time quotes of a tariff, and decisions that ask for many of them."""
    tariff, order, past = (
        moved(each, "budgeted.problem") for each in ("Tariff", "Order", "CaseSoFar")
    )
    panels = [{"name": f"panel {at}", "features": [f"test {4 * at + k:04}" for k in range(4)],
               "setup": 2} for at in range(2)]  # fmt: skip
    made = partial(wide, 16, tariff(5, panels=panels))
    quote = made(1).problem.quote
    asked = [(order((feature,), 0), case) for feature in range(16)
             for case in (past(), past(frozenset({1, 3}), label=0))]  # fmt: skip
    yield Timed("3 200 quotes", lambda: [quote(*each) for each in asked * 100])
    for name in ("sfl", "auto"):
        yield Timed(f"20 decisions of {name}", run(made, name, 20))


def _features(number: int) -> list[Feature]:
    return [Feature(f"test {at:04}", VALUES, f"{1 + at % 7}.50") for at in range(number)]


def study_of(database: str, features: int, cases: int, values: int) -> None:
    """Write a study in which so many values were told, and a few are under way."""
    problem = Problem(_features(features), LABELS, (0.6, 0.4), budget=10**6)
    rows = [(f"case {at:04}", LABELS[at % 2]) for at in range(cases)]
    with Study.create(database, "study", problem, rows, policy="round-robin", seed=1) as study:
        for _ in range(values // 50):
            for request in study.ask(50):
                study.tell(request.number, VALUES[request.number % 3])
        study.ask(5)


def study(features: int, cases: int, values: int) -> Iterator[Timed]:
    """Time what people do to a study that is under way, and what the server does for its page."""
    with tempfile.TemporaryDirectory() as folder:
        database = f"{folder}/studies.db"
        study_of(database, features, cases, values)
        held: list[Study] = []
        yield Timed("open", lambda: held.append(Study.open(database, "study")))
        yield Timed("status", held[0].status)
        yield Timed("status again", held[0].status)
        asked: list[Any] = []
        yield Timed("ask for 50", lambda: asked.extend(held[0].ask(50)))
        yield Timed("tell 50", lambda: [held[0].tell(each.number, "low") for each in asked])
        yield Timed("status after a tell", held[0].status)
        held[0].release()
        with serving(database) as (process, port):
            line = http.client.HTTPConnection("127.0.0.1", port, timeout=300)

            def get(path: str, times: int) -> None:
                for _ in range(times):
                    line.request("GET", path)
                    answer = line.getresponse()
                    content = answer.read()
                    assert answer.status == 200, (path, answer.status, content)

            clock = partial(processor_time_of, process)
            for path in ("/studies", "/studies/study", "/api/studies/study"):
                get(path, 1)
                yield Timed(f"GET {path}, 200 times", partial(get, path, 200), clock)


@contextmanager
def serving(database: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Yield a server on a free port, and the port."""
    command = [sys.executable, "-m", "budgeted", "serve", "--db", database, "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        try:
            yield process, int(line.split("http://127.0.0.1:")[1].split()[0].strip("/"))
        finally:
            process.send_signal(signal.SIGINT)


def processor_time_of(process: subprocess.Popen[str]) -> float:
    """Return the processor time of another process; that of the wall where it is not told."""
    try:
        with open(f"/proc/{process.pid}/stat", encoding="ascii") as file:
            numbers = file.read().rpartition(")")[2].split()
    except FileNotFoundError:
        return time.perf_counter()
    return (int(numbers[11]) + int(numbers[12])) / os.sysconf("SC_CLK_TCK")


def starting() -> Iterator[Timed]:
    """Time what everybody waits for: the import, and the help."""
    for words in (("-c", "import budgeted"), ("-m", "budgeted", "--help")):
        command = [sys.executable, *words]
        work = partial(subprocess.run, command, check=True, stdout=subprocess.DEVNULL)
        work()
        yield Timed(" ".join(words), work, lambda: sum(os.times()[2:4]))


TASKS: Mapping[str, Task] = {
    "start": starting,
    "figure 3(b)": partial(
        decisions, lambda seed: Synthetic().draw(seed, 100), USUAL + LOOKING_FAR
    ),
    "votes": partial(decisions, partial(of_a_table, "votes"), USUAL + LOOKING_FAR),
    **{
        name: partial(decisions, partial(of_a_table, name))
        for name in ("breast-wisconsin", "mushroom", "chess", "car", "nursery")
    },
    **{f"{number} features": partial(many_features, number) for number in (300, 1_000)},
    "losses": losses,
    "a tariff": priced,
    "study of 10 × 60": partial(study, 10, 60, 400),
    "study of 300 × 2 000": partial(study, 300, 2_000, 1_500),
}
"""Name → what prepares and yields what is timed."""
