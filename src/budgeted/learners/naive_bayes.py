"""Plain naive Bayes: every feature as the problem states it, as in the paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from budgeted.errors import ObservationError
from budgeted.learners.base import Classifier
from budgeted.learners.belief import Belief, Floats, Integers
from budgeted.learners.dependence import INDEPENDENT
from budgeted.learners.layout import layout_of
from budgeted.learners.members import read_members
from budgeted.learners.posterior import Posterior
from budgeted.learners.prospective import Committee
from budgeted.problem import Problem
from budgeted.problem.orders import Purchase

_ALONE: Floats = np.ones(1)
_ALONE.setflags(write=False)


@dataclass(frozen=True)
class NaiveBayes:
    """Takes what a few values say at its word, and features as independent.

    Its parameters are the means of the Dirichlet counts of each feature and label (Section 2.2 of
    Lizotte, Madani and Greiner, 2003).

    Examples
    --------
    >>> from budgeted import Feature, Problem
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.7, 0.3), 10)
    >>> predictor = NaiveBayes().fit(problem, [Purchase(0, 1, 1, cost=1)])
    >>> predictor.probabilities(np.array([[1]])).round(3).tolist()
    [[0.636, 0.364]]
    """

    name: ClassVar[str] = "naive-bayes"

    def fit(self, problem: Problem, purchases: Sequence[Purchase]) -> Committee:
        """Return the classifier that these purchases give."""
        return naive_bayes(problem, counted(problem, purchases))

    def of_belief(self, belief: Belief) -> Committee:
        """Return the classifier that the values give which a belief has seen."""
        return of_belief(belief)

    @classmethod
    def read(cls, problem: Problem, plain: Mapping[str, Any]) -> Classifier:
        """Return the classifier of a model file."""
        return read_members(problem, plain, cls.name)


def counted(problem: Problem, purchases: Sequence[Purchase]) -> Floats:
    """Return how often each value was bought, labels × values."""
    counts = np.zeros(layout_of(problem).shape)
    cells = [(each.feature, each.label, each.value) for each in purchases if each.value is not None]
    if cells:
        table = np.array(cells)
        if table.dtype.kind not in "iu":
            raise ObservationError(
                "purchases: features, labels and values must be positions; "
                "`State.after` turns names into them"
            )
        feature, label, value = table.T
        _check(problem, feature, label, value)
        np.add.at(counts, (label, layout_of(problem).starts[feature] + value), 1.0)
    return counts


def _check(problem: Problem, feature: Integers, label: Integers, value: Integers) -> None:
    """Raise an error unless these are positions of the problem."""
    inside = (feature >= 0) & (feature < len(problem.features))
    inside &= (label >= 0) & (label < len(problem.labels)) & (value >= 0)
    if inside.all():
        inside = value < layout_of(problem).widths[feature]
    if not inside.all():
        at = int(np.argmin(inside))
        raise ObservationError(
            f"purchases: feature {feature[at]}, label {label[at]}, value {value[at]} are no "
            f"positions of this problem"
        )


def naive_bayes(problem: Problem, counts: Floats) -> Committee:
    """Return the classifier that these counts give: a committee of one."""
    (labels, values), features, alone = counts.shape, len(problem.features), _ALONE
    known = Posterior(
        problem,
        counts,
        alone,
        np.empty((0, features, 1)),
        np.empty((0, 1, labels, values)),
        np.empty((0, 1, values)),
        np.empty((1, values)),
        np.arange(features),
    )
    bought = counts.astype(np.int64)
    members = known.as_stated[None]
    return Committee(problem, alone, members, INDEPENDENT, bought, NaiveBayes.name, known)


def of_belief(belief: Belief) -> Committee:
    """Return the classifier that the counts of a belief give."""
    return naive_bayes(belief.problem, belief.observed.astype(float))
