"""What becomes of purchases: a learner fits a predictor, and the predictor is judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from budgeted.belief import Belief, Floats
from budgeted.problem import Problem
from budgeted.purchase import Purchase


class Outlook(Protocol):
    """How wrong a predictor expects to be: a mean, and an interval that should hold 90 %."""

    @property
    def error(self) -> float:
        """The expected error."""
        ...

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        ...

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        ...


class Predictor(Protocol):
    """What is delivered. It may also have ``outlook()``, which gives an `Outlook`."""

    def log_scores(self, values: NDArray[np.integer[Any]]) -> Floats:
        """Return log P(label, values) up to a constant of the case, cases × labels.

        Values are positions, cases × features; -1 is unknown.
        """
        ...


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
class NaiveBayes:
    """Naive Bayes with the prior counts that the problem states, as the paper delivers it."""

    name: str = "naive"

    def fit(self, problem: Problem, purchases: Sequence[Purchase]) -> Predictor:
        """Return the classifier with the posterior means of these purchases."""
        observed = np.zeros(problem.prior_counts.shape, dtype=np.int64)
        for each in purchases:
            if each.value is not None:
                observed[each.label, problem.offsets[each.feature] + each.value] += 1
        return _Posterior(Belief(problem, observed))


@dataclass(frozen=True)
class _Posterior:
    belief: Belief

    def log_scores(self, values: NDArray[np.integer[Any]]) -> Floats:
        prior: Floats = np.log(np.asarray(self.belief.problem.prior))
        return self.belief.log_likelihoods(values) + prior


LEARNERS: Mapping[str, Learner] = {each.name: each for each in (NaiveBayes(),)}
"""By name."""
