"""A plan of a budget: the error to expect for each amount of money, before anything is bought."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, Decimal
from typing import Any

import numpy as np

from budgeted.errors import PlanError
from budgeted.learners.layout import Floats
from budgeted.problem import Problem, money
from budgeted.studies.forecast.runs import Point, points_of
from budgeted.studies.planning.runs import OWN, Played
from budgeted.studies.stop_rules import no_target

_TINY = 1e-9
PROBABILITY = 0.8
"""With which a target is to be reached, unless told otherwise."""


@dataclass(frozen=True)
class Target:
    """An error that is to be reached, and how sure one wants to be.

    Examples
    --------
    >>> Target(20)
    Traceback (most recent call last):
    ...
    budgeted.errors.PlanError: target_error: must be a share of wrong answers above 0 and below 1, \
such as 0.2, got 20
    """

    error: float
    probability: float = PROBABILITY

    def __post_init__(self) -> None:
        mistakes = []
        for name, number, example in (
            (
                "target_error",
                self.error,
                "a share of wrong answers above 0 and below 1, such as 0.2",
            ),
            ("probability", self.probability, "above 0 and below 1, such as 0.8"),
        ):
            right = isinstance(number, int | float) and not isinstance(number, bool)
            if not right or not 0 < number < 1:
                mistakes.append(f"{name}: must be {example}, got {number!r}")
        if mistakes:
            raise PlanError(mistakes)

    def check(self, problem: Problem) -> None:
        """Raise an error if nothing need be bought for it."""
        if wrong := no_target(self.error, problem):
            raise PlanError(f"target_error: {wrong}")


@dataclass(frozen=True)
class Needed:
    """What reaches a target.

    Attributes
    ----------
    money
        The least amount that does; None if none of those looked at does.
    best
        The lowest error that some amount reaches with the wanted probability.
    chance
        How probable the target is for the largest amount.
    possible
        Whether a classifier that knows everything about the tests would reach it.
    """

    money: Decimal | None
    best: float
    chance: float
    possible: bool


@dataclass(frozen=True)
class Curve:
    """Error against money, for one design and one way to buy.

    Attributes
    ----------
    design, who
        Which design, and who chooses.
    amounts
        Of money, rising.
    errors
        Of each run at each amount, runs × amounts.
    floors
        Of each run, the error of a classifier that knows the model.
    """

    design: str
    who: str
    amounts: tuple[Decimal, ...]
    errors: Floats = field(repr=False)
    floors: Floats = field(repr=False)

    @classmethod
    def of(
        cls, design: str, who: str, amounts: Sequence[Decimal], played: Sequence[Played]
    ) -> Curve:
        """Return the curve of some runs."""
        errors = np.array([each.errors for each in played])
        return cls(design, who, tuple(amounts), errors, np.array([each.floor for each in played]))

    @property
    def name(self) -> str:
        """What it is called: its design, and who chooses if that is not the study's policy."""
        return self.design if self.who == OWN else f"{self.design}, but {self.who}"

    @property
    def points(self) -> tuple[Point, ...]:
        """What is expected for each amount, with where nine of ten runs have it."""
        return points_of(self.amounts, self.errors)

    def chances(self, error: float) -> Floats:
        """Return how probable it is, for each amount, that an error is reached."""
        result: Floats = (self.errors <= error).mean(axis=0)
        return result

    def needed(self, target: Target) -> Needed:
        """Return how much money reaches a target.

        More money is taken to make nothing worse: where fewer runs reach the target than for less
        money, that is chance, and both amounts get the mean (isotonic regression). Between two
        amounts the probability is a straight line.

        >>> errors = np.array([[0.4, 0.3, 0.1]] * 3 + [[0.4, 0.1, 0.1]])
        >>> curve = Curve("", "", tuple(map(Decimal, (0, 10, 20))), errors, np.zeros(4))
        >>> curve.needed(Target(0.2, 0.5)).money, curve.needed(Target(0.05)).money
        (Decimal('14'), None)
        """
        chances = _never_falling(self.chances(target.error))
        best = self._best(target.probability)
        possible = bool((self.floors <= target.error).mean() >= target.probability)
        reached = chances >= target.probability - _TINY
        if not reached[-1]:
            return Needed(None, best, float(chances[-1]), possible)
        first = int(np.argmax(reached))
        if first == 0:
            return Needed(self.amounts[0], best, float(chances[-1]), True)
        below, above = chances[first - 1], chances[first]
        part = Decimal(str((target.probability - below) / (above - below)))
        least = self.amounts[first - 1]
        exact = least + (self.amounts[first] - least) * part
        return Needed(_rounded(exact), best, float(chances[-1]), True)

    def _best(self, probability: float) -> float:
        """The lowest error that some amount reaches so surely; who buys nothing has one as well."""
        found = np.unique(self.errors)
        at = bisect_left(
            found,
            probability - _TINY,
            key=lambda error: _never_falling(self.chances(error))[-1],
        )
        first = np.quantile(self.errors[:, 0], probability, method="inverted_cdf")
        return float(min(first, found[min(at, len(found) - 1)]))


@dataclass(frozen=True)
class Plan:
    """What to expect of a study that has not begun.

    Attributes
    ----------
    budget
        Of the study file.
    source
        What the models come from, in words.
    runs
        In how many models each design was played.
    curves
        For each design and each way to buy; the study as planned, with its own policy, is first.
    target
        What is to be reached, if anything.
    """

    budget: Decimal
    source: str
    runs: int
    curves: tuple[Curve, ...]
    target: Target | None = None

    def words(self) -> str:
        """Return what it says, in a sentence or two."""
        first = self.curves[0]
        by_money = {each.money: each for each in first.points}
        at = by_money.get(self.budget, first.points[-1])  # which may be more than was looked at
        said = (
            f"For {money.show(at.money)}, {at.error:.1%} wrong answers are expected (nine of ten "
            f"possibilities: {at.low:.1%} to {at.high:.1%})."
        )
        return said if self.target is None else f"{said} {self.needed_words(first)}"

    def needed_words(self, curve: Curve) -> str:
        """Return what reaches the target, in a sentence."""
        target = self.target
        assert target is not None, "there is a target"
        found, wanted = curve.needed(target), f"{target.error:.1%} error"
        if found.money is not None:
            return (
                f"{wanted.capitalize()} with a probability of {target.probability:.0%} takes about "
                f"{money.show(found.money)}."
            )
        most = money.show(curve.amounts[-1])
        why = (
            f"more money may reach it ({found.chance:.0%} for {most})"
            if found.possible
            else "not even a classifier that knows everything about these tests would reach it"
        )
        return (
            f"{wanted.capitalize()} is not reached with a probability of {target.probability:.0%} "
            f"by any amount up to {most}: {why}. The best that is reached so surely is "
            f"{found.best:.1%}."
        )

    def to_plain(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "budget": f"{self.budget:f}",
            "source": self.source,
            "runs": self.runs,
            "target": None if self.target is None else vars(self.target).copy(),
            "curves": [self._plain(each) for each in self.curves],
            "words": self.words(),
        }

    def _plain(self, curve: Curve) -> dict[str, Any]:
        chances: Sequence[float | None] = [None] * len(curve.amounts)
        needed: Mapping[str, Any] | None = None
        if self.target is not None:
            chances = curve.chances(self.target.error).tolist()
            found = curve.needed(self.target)
            needed = vars(found) | {
                "money": None if found.money is None else f"{found.money:f}",
                "words": self.needed_words(curve),
            }
        return {
            "name": curve.name,
            "design": curve.design,
            "policy": curve.who,
            "floor": float(curve.floors.mean()),
            "points": [
                vars(point) | {"money": f"{point.money:f}", "chance": chance}
                for point, chance in zip(curve.points, chances, strict=True)
            ],
            "needed": needed,
        }


def _never_falling(chances: Floats) -> Floats:
    """Return the nearest numbers that do not fall, in the sense of least squares.

    >>> _never_falling(np.array([0.1, 0.5, 0.3, 0.9])).round(9).tolist()
    [0.1, 0.4, 0.4, 0.9]
    """
    sums = np.concatenate([[0.0], chances.cumsum()])
    ends = np.arange(len(chances))
    lengths = ends[None] + 1 - ends[:, None]
    means = (sums[None, 1:] - sums[:-1, None]) / np.where(lengths > 0, lengths, 1)
    means = np.where(lengths > 0, means, np.inf)  # of all from one to another
    lowest = np.minimum.accumulate(means[:, ::-1], axis=1)[:, ::-1]
    result: Floats = np.where(lengths > 0, lowest, -np.inf).max(axis=0)
    return result


def _rounded(amount: Decimal) -> Decimal:
    """Two figures, upwards: more would be claimed than is known."""
    place = amount.adjusted() - 1
    return amount.quantize(Decimal(1).scaleb(place), ROUND_CEILING).normalize() + Decimal(0)
