"""What learners deliver: a committee of naive Bayes models, or one alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgeted.belief import Floats
from budgeted.errors import ObservationError
from budgeted.learners import dependence
from budgeted.learners.base import Outlook
from budgeted.learners.posterior import Posterior
from budgeted.learners.prospect import MODELS, prospect
from budgeted.problem import Problem

_MOST_NUMBERS = 2**22
"""Of the largest temporary matrix."""


@dataclass(frozen=True, eq=False)
class Committee:
    """Naive Bayes models with weights, and how much is to be made of what they say together.

    ::

        P(label | case) ∝ P(label) · [Σ_n w_n Π_i P_n(value i | label)]^λ

    The product is over the known features of the case, and λ is what their sum is worth if features
    may repeat each other (`budgeted.learners.dependence`); with one known feature it is 1.

    Attributes
    ----------
    posterior
        What is known of the parameters.
    weights, members
        w, and P_n(value | label), members × labels × values.
    correlations
        Probability of each of `dependence.CORRELATIONS`.
    """

    posterior: Posterior
    weights: Floats
    members: Floats
    correlations: Floats

    @property
    def problem(self) -> Problem:
        """What it is about."""
        return self.posterior.problem

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
    def spreads(self) -> Floats:
        """How much what each feature says of a case scatters within a label."""
        return dependence.spreads(self.problem, self.means)

    def log_scores(self, values: NDArray[np.integer[Any]]) -> Floats:
        """Return log P(label, values) up to a constant of the case, cases × labels."""
        values, features = np.asarray(values), len(self.problem.features)
        if values.ndim != 2 or values.shape[1] != features:
            raise ObservationError(
                f"cases: must be cases × {features} features, got {values.shape}; -1 is unknown"
            )
        if (values >= np.asarray(self.problem.sizes)).any():
            raise ObservationError("cases: a value lies behind the last one of its feature")
        known = values >= 0
        tile = max(1, _MOST_NUMBERS // self.members.shape[2])
        parts = [self._said(values[at : at + tile]) for at in range(0, max(len(values), 1), tile)]
        said = np.concatenate(parts, axis=1)
        return self.concluded(said, known)

    def _said(self, values: NDArray[np.integer[Any]]) -> Floats:
        """Log-likelihoods of cases by each member, members × cases × labels.

        A product of matrices: which values a case has, and what each of them says.
        """
        number, labels, columns = self.members.shape
        case, feature = np.nonzero(values >= 0)
        there = np.zeros((len(values), columns))
        there[case, values[case, feature] + np.asarray(self.problem.offsets)[feature]] = 1.0
        said = there @ self.log_members.reshape(number * labels, columns).T
        result: Floats = said.reshape(len(values), number, labels).swapaxes(0, 1)
        return result

    def concluded(self, said: Floats, known: NDArray[np.bool_]) -> Floats:
        """Return the scores of cases, given what each member says of them.

        Parameters
        ----------
        said
            Log-likelihoods, members × cases × labels.
        known
            Which values of the cases are known, cases × features.
        """
        together = np.logaddexp.reduce(said + np.log(self.weights)[:, None, None], axis=0)
        result: Floats = np.log(self.problem.prior) + self.worth(known)[:, None] * together
        return result

    def worth(self, known: NDArray[np.bool_]) -> Floats:
        """Return λ for each case: what the sum of its known features is worth, from 0 to 1."""
        if self.correlations[0] == 1:
            return np.ones(len(known))
        number = dependence.effective(known, self.spreads)
        distinct, which = np.unique(number, return_inverse=True)
        result: Floats = (self.correlations @ dependence.worth(distinct))[which]
        return result

    def probabilities(self, values: NDArray[np.integer[Any]]) -> Floats:
        """Return P(label | values), cases × labels."""
        scores = self.log_scores(values)
        result: Floats = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
        return result

    def outlook(self, models: int = MODELS) -> Outlook:
        """Return how wrong the committee expects to be on new cases known in full.

        Parameters
        ----------
        models
            How many are drawn from what is known; fewer are faster, and the interval less sure.
        """
        return prospect(self.posterior, self.correlations, self.spreads, self.log_scores, models)
