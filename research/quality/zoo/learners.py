"""Who makes classifiers of purchases: the learners of the package, and what the default had before.

What the classifier before delivers is naive Bayes with the means of a belief and a weight for each
feature (`research.quality.former.guard`); it says nothing of its own error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from budgeted import learners
from budgeted.learners.belief import Belief, Floats
from budgeted.learners.layout import layout_of
from budgeted.learners.naive_bayes import counted
from budgeted.problem import Problem
from budgeted.problem.orders import Purchase
from research.quality.former.guard import Delivered, deliver

Predictor = Any
"""What is delivered: a `budgeted.learners.Predictor`, or something with ``log_scores(values)``."""


class Learner(Protocol):
    """Makes a predictor of what was bought."""

    @property
    def name(self) -> str:
        """What it is called in tables."""
        ...

    def fit(self, problem: Problem, purchases: Sequence[Purchase]) -> Predictor:
        """Return the predictor."""
        ...


@dataclass(frozen=True)
class Former:
    """The guarded classifier, which the default delivered before the hierarchical learner."""

    name: str = "former"

    def fit(self, problem: Problem, purchases: Sequence[Purchase]) -> Predictor:
        """Return the classifier of these purchases."""
        belief = Belief(problem, counted(problem, purchases).astype(np.int64))
        return _Weighted(deliver("guarded", belief, purchases))


@dataclass(frozen=True)
class _Weighted:
    delivered: Delivered

    def log_scores(self, values: NDArray[np.integer[Any]]) -> Floats:
        belief, weights = self.delivered
        trust = np.ones(values.shape[1]) if weights is None else weights
        known = (values >= 0) * trust
        columns = np.where(values >= 0, values + layout_of(belief.problem).starts, 0)
        said = np.stack([(row[columns] * known).sum(axis=1) for row in belief.log_means], axis=1)
        result: Floats = said + np.log(belief.problem.prior)
        return result


LEARNERS: Mapping[str, Learner] = {
    **{name: kind() for name, kind in learners.LEARNERS.items()},
    Former().name: Former(),
}
"""By name."""
