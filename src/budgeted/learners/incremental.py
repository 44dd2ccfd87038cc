"""Scores of the same cases again and again, by naive Bayes classifiers that change little.

A purchase moves the parameters of one feature, so of the log-likelihoods of all cases only that
feature's part is computed anew. Adding the parts up in their order each time keeps the result the
same to the last bit as scoring by each classifier by itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgeted.learners.layout import Floats, layout_of
from budgeted.problem import Problem


class Parts:
    """What each feature says of some cases, as of the last classifier.

    Parameters
    ----------
    problem
        What they are cases of.
    cases
        Positions of their values, cases × features; -1 where one is unknown.
    """

    def __init__(self, problem: Problem, cases: NDArray[np.integer[Any]]) -> None:
        self._layout = layout_of(problem)
        self._columns = cases + self._layout.starts
        self._known = cases >= 0
        self._before: Floats | None = None
        self._parts = np.empty((len(problem.features), len(cases), len(problem.labels)))

    def said(self, logs: Floats) -> Floats:
        """Return log P(case | label), cases × labels, of a table of log P(value | label)."""
        before, self._before = self._before, logs
        for feature in range(len(self._parts)):
            columns = self._layout.columns(feature)
            if before is None or (before[:, columns] != logs[:, columns]).any():
                known = self._known[:, feature]
                where = np.where(known, self._columns[:, feature], 0)
                self._parts[feature] = (logs[:, where] * known).T
        result: Floats = self._parts.sum(axis=0)
        return result
