"""What the default learner and plain naive Bayes deliver: a committee of models, or one alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from budgeted.learners.layout import Floats
from budgeted.learners.members import Members
from budgeted.learners.posterior import Posterior
from budgeted.learners.prospect import spreads
from budgeted.learners.prospective import Prospective


@dataclass(frozen=True, eq=False)
class Committee(Members, Prospective):
    """Naive Bayes models with weights, and what is known that they were made from.

    Attributes
    ----------
    posterior
        What is known of the parameters.
    """

    posterior: Posterior

    @property
    def chances(self) -> Floats:
        """How probable each correlation of the features is."""
        result: Floats = self.correlations.sum(axis=0)
        return result

    @property
    def scatter(self) -> Floats:
        """By how much what the committee makes of each feature scatters within a label."""
        everything = np.ones((1, len(self.problem.features)), dtype=bool)
        result: Floats = spreads(self.problem, self.means) * self.feature_weights(everything)[0]
        return result
