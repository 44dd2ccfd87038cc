"""Scores of the same cases again and again, by naive Bayes classifiers that change little.

A purchase moves the parameters of one feature under one label. So of the scores of all cases only
those of that label change, each by the difference of two logarithms. With floats, such differences
would add up to a little more or less than the logarithms themselves do. Here logarithms are whole
multiples of a tiny unit, and whole numbers add up to the same in any order: whatever was bought,
corrected or withdrawn before, the scores are those of the classifier by itself, to the last bit.
"""

from __future__ import annotations

from math import ceil, log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgeted.learners.layout import Floats, layout_of
from budgeted.problem import Problem

_LOWEST = 745
"""No float above 0 has a logarithm below minus this."""


class Scores:
    """Log-probabilities of some cases and each label, as of the last classifier.

    Parameters
    ----------
    problem
        What they are cases of.
    cases
        Positions of their values, cases × features; -1 where one is unknown.

    Examples
    --------
    >>> from budgeted import Feature
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.5, 0.5), 9)
    >>> scores = Scores(problem, np.array([[0], [1], [-1]]))
    >>> for chances in ([[0.5, 0.5], [0.5, 0.5]], [[0.8, 0.2], [0.5, 0.5]]):
    ...     print(np.exp(scores.of(np.log(chances))).round(6).tolist())
    [[0.25, 0.25], [0.25, 0.25], [0.5, 0.5]]
    [[0.4, 0.25], [0.1, 0.25], [0.5, 0.5]]
    """

    def __init__(self, problem: Problem, cases: NDArray[np.integer[Any]]) -> None:
        layout = layout_of(problem)
        features, (labels, values) = len(layout.sizes), layout.shape
        self._units = 2.0 ** (62 - ceil(log2(_LOWEST * (1 + features))))  # so that all sums fit
        self._owners = np.repeat(np.arange(features), layout.widths)
        # Each feature's column for each case; where it is unknown the last one, which stays 0.
        self._columns = np.where(cases >= 0, cases + layout.starts, values).T.copy()
        self._before = np.zeros((labels, values + 1), dtype=np.int64)
        prior = (np.log(problem.prior) * self._units).astype(np.int64)
        self._sums = np.repeat(prior[:, None], len(cases), axis=1)
        self._scores = self._sums / self._units

    def of(self, logs: Floats) -> Floats:
        """Return log P(case, label), cases × labels, of a table of log P(value | label)."""
        now = np.zeros_like(self._before)
        np.multiply(logs, self._units, out=now[:, :-1], casting="unsafe")
        change, self._before = now - self._before, now
        label, column = np.nonzero(change)
        for at, feature in set(zip(label.tolist(), self._owners[column].tolist(), strict=True)):
            sums = self._sums[at]
            sums += change[at].take(self._columns[feature])
            np.divide(sums, self._units, out=self._scores[at])
        return self._scores.T
