"""A study of any size, written in seconds: its events are made up and appended in bulk.

Nobody decides anything: each case gives some features, most requests are told, some fail, are
cancelled or corrected, and the last ones stay under way. What is made up is checked as anything
else is: whoever opens the study folds all of its events.

python -m research.speed.large DATABASE [--name large] [--features 1000] [--cases 10000]
                               [--events 50000] [--pending 60]
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from budgeted import Feature, Problem, Study
from budgeted.studies.events import (
    Asked,
    Cancelled,
    Corrected,
    Event,
    Failed,
    Line,
    Spread,
    Told,
)
from budgeted.studies.journal import Journal

LABELS, VALUES = ("well", "ill"), ("low", "normal", "high")
PEOPLE = ("anna", "ben", "carla")
_COMPARED = 12
_TOGETHER = 5_000
"""Events of one write."""


@dataclass(frozen=True)
class Size:
    """How large a study is to be, and how many of its requests are to be under way."""

    features: int = 1_000
    cases: int = 10_000
    events: int = 50_000
    pending: int = 60


def problem_of(size: Size) -> Problem:
    """Return features at several prices, and more money than the study spends."""
    costs = [Decimal(f"{1 + at % 7}.50") for at in range(size.features)]
    features = [Feature(f"test {at:04}", VALUES, cost) for at, cost in enumerate(costs)]
    return Problem(features, LABELS, (0.6, 0.4), budget=10 * size.events)


def fill(database: str, name: str, size: Size, *, seed: int = 1, policy: str = "auto") -> None:
    """Write a study of that size into a database, which is made if there is none.

    Parameters
    ----------
    database, name
        Where, and what it is called.
    size, seed
        How large, and of what the choices are drawn.
    policy
        Who chooses what is asked for later.
    """
    problem = problem_of(size)
    cases = [(f"patient {at:05}", LABELS[at % 2]) for at in range(size.cases)]
    Study.create(database, name, problem, cases, policy=policy, seed=seed, by=PEOPLE[0]).release()
    rng = random.Random(seed)
    events = _events(problem, cases, size, rng)
    with Journal(database, name) as journal:
        for start in range(0, len(events), _TOGETHER):
            some = events[start : start + _TOGETHER]
            people = [PEOPLE[rng.randrange(len(PEOPLE))] for _ in some]
            journal.append(some, expected=1 + start, by=people)
    with Study.open(database, name, by=PEOPLE[0]) as study:  # which leaves a summary for lists
        study.cancel(study.requests("pending")[0].number, "not at the visit")


def _events(
    problem: Problem, cases: list[tuple[str, str]], size: Size, rng: random.Random
) -> list[Event]:
    """What happens between the first event and the last."""
    made: list[Event] = []
    cells = enumerate(_cells(size), 1)
    under_way = size.pending + 1  # one is cancelled in the end
    while len(made) < size.events - 2 - under_way:
        asked = _asked(problem, cases, *next(cells), rng)
        made += [asked, *_settled(asked, rng)]
    made = made[: size.events - 2 - under_way]
    number = 1 + sum(isinstance(each, Asked) for each in made)
    fresh = iter(list(_cells(size))[number - 1 :])
    for at in range(size.events - 2 - len(made)):
        made.append(_asked(problem, cases, number + at, next(fresh), rng))
    return made


def _cells(size: Size) -> Iterator[tuple[int, int]]:
    """Each cell once: a case gives a few features, spread over all, and then the next one does."""
    for turn in range(size.features):
        for row in range(size.cases):
            yield row, (row * 7 + turn) % size.features


def _asked(
    problem: Problem,
    cases: list[tuple[str, str]],
    number: int,
    cell: tuple[int, int],
    rng: random.Random,
) -> Asked:
    (case, label), chosen = cases[cell[0]], problem.features[cell[1]]
    others = [problem.features[rng.randrange(len(problem.features))] for _ in range(_COMPARED - 1)]
    names = dict.fromkeys([chosen.name, *(each.name for each in others)])
    scores = tuple((name, label, 0.2 + at / 1e3) for at, name in enumerate(names))
    spread = Spread(2 * len(problem.features), 0.2, 0.3, 0.4)
    line = Line(number, chosen.name, chosen.cost)
    words = f"{chosen.name}: few values so far; the best use of the next {chosen.cost}"
    return Asked(case, label, (line,), scores, spread, words, "exact", "auto", {}, "budgeted")


def _settled(asked: Asked, rng: random.Random) -> Iterator[Event]:
    """What becomes of a request."""
    number, cost, draw = asked.number, asked.lines[0].cost, rng.random()
    if draw < 0.02:
        yield Cancelled(number, "the case did not come")
    elif draw < 0.05:
        yield Failed(number, Decimal(0), usable=False, why="haemolytic")
    else:
        value = rng.choice(VALUES)
        yield Told(number, value, cost)
        if draw > 0.99:
            yield Corrected(number, value, rng.choice(VALUES), cost, cost, "typed wrong")


def main() -> None:
    """Write one."""
    parser = argparse.ArgumentParser(description="write a study of any size")
    parser.add_argument("database")
    parser.add_argument("--name", default="large")
    for name, usual in vars(Size()).items():
        parser.add_argument(f"--{name}", type=int, default=usual)
    given = vars(parser.parse_args())
    database, name = given.pop("database"), given.pop("name")
    fill(database, name, Size(**given))


if __name__ == "__main__":
    main()
