"""How the error fell while the money was spent: points on the way of one study.

Each point is what was known after so many of the purchases that count. One that was undone is not
on the way any more, and one that was corrected is there as it is now; what comes after it is
computed anew, everything else once. Of a long study some hundred points are kept, evenly along its
purchases; a screen has no more.
"""

from __future__ import annotations

import math
import time
from collections import deque
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from budgeted.learners import Outlook, Predictor, fitted
from budgeted.learners.layout import number_of_cases
from budgeted.learners.predictor import outlook_of
from budgeted.learners.prospect import FEW_CASES, MODELS
from budgeted.problem import money
from budgeted.state import State
from budgeted.state.requests import History
from budgeted.studies.beginning import learner_of, problem_of
from budgeted.studies.created import Created
from budgeted.studies.validation import ValidationFile

MOST_POINTS, _MOST_OF_LARGE = 120, 30
"""On the way of a study, and of one whose points take long to compute."""
_MODELS_OF_LARGE = 60
"""Drawn for a point of a large study; all points with the same numbers."""


@dataclass(frozen=True)
class Point:
    """How good the classifier was after so many purchases, which cost so much together."""

    bought: int
    paid: Decimal
    outlook: Outlook
    measured: float | None

    @property
    def spent(self) -> float:
        """What was paid, as a chart takes it."""
        return float(self.paid)


class Curve:
    """Error against money of one study, brought up to date with `advance`.

    >>> from budgeted import Feature, Problem, Study
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.5, 0.5), 9)
    >>> cases = [("Ann", "ill"), ("Bob", "well")]
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with Study.create(f"{folder}/my.db", "flu", problem, cases, by="me") as study:
    ...         _ = study.record([("Ann", "fever", "yes"), ("Bob", "fever", "no")], charge=True)
    ...         curve = Curve(study.created)
    ...         _ = curve.advance(study.state)
    >>> [(row["spent"], round(row["error"], 3)) for row in curve.points]
    [(0.0, 0.5), (1.0, 0.405), (2.0, 0.357)]
    """

    def __init__(self, created: Created, validation: ValidationFile | None = None) -> None:
        self.created = created
        self.validation = validation
        self._problem = problem_of(created)
        self._history = History()
        self._points = [self._point(0, Decimal(0))]
        self._to_come: deque[tuple[int, Decimal]] = deque()

    def _predictor(self, bought: int) -> Predictor:
        return fitted(learner_of(self.created), self._problem, self._history[:bought])

    def _point(self, bought: int, paid: Decimal) -> Point:
        predictor, file = self._predictor(bought), self.validation
        judge = None if file is None else file.judge(self._problem)
        measured = None if judge is None else judge.error(predictor)
        models = MODELS if self._small else _MODELS_OF_LARGE
        return Point(bought, paid, outlook_of(predictor, models), measured)

    @property
    def _small(self) -> bool:
        """Whether errors are computed over every case there is, which is fast."""
        return number_of_cases(self._problem) <= FEW_CASES

    def advance(self, state: State, at_most: float = math.inf) -> bool:
        """Take in what was bought since; return whether all of it is there.

        It stops after `at_most` seconds; called again, it goes on.
        """
        until = time.monotonic() + at_most
        changed = state.problem.features != self._problem.features
        self._problem = state.problem
        if changed:  # as if they had always been these
            self._history, self._to_come = History(), deque()
            self._points = [self._point(0, Decimal(0))]
        if changed or state.history != self._history:
            self._follow(state.history)
        while self._to_come:
            self._add(self._point(*self._to_come.popleft()))
            if time.monotonic() >= until:
                break
        if not self._to_come and len(self._points) > 2 * self._most:
            self._points = [*self._points[:-1:2], self._points[-1]]
        return not self._to_come

    @property
    def _most(self) -> int:
        return MOST_POINTS if self._small else _MOST_OF_LARGE

    def _follow(self, history: History) -> None:
        """Keep the points up to the first purchase that is another now, and plan those behind."""
        same = _alike(self._history, history)
        self._history = history
        self._points = [point for point in self._points if point.bought <= same]
        last = self._points[-1]
        paid = last.paid
        new = range(last.bought + 1, len(history) + 1)
        stride = math.ceil(len(new) / self._most) or 1
        kept = {*new[::stride], *new[-1:]}
        self._to_come = deque()
        for bought in new:
            paid = money.add(paid, history[bought - 1].cost)
            if bought in kept:
                self._to_come.append((bought, paid))

    def _add(self, point: Point) -> None:
        """Keep one point for an amount of money: the last word, as where a price was nothing."""
        if len(self._points) > 1 and self._points[-1].paid == point.paid:
            del self._points[-1]
        self._points.append(point)

    @property
    def points(self) -> list[dict[str, Any]]:
        """A row per point: money, expected error with its interval, measured error."""
        rows = []
        for point in self._points:
            row: dict[str, Any] = {"spent": point.spent, **vars(point.outlook)}
            if point.measured is not None:
                row["measured"] = point.measured
            rows.append(row)
        return rows


def _alike(one: History, other: History) -> int:
    """Return how many purchases two histories begin alike with."""
    pairs = enumerate(zip(one, other, strict=False))
    shorter = min(len(one), len(other))
    return next(
        (at for at, (mine, theirs) in pairs if mine is not theirs and mine != theirs), shorter
    )
