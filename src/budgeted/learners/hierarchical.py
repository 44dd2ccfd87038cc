"""The hierarchical learner: how much can be believed of what a few values say?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from budgeted.errors import LearnerError
from budgeted.learners import dependence
from budgeted.learners.base import Classifier
from budgeted.learners.belief import Belief, Floats
from budgeted.learners.dependence import weigh
from budgeted.learners.members import read_members
from budgeted.learners.naive_bayes import counted
from budgeted.learners.posterior import Posterior, posterior
from budgeted.learners.prospective import Committee
from budgeted.problem import Problem
from budgeted.problem.orders import Purchase


@dataclass(frozen=True)
class Pooled:
    """The parameters of features are drawn towards shares that all labels have in common.

    The more so the less all features turn out to tell the labels apart
    (`budgeted.learners.posterior`).
    """

    levels: tuple[float, ...] = (16.0, 4.0, 1.0, 0.25)
    evenness: tuple[float, ...] = (1.0, 5.0)
    as_stated: float = 3.0
    independence: float = 6.0  # the correlation of features, ρ ~ Beta(1, independence)

    def __post_init__(self) -> None:
        check_numbers("levels", self.levels, least=2)
        check_numbers("evenness", self.evenness)
        check_positive("as_stated", self.as_stated)
        check_positive("independence", self.independence)

    def posterior(self, problem: Problem, counts: Floats) -> Posterior:
        """Return what counts, labels × values, say of the parameters of all features."""
        return posterior(problem, counts, self.evenness, self.levels, self.as_stated)

    def believed(self, belief: Belief) -> Posterior:
        """Return what the values that a belief has seen say of the parameters."""
        return self.posterior(belief.problem, belief.observed.astype(float))


def correlations(made_by: Pooled, known: Posterior, bought: Sequence[Purchase]) -> Floats:
    """Return how probable each correlation of the features is after these purchases."""
    result: Floats = weigh(known, known.expected, bought, made_by.independence).sum(axis=0)
    return result


def check_numbers(name: str, numbers: object, least: int = 1) -> None:
    """Raise an error unless a parameter has at least so many numbers above 0."""
    fits = isinstance(numbers, tuple) and len(numbers) >= least and all(map(_is_positive, numbers))
    if not fits:
        raise LearnerError(
            f"{name}: must be at least {least} number{'s' * (least > 1)} above 0, got {numbers!r}"
        )


def check_positive(name: str, number: object) -> None:
    """Raise an error unless a parameter is a number above 0."""
    if not _is_positive(number):
        raise LearnerError(f"{name}: must be a number above 0, got {number!r}")


def _is_positive(number: object) -> bool:
    real = isinstance(number, int | float) and not isinstance(number, bool)
    return real and 0 < number < float("inf")  # type: ignore[operator]


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
