"""Tree-augmented naive Bayes on cases known in part: features that repeat each other are joined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from budgeted.learners.base import Classifier
from budgeted.learners.forest import forest
from budgeted.learners.joined import JoinedShares, read_joined
from budgeted.learners.layout import Floats
from budgeted.learners.naive_bayes import counted
from budgeted.learners.pooled import Pooled, check_numbers, correlations
from budgeted.learners.posterior import Posterior
from budgeted.learners.prospect import spreads
from budgeted.learners.prospective import Prospective
from budgeted.problem import Problem
from budgeted.problem.orders import Purchase


@dataclass(frozen=True)
class TreeAugmented(Pooled):
    """Joins pairs of features of which the bought cases say that they go together.

    ::

        P(case | label) = Π_i P(value i | label) · Π over edges (i, j)
                          P(value i, value j | label) / (P(value i | label) P(value j | label))

    The edges make a forest, so that what is not known of a case is summed out exactly. A feature
    that repeats another one then adds nothing to it (Friedman, Geiger and Goldszmidt, *Bayesian
    network classifiers*, Machine Learning 29, 1997; the paper's Section 5.1).

    - P(value | label) are the shares that the hierarchical learner believes, of all values that
      were bought, alone or not.
    - Pairs are joined by the cases on which both values were bought
      (`budgeted.learners.forest`). Without such cases, as with the case rule ``fresh``, and with
      few of them, there are no edges: it takes some twenty of each label to see a copy.

    Parameters
    ----------
    levels, evenness, as_stated, independence
        As of `budgeted.learners.Hierarchical`.
    strengths
        How many cases it may count, for each label, that a pair is independent.

    Examples
    --------
    A copy adds nothing, and stands in where the other is not known:

    >>> import numpy as np
    >>> from budgeted import Feature, Problem, Purchase
    >>> features = [Feature(name, ("no", "yes"), 1) for name in ("a", "b")]
    >>> problem = Problem(features, ("well", "ill"), (0.5, 0.5), 100)
    >>> bought = [Purchase(at, case % 2, (case + (case % 5 == 0)) % 2, 1, case=case)
    ...           for case in range(60) for at in range(2)]
    >>> predictor = TreeAugmented().fit(problem, bought)
    >>> predictor.probabilities(np.array([[1, 1], [1, -1], [-1, 1]]))[:, 1].round(2).tolist()
    [0.79, 0.78, 0.78]
    """

    name: ClassVar[str] = "tree-augmented"

    strengths: tuple[float, ...] = (1.0, 4.0, 16.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_numbers("strengths", self.strengths)

    def fit(self, problem: Problem, purchases: Sequence[Purchase]) -> Augmented:
        """Return the classifier that these purchases give."""
        bought = tuple(each for each in purchases if each.value is not None)
        known = self.posterior(problem, counted(problem, bought))
        edges = forest(problem, bought, known.expected, self.strengths)
        return Augmented(problem, known.expected, tuple(edges), self.name, self, known, bought)

    @classmethod
    def read(cls, problem: Problem, plain: Mapping[str, Any]) -> Classifier:
        """Return the classifier of a model file."""
        return read_joined(problem, plain, cls.name)


@dataclass(frozen=True, eq=False)
class Augmented(JoinedShares, Prospective):
    """The classifier, and what it was made of."""

    made_by: TreeAugmented
    posterior: Posterior
    bought: tuple[Purchase, ...]

    @cached_property
    def chances(self) -> Floats:
        """How probable each correlation of the features is."""
        return correlations(self.made_by, self.posterior, self.bought)

    @property
    def scatter(self) -> Floats:
        """By how much what it makes of each feature scatters within a label."""
        result: Floats = spreads(self.problem, self.posterior.expected)
        return result
