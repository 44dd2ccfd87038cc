"""What the learners of this package deliver: a committee of naive Bayes models, or one alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from budgeted.learners.base import Confusion, Outlook
from budgeted.learners.dependence import CORRELATIONS
from budgeted.learners.imagined import ImaginedModel
from budgeted.learners.layout import Floats, layout_of
from budgeted.learners.members import Members
from budgeted.learners.posterior import Posterior
from budgeted.learners.prospect import (
    CONFIDENCE,
    MODELS,
    confusion,
    draw_model,
    possible_errors,
    prospect,
    spreads,
)
from budgeted.seeds import OUTLOOK, stream

_DRAWS = 400
"""Models, for an interval of shares."""


@dataclass(frozen=True, eq=False)
class Committee(Members):
    """Naive Bayes models with weights, and what is known that they were made from.

    Attributes
    ----------
    posterior
        What is known of the parameters.
    """

    posterior: Posterior

    def share_intervals(self, feature: int) -> tuple[Floats, Floats]:
        """Return where nine of ten models have P(value | label), two tables of labels × values.

        Models are drawn from what is known, always the same ones.
        """
        columns, rng = layout_of(self.problem).columns(feature), stream(0, OUTLOOK)
        drawn = np.stack([draw_model(self.posterior, rng)[:, columns] for _ in range(_DRAWS)])
        low, high = np.quantile(drawn, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2], axis=0)
        return low, high

    def imagine(self, rng: np.random.Generator) -> ImaginedModel:
        """Draw a model that is still possible: parameters, and how features go together."""
        chances = self.correlations.sum(axis=0)
        correlation = float(rng.choice(CORRELATIONS, p=chances))
        return ImaginedModel(self.problem, draw_model(self.posterior, rng), correlation)

    def outlook(self, models: int = MODELS) -> Outlook:
        """Return how wrong the committee expects to be on new cases known in full.

        Parameters
        ----------
        models
            How many are drawn from what is known; fewer are faster, and the interval less sure.
        """
        return prospect(self.posterior, *self._dependence(), self.log_scores, models)

    def errors(self, models: int = MODELS) -> Floats:
        """Return the error of the committee under each of some possible models.

        Parameters
        ----------
        models
            As of `outlook`, with which it agrees.
        """
        return possible_errors(self.posterior, *self._dependence(), self.log_scores, models)

    def confusion(self, models: int = MODELS) -> Confusion:
        """Return how often the committee expects to say each label of the cases of each label.

        Parameters
        ----------
        models
            As of `outlook`, with which it agrees.
        """
        return confusion(self.posterior, *self._dependence(), self.log_scores, models)

    def _dependence(self) -> tuple[Floats, Floats]:
        """How probable each correlation of the features is, and how much what they say scatters."""
        everything = np.ones((1, len(self.problem.features)), dtype=bool)
        scatter = spreads(self.problem, self.means) * self.feature_weights(everything)[0]
        return self.correlations.sum(axis=0), scatter
