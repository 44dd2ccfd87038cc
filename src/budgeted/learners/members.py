"""Naive Bayes models with weights, or one alone: the formula of the classifier."""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgeted.learners import dependence, members_file
from budgeted.learners.base import Cases
from budgeted.learners.formula import Formula
from budgeted.learners.incremental import Scores
from budgeted.learners.layout import Floats, Integers, checked_cases, layout_of
from budgeted.problem import Problem

_MOST_NUMBERS = 2**22
"""Of the largest temporary matrix."""


@dataclass(frozen=True, eq=False)
class Members:
    """Naive Bayes models with weights, and how much each feature counts in them.

    ::

        P(label | case) ∝ P(label) · Σ_n w_n Π_i P_n(value i | label)^v_i

    The product is over the known features of the case, and v_i is the weight of feature i if they
    may repeat each other (`budgeted.learners.dependence`).

    Attributes
    ----------
    problem
        What it is about.
    weights, members
        w, and P_n(value | label), members × labels × values.
    correlations
        Probability of each way and each of `dependence.CORRELATIONS`, ways × correlations.
    bought
        How many of each value were bought, labels × values.
    learner
        Name of the learner that made it.
    """

    problem: Problem
    weights: Floats
    members: Floats
    correlations: Floats
    bought: Integers
    learner: str

    @property
    def is_naive_bayes(self) -> bool:
        """Whether it is a single model in which every feature counts in full."""
        alone = len(self.members) == 1
        return alone and bool(
            self.correlations is dependence.INDEPENDENT or self.correlations[:, 0].sum() == 1
        )

    @cached_property
    def means(self) -> Floats:
        """P(value | label) on average over the members, labels × values."""
        result: Floats = np.einsum("n,nyk->yk", self.weights, self.members)
        return result

    @cached_property
    def log_members(self) -> Floats:
        """Logarithm of `members`."""
        result: Floats = np.log(self.members)
        return result

    @cached_property
    def sensitivities(self) -> Floats:
        """How well each feature tells the labels apart."""
        return dependence.sensitivities(self.problem, self.means)

    def feature_weights(self, known: NDArray[np.bool_]) -> Floats:
        """Return the weight of each feature for cases known in part, cases × features."""
        _, first, which = np.unique(
            np.packbits(known, axis=1), axis=0, return_index=True, return_inverse=True
        )
        found = dependence.expected_weights(known[first], self.sensitivities, self.correlations)
        return found[which.reshape(-1)]

    def log_scores(self, values: Cases) -> Floats:
        """Return log P(label, values) up to a constant of the case, cases × labels."""
        values = checked_cases(self.problem, values)
        tile = max(1, _MOST_NUMBERS // self.members.shape[2])
        parts = [self._said(values[at : at + tile]) for at in range(0, max(len(values), 1), tile)]
        return self.concluded(np.concatenate(parts, axis=1))

    def _said(self, values: Cases) -> Floats:
        """Log-likelihoods of cases by each member, members × cases × labels.

        A product of matrices: how much each value of a case counts, and what it says.
        """
        number, labels, columns = self.members.shape
        case, feature = np.nonzero(values >= 0)
        weights = self.feature_weights(values >= 0)[case, feature]
        there = np.zeros((len(values), columns))
        there[case, values[case, feature] + layout_of(self.problem).starts[feature]] = weights
        said = there @ self.log_members.reshape(number * labels, columns).T
        result: Floats = said.reshape(len(values), number, labels).swapaxes(0, 1)
        return result

    def concluded(self, said: Floats) -> Floats:
        """Return the scores of cases, given what each member says, members × cases × labels."""
        together = np.logaddexp.reduce(said + np.log(self.weights)[:, None, None], axis=0)
        result: Floats = np.log(self.problem.prior) + together
        return result

    def probabilities(self, values: Cases) -> Floats:
        """Return P(label | values), cases × labels."""
        scores = self.log_scores(values)
        result: Floats = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
        return result

    def log_scores_again(self, values: Cases, kept: MutableMapping[str, Any]) -> Floats:
        """Return `log_scores` of cases that other classifiers of the same run were asked about.

        Parameters
        ----------
        values
            The same each time.
        kept
            What earlier ones left there. Plain naive Bayes looks again only at features that
            changed; any other committee changes as a whole.
        """
        if not self.is_naive_bayes:
            return self.log_scores(values)
        if "scores" not in kept:
            kept["scores"] = Scores(self.problem, values)
        scores: Scores = kept["scores"]
        return scores.of(self.log_members[0])

    def shares(self, feature: int) -> Floats:
        """Return P(value | label) of a feature on average over the members, labels × values."""
        return self.means[:, layout_of(self.problem).columns(feature)]

    def formula(self) -> Formula:
        """Return how it computes, for formats that compute with it elsewhere."""
        features = range(len(self.problem.features))
        columns = [layout_of(self.problem).columns(at) for at in features]
        return Formula(
            self.problem.features,
            self.problem.labels,
            self.problem.prior,
            self.weights,
            tuple(self.log_members[:, :, at] for at in columns),
            self.sensitivities,
            dependence.possible(self.correlations),
        )

    def to_plain(self) -> dict[str, Any]:
        """Return what stands in a model file, with a formula that explains it."""
        return members_file.plain(self)
