"""A forecast of a study: many runs of how it may go on, made within a time, and their summary."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import numpy as np

from budgeted.errors import StudyError
from budgeted.learners.layout import Floats
from budgeted.studies.events import Entry
from budgeted.studies.forecast.runs import MORE, Point, Run, amounts, points_of, run
from budgeted.studies.projection import Projection, fold

SECONDS = 20.0
"""How long a forecast may take, unless told otherwise."""
LEAST = 20
"""Runs of a forecast, at least: fewer say too little of a band."""
MOST = 400
"""Runs of a forecast, at most: more add nothing that could be seen."""


@dataclass(frozen=True)
class Forecast:
    """How a study is expected to go on.

    Attributes
    ----------
    events, runs
        After how many events it was made, and of how many runs.
    points
        From now to the end, and a fifth beyond it, by money.
    now
        The first of them: once what is under way has come back.
    end, less, more
        Once the budget is spent; had it been a fifth less; were it a fifth more. None where that
        makes no sense: less than was spent already, or more than a soft budget.
    errors
        Of each run at each point, runs × points.
    features
        Feature → how many more values are expected to be bought, and what share of the money that
        is left they will take; what takes most comes first.
    """

    events: int
    runs: int
    points: tuple[Point, ...]
    end: Point
    less: Point | None
    more: Point | None
    features: Mapping[str, tuple[float, float]]
    errors: Floats = field(repr=False, compare=False)

    @property
    def now(self) -> Point:
        """What is expected of the classifier once what is under way has come back."""
        return self.points[0]

    def chance(self, target: float) -> float:
        """Return how probable it is that the error is at most this when the money is spent."""
        return float((self.errors[:, self.points.index(self.end)] <= target).mean())

    def words(self) -> str:
        """Return what it says, in a sentence or two."""
        end = self.end
        said = (
            f"When the money is spent, {end.error:.1%} wrong answers are expected (nine of ten "
            f"possibilities: {end.low:.1%} to {end.high:.1%})."
        )
        if self.more is not None:
            gain = 100 * (end.error - self.more.error)
            said += (
                f" A fifth more money would bring {gain:.1f} percentage points less."
                if gain >= _WORTH_SAYING
                else " A fifth more money would bring next to nothing."
            )
        if self.less is not None:
            loss = 100 * (self.less.error - end.error)
            said += (
                f" With a fifth less it would be {loss:.1f} points more."
                if loss >= _WORTH_SAYING
                else " With a fifth less it would be about the same."
            )
        return said

    def to_plain(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        places = max(_CENTS, _places(self.end.money))

        def plain(point: Point | None) -> dict[str, Any] | None:
            if point is None:
                return None
            amount = point.money
            if _places(amount) > places:  # on the way it may be a third of something
                amount = amount.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
            return vars(point) | {"money": f"{amount:f}"}

        return {
            "events": self.events,
            "runs": self.runs,
            "points": [plain(each) for each in self.points],
            "end": plain(self.end),
            "less": plain(self.less),
            "more": plain(self.more),
            "features": {
                name: {"values": values, "share": share}
                for name, (values, share) in self.features.items()
            },
            "words": self.words(),
        }


_CENTS = 2
"""Places that an amount may have in any case."""
_WORTH_SAYING = 0.1
"""Percentage points; less is within what the runs scatter."""


def _places(amount: Decimal) -> int:
    return -int(amount.as_tuple().exponent)


def forecast(
    entries: Sequence[Entry],
    at: str,
    *,
    seconds: float = SECONDS,
    least: int = LEAST,
    most: int = MOST,
    seed: int = 0,
    pool: Executor | None = None,
    workers: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Forecast:
    """Return how a study is expected to go on.

    Runs are made one after the other until the time is up, so that more time gives a better one;
    some are made whatever that takes.

    Parameters
    ----------
    entries, at
        The events of the study, and the time that it is.
    seconds, least, most
        How long it may take, and of how many runs it consists, at least and at most.
    seed
        Of the runs.
    pool, workers
        Where runs are made, and how many at once; here, unless given.
    progress
        Told how many there are.
    """
    projection = fold(None, entries, "this study")
    made = more_runs(
        projection, entries, at, (), seconds=seconds, least=least, most=most, seed=seed, pool=pool,
        workers=workers, progress=progress,
    )  # fmt: skip
    return summary(projection, len(entries), made)


def more_runs(
    projection: Projection,
    entries: Sequence[Entry],
    at: str,
    known: Sequence[Run],
    *,
    seconds: float,
    least: int = LEAST,
    most: int = MOST,
    seed: int = 0,
    pool: Executor | None = None,
    workers: int = 1,
    progress: Callable[[int], None] | None = None,
) -> list[Run]:
    """Return runs that are known, and those behind them that a time is enough for."""
    if projection.closed:
        raise StudyError("the study is closed, so that nothing more will be bought")
    until = time.monotonic() + seconds
    if pool is None:
        return _here(projection, at, known, seed, until, least, most, progress)
    return _elsewhere(pool, workers, entries, at, known, seed, until, least, most, progress)


def summary(
    projection: Projection,
    events: int,
    runs: Sequence[Run],
    at_amounts: Sequence[Decimal] | None = None,
) -> Forecast:
    """Return what some runs of a study say together."""
    state = projection.state
    errors = np.array([each.errors for each in runs])
    points = points_of(amounts(projection) if at_amounts is None else at_amounts, errors)
    by_money = {each.money: each for each in points}
    budget = state.problem.budget
    return Forecast(
        events,
        len(runs),
        points,
        by_money[budget],
        by_money.get(budget * (1 - MORE)),
        by_money.get(budget * (1 + MORE)),
        _features(runs),
        errors,
    )


def _features(runs: Sequence[Run]) -> dict[str, tuple[float, float]]:
    names = dict.fromkeys(name for each in runs for name in each.bought)
    values = {name: float(np.mean([each.bought.get(name, 0) for each in runs])) for name in names}
    paid = {
        name: float(np.mean([float(each.paid.get(name, 0)) for each in runs])) for name in names
    }
    total = sum(paid.values()) or 1.0
    falling = sorted(names, key=lambda name: -paid[name])
    return {name: (values[name], paid[name] / total) for name in falling}


def _here(
    projection: Projection,
    at: str,
    known: Sequence[Run],
    seed: int,
    until: float,
    least: int,
    most: int,
    progress: Callable[[int], None] | None,
) -> list[Run]:
    made = list(known)
    while len(made) < most and (len(made) < least or time.monotonic() < until):
        made.append(run(projection, seed, len(made), at))
        if progress is not None:
            progress(len(made))
    return made


def _elsewhere(
    pool: Executor,
    workers: int,
    entries: Sequence[Entry],
    at: str,
    known: Sequence[Run],
    seed: int,
    until: float,
    least: int,
    most: int,
    progress: Callable[[int], None] | None,
) -> list[Run]:
    """The same runs, a few at a time in each process; the first ones of those that were begun."""
    made = dict(enumerate(known))
    waiting: dict[Future[list[Run]], range] = {}
    begun = len(made)
    while True:
        enough = begun >= most or (begun >= least and time.monotonic() >= until)
        while not enough and len(waiting) < workers:
            numbers = range(begun, min(begun + _TOGETHER, most))
            waiting[pool.submit(_several, tuple(entries), seed, numbers, at)] = numbers
            begun = numbers.stop
            enough = begun >= most
        if not waiting:
            return [made[number] for number in sorted(made)]
        done, _ = wait(waiting, return_when=FIRST_COMPLETED)
        for each in done:
            made |= dict(zip(waiting.pop(each), each.result(), strict=True))
        if progress is not None:
            progress(len(made))


_TOGETHER = 5
"""Runs for which a process reads the study once."""


def _several(entries: Sequence[Entry], seed: int, numbers: Iterable[int], at: str) -> list[Run]:
    projection = fold(None, entries, "this study")
    return [run(projection, seed, number, at) for number in numbers]
