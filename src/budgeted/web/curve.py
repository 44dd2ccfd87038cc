"""How the error fell while the money was spent: points on the way of one study.

Each point is the belief after so many of the purchases that count. One that was undone is not on
the way any more, and one that was corrected is there as it is now; what comes after it is computed
anew, everything else once. Of a long study some hundred points are kept, evenly along its
purchases; a screen has no more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np

from budgeted import money
from budgeted.belief import Belief
from budgeted.cache import size_of
from budgeted.events import Created, Entry
from budgeted.guard import Delivered, deliver
from budgeted.history import History
from budgeted.judging import Validation
from budgeted.study.standing import Standing, fold
from budgeted.study.status import Outlook, expected_error, outlook

MOST_POINTS = 120
_FEW_CASES = 4096
"""Intervals are cheap where the problem has at most so many different cases."""
_BANDS, _BANDS_OF_LARGE = 24, 4


@dataclass(frozen=True)
class Point:
    """What was believed after so many purchases, which cost so much together."""

    bought: int
    paid: Decimal
    belief: Belief
    delivered: Delivered

    @property
    def spent(self) -> float:
        """What was paid, as a chart takes it."""
        return float(self.paid)

    @cached_property
    def error(self) -> float:
        """The 0/1 error that its classifier is expected to make."""
        return expected_error(self.belief, self.delivered)

    @cached_property
    def outlook(self) -> Outlook:
        """The same with an interval; slower."""
        return outlook(self.belief, self.delivered)


class Curve:
    """Error against money of one study, brought up to date with `advance`.

    Parameters
    ----------
    created
        How the study began.
    validation
        Cases whose values are known, to measure the error on, if there are any.

    Examples
    --------
    >>> from budgeted import Feature, Problem, Study
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.5, 0.5), 9)
    >>> cases = [("Ann", "ill"), ("Bob", "well")]
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with Study.create(f"{folder}/my.db", "flu", problem, cases, by="me") as study:
    ...         _ = study.record([("Ann", "fever", "yes"), ("Bob", "fever", "no")], charge=True)
    ...         curve = Curve(study.created)
    ...         curve.advance(study.history())
    >>> [(row["spent"], round(row["error"], 3)) for row in curve.points]
    [(0.0, 0.5), (1.0, 0.435), (2.0, 0.36)]
    """

    def __init__(self, created: Created, validation: Validation | None = None) -> None:
        self._standing = Standing(created)
        self._validation = validation
        belief = self._standing.state.belief
        self._points = [Point(0, Decimal(0), belief, Delivered(belief))]
        self._history = self._standing.state.history
        self._known_errors: dict[int, float] = {}
        self.seq = 1
        self.bytes = 0
        """About how much memory it takes: its points are alike, so one stands for all."""

    def advance(self, entries: Sequence[Entry]) -> None:
        """Take in the events that came since; those known already are passed over."""
        new = [entry for entry in entries if entry.seq > self.seq]
        if new:
            fold(self._standing, new, "this study")
            self.seq = new[-1].seq
            self._follow(self._standing.state.history)

    def _follow(self, history: History) -> None:
        """Keep the points up to the first purchase that is another now, and go on from there."""
        same = _alike(self._history, history)
        self._history = history
        self._points = [point for point in self._points if point.bought <= same]
        self._known_errors = {at: each for at, each in self._known_errors.items() if at <= same}
        last = self._points[-1]
        paid, belief = last.paid, last.belief
        new = range(last.bought + 1, len(history) + 1)
        stride = math.ceil(len(new) / MOST_POINTS) or 1
        kept = {*new[::stride], *new[-1:]}
        for bought in new:
            purchase = history[bought - 1]
            paid = money.add(paid, purchase.cost)
            if purchase.value is not None:
                belief = belief.observe_at(purchase.feature, purchase.label, purchase.value)
            if bought in kept:
                classifier = self._standing.created.classifier
                delivered = deliver(classifier, belief, history[:bought])
                self._add(Point(bought, paid, belief, delivered))
        if len(self._points) > 2 * MOST_POINTS:
            self._points = [*self._points[:-1:2], self._points[-1]]

    def _add(self, point: Point) -> None:
        """Keep one point for an amount of money: the last word, as where a price was nothing."""
        if len(self._points) > 1 and self._points[-1].paid == point.paid:
            del self._points[-1]
        self._points.append(point)

    @property
    def points(self) -> list[dict[str, Any]]:
        """A row per point: money, expected error, some with an interval, measured error."""
        bands = self._with_band()
        rows = []
        for at, point in enumerate(self._points):
            row: dict[str, Any] = {"spent": point.spent, "error": point.error}
            if at in bands:
                row |= {"low": point.outlook.low, "high": point.outlook.high}
            if self._validation is not None:
                row["measured"] = self._measured(self._validation, point)
            rows.append(row)
        last = self._points[-1]
        problem = size_of(last.belief.problem)  # which all share
        self.bytes = problem + len(self._points) * max(0, size_of(last) - problem)
        return rows

    def _measured(self, validation: Validation, point: Point) -> float:
        if point.bought not in self._known_errors:
            self._known_errors[point.bought] = validation.error(*point.delivered)
        return self._known_errors[point.bought]

    def _with_band(self) -> set[int]:
        """Which points get an interval: few and evenly spaced, as it costs the most."""
        small = math.prod(self._points[0].belief.problem.sizes) <= _FEW_CASES
        number = min(_BANDS if small else _BANDS_OF_LARGE, len(self._points))
        last = len(self._points) - 1
        known = {at for at, point in enumerate(self._points) if "outlook" in vars(point)}
        if len(known) >= number // 2:  # a study that grows needs one more, not another grid
            return known | {last}
        return {round(at) for at in np.linspace(0, last, number)}


def _alike(one: History, other: History) -> int:
    """Return how many purchases two histories begin alike with."""
    pairs = enumerate(zip(one, other, strict=False))
    shorter = min(len(one), len(other))
    return next((at for at, (mine, theirs) in pairs if mine != theirs), shorter)
