"""Which measures an experiment asks for besides the 0/1 error, and when they are taken.

The 0/1 error is known after every purchase. Other measures are taken at a few moments, when shares
of the budget are spent, so that they cost next to no time; without ``measures`` none is taken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import nan
from time import thread_time
from typing import Any

import numpy as np

from budgeted.diagnosis.costs import cost_matrix
from budgeted.learners.base import Classifier
from budgeted.learners.belief import Floats
from budgeted.listing import listed
from budgeted.simulation.datasets import Rehearsal
from budgeted.simulation.judge import MEASURES, probabilities

RUN_TIME = "run time"
COSTS = "cost of errors"
NAMES = (*MEASURES, RUN_TIME)
MOMENTS = (0.25, 0.5, 0.75, 1.0)
"""Shares of the budget, unless an experiment says others; the end is always one."""
COLUMNS: Mapping[str, str] = {each: each.replace(" ", "_") for each in NAMES}
"""What the measures are called in files."""


@dataclass(frozen=True)
class Wanted:
    """What is to be measured."""

    names: tuple[str, ...] = ()  # of `NAMES`; nothing: only the 0/1 error
    moments: tuple[float, ...] = MOMENTS
    wrong: Any = None  # what wrong answers cost, as `budgeted.diagnosis.costs.cost_matrix` takes it

    def document(self) -> dict[str, Any]:
        """Return the keys of a file that say so."""
        if not self.names:
            return {}
        wrong = {} if self.wrong is None else {"wrong": self.wrong}
        return {"measures": list(self.names), "moments": list(self.moments), **wrong}

    def costs(self, labels: Sequence[str]) -> Floats:
        """Return what each answer costs for each label."""
        return cost_matrix(labels, self.wrong)


def wanted_of(document: Mapping[str, Any]) -> tuple[Wanted, list[str]]:
    """Return what a file asks for, and what is wrong with it.

    >>> wanted_of({"measures": ["auc"], "moments": [0.5]})
    (Wanted(names=('auc',), moments=(0.5, 1.0), wrong=None), [])
    >>> print(wanted_of({"measures": ["acu"]})[1][0])
    measures: there is no 'acu'; there are 'log loss', 'brier', 'auc', 'cost of errors', 'run time'
    """
    names, moments = document.get("measures", []), document.get("moments", list(MOMENTS))
    mistakes: list[str] = []
    if not isinstance(names, list):
        return Wanted(), [f"measures: must be a list, such as ['auc'], got {names!r}"]
    mistakes += [
        f"measures: there is no {each!r}; there are {listed(NAMES)}"
        for each in names
        if each not in NAMES
    ]
    shares: tuple[float, ...] = MOMENTS
    if not isinstance(moments, list) or not all(map(_is_share, moments)):
        mistakes.append(
            f"moments: must be shares of the budget, above 0 and at most 1, got {moments!r}"
        )
    else:
        shares = tuple(sorted({*map(float, moments), 1.0}))
    wrong = document.get("wrong")
    if (COSTS in names) != (wrong is not None):
        mistakes.append(
            f"wrong: say what wrong answers cost, for the measure {COSTS!r}"
            if wrong is None
            else f"wrong: is for the measure {COSTS!r}, which is not among the measures"
        )
    if not names and "moments" in document:
        mistakes.append("moments: are for measures, and there are none")
    known = tuple(dict.fromkeys(each for each in names if each in NAMES))
    return Wanted(known, shares, wrong), mistakes


def _is_share(given: object) -> bool:
    return isinstance(given, int | float) and not isinstance(given, bool) and 0 < given <= 1


class Moments:
    """Watches a run, and measures when each moment has come: after the last purchase within it."""

    def __init__(self, wanted: Wanted, rehearsal: Rehearsal) -> None:
        problem = rehearsal.problem
        self._names = wanted.names
        self._validation = rehearsal.validation
        self._costs = wanted.costs(problem.labels) if COSTS in wanted.names else np.zeros((0, 0))
        whole = problem.terms.limit
        self._left = [Decimal(str(share)) * whole for share in wanted.moments]
        self._purchases = 0
        self._last: Classifier | None = None
        self._taken: dict[int, dict[str, float]] = {}
        self._begun, self._own = thread_time(), 0.0
        self._seconds = 0.0

    def __call__(self, spent: Decimal, predictor: Classifier) -> None:
        """Look at the classifier after a purchase."""
        came = thread_time()
        while len(self._left) > 1 and spent > self._left[0]:
            self._measure()
            self._left.pop(0)
        self._purchases, self._last = self._purchases + 1, predictor
        self._seconds = came - self._begun - self._own
        self._own += thread_time() - came

    def columns(self) -> dict[str, Floats]:
        """Return each measure after each purchase at a moment; NaN after all others."""
        self._measure()
        return {
            name: np.array([self._taken.get(at, {}).get(name, nan)
                            for at in range(1, self._purchases + 1)])
            for name in self._names
        }  # fmt: skip

    def _measure(self) -> None:
        if self._last is None or self._purchases in self._taken:
            return
        chances = probabilities(self._last, self._validation)
        masses = self._validation.masses
        self._taken[self._purchases] = {
            name: self._seconds
            if name == RUN_TIME
            else MEASURES[name](chances, masses, self._costs)
            for name in self._names
        }
