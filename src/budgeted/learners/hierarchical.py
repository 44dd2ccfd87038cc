"""The hierarchical learner: how much can be believed of what a few values say?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from budgeted.learners import dependence
from budgeted.learners.base import Classifier
from budgeted.learners.belief import Floats
from budgeted.learners.committee import Committee
from budgeted.learners.members_reading import read_members
from budgeted.learners.naive_bayes import counted
from budgeted.learners.pooled import Pooled
from budgeted.problem import Problem
from budgeted.problem.orders import Purchase

_NEGLIGIBLE = 1e-3
"""Settings less probable than this are left out of the classifier."""


@dataclass(frozen=True)
class Hierarchical(Pooled):
    """Learns how many features matter, how strongly, and whether they repeat each other.

    The parameters of a feature are drawn towards shares that all labels have in common, the more so
    the less features turn out to tell the labels apart (`budgeted.learners.posterior`). What is
    delivered is the average over what remains possible: a committee of naive Bayes models, one for
    each setting of the posterior, weighted by its probability. Features count less the more they
    repeat each other (`budgeted.learners.dependence`)::

        P(label | case) ∝ P(label) · Σ_n w_n Π_i P_n(value i | label)^v_i

    Parameters
    ----------
    levels
        From weak to strong; see `budgeted.learners.strength`.
    evenness
        Dirichlet counts of the shares of values that all labels have in common.
    as_stated
        Of d features of which nothing is known, the probability, before anything is bought, that
        they are as the problem states (with their prior counts under each label and nothing in
        common) is as_stated/(d + as_stated): even odds with so many features.
    independence
        The correlation of features, ρ ~ Beta(1, independence).

    Examples
    --------
    >>> from budgeted import Feature, Problem, Purchase
    >>> features = [Feature(name, ("no", "yes"), 1) for name in ("a", "b", "c", "d")]
    >>> problem = Problem(features, ("well", "ill"), (0.6, 0.4), 100)
    >>> bought = [Purchase(0, label, label, 1) for label in (0, 1) for _ in range(10)]
    >>> predictor = Hierarchical().fit(problem, bought)
    >>> predictor.probabilities(np.array([[1, -1, -1, -1]])).round(2).tolist()
    [[0.06, 0.94]]
    >>> now = predictor.outlook()
    >>> now.low < now.error < now.high < 0.4
    True
    """

    name: ClassVar[str] = "hierarchical"

    def fit(self, problem: Problem, purchases: Sequence[Purchase]) -> Committee:
        """Return the committee that these purchases give."""
        bought = [each for each in purchases if each.value is not None]
        known = self.posterior(problem, counted(problem, bought))
        kept = np.flatnonzero(known.weights >= _NEGLIGIBLE)
        members = np.stack([known.of_setting(at) for at in kept.tolist()])
        weights = known.weights[kept] / known.weights[kept].sum()
        means: Floats = np.einsum("n,nyk->yk", weights, members)
        correlations = dependence.weigh(known, means, bought, self.independence)
        seen = known.counts.astype(np.int64)
        return Committee(problem, weights, members, correlations, seen, self.name, known)

    @classmethod
    def read(cls, problem: Problem, plain: Mapping[str, Any]) -> Classifier:
        """Return the classifier of a model file."""
        return read_members(problem, plain, cls.name)
