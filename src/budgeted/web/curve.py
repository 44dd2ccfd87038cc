"""How the error fell while the money was spent: points on the way of one study.

Each point is a belief that the study held once. What the log says of the past never changes (a
correction is a new event), so a point is computed once and kept. Of a long study some hundred
points are kept, evenly along its purchases; a screen has no more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from budgeted import events
from budgeted.belief import Belief
from budgeted.cache import size_of
from budgeted.events import Created, Entry
from budgeted.guard import Delivered
from budgeted.judging import Validation
from budgeted.study.standing import Standing, fold
from budgeted.study.status import Outlook, expected_error, outlook

MOST_POINTS = 120
_FEW_CASES = 4096
"""Intervals are cheap where the problem has at most so many different cases."""
_BANDS, _BANDS_OF_LARGE = 24, 4
_CHANGES = (events.Told, events.Recorded, events.Failed, events.Corrected,
            events.Undone)  # fmt: skip


@dataclass(frozen=True)
class Point:
    """What was believed when so much had been spent, after the event of that number."""

    seq: int
    spent: float
    belief: Belief
    delivered: Delivered

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
        self._points = [Point(1, 0.0, belief, Delivered(belief))]
        self._known_errors: dict[int, float] = {}
        self.seq = 1
        self.bytes = 0
        """About how much memory it takes: its points are alike, so one stands for all."""

    def advance(self, entries: Sequence[Entry]) -> None:
        """Take in the events that came since; those known already are passed over."""
        new = [entry for entry in entries if entry.seq > self.seq]
        changes = [entry.seq for entry in new if isinstance(entry.event, _CHANGES)]
        stride = math.ceil(len(changes) / MOST_POINTS) or 1
        kept = {*changes[::stride], *changes[-1:]}
        for entry in new:
            fold(self._standing, [entry], "this study")
            if entry.seq in kept:
                state = self._standing.state
                delivered = self._standing.delivered()
                self._add(Point(entry.seq, float(state.spent), state.belief, delivered))
            self.seq = entry.seq
        if len(self._points) > 2 * MOST_POINTS:
            self._points = [*self._points[:-1:2], self._points[-1]]

    def _add(self, point: Point) -> None:
        """Keep one point for an amount of money: the last word, as after a correction."""
        if len(self._points) > 1 and self._points[-1].spent == point.spent:
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
        if point.seq not in self._known_errors:
            self._known_errors[point.seq] = validation.error(*point.delivered)
        return self._known_errors[point.seq]

    def _with_band(self) -> set[int]:
        """Which points get an interval: few and evenly spaced, as it costs the most."""
        small = math.prod(self._points[0].belief.problem.sizes) <= _FEW_CASES
        number = min(_BANDS if small else _BANDS_OF_LARGE, len(self._points))
        last = len(self._points) - 1
        known = {at for at, point in enumerate(self._points) if "outlook" in vars(point)}
        if len(known) >= number // 2:  # a study that grows needs one more, not another grid
            return known | {last}
        return {round(at) for at in np.linspace(0, last, number)}
