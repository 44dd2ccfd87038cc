"""How wrong a predictor expects to be whose learner knows which models are still possible."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from budgeted.learners.base import Cases, Confusion, Outlook
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
from budgeted.problem import Problem
from budgeted.seeds import OUTLOOK, stream

_DRAWS = 400
"""Models, for an interval of shares."""


class Prospective(ABC):
    """A predictor that is judged under models that are still possible.

    These are drawn from what is known of the parameters, with a correlation of the features
    (`budgeted.learners.prospect`); the classifier may be any that has scores.
    """

    problem: Problem  # what it is about
    posterior: Posterior  # what is known of the parameters

    @property
    @abstractmethod
    def chances(self) -> Floats:
        """How probable each of `dependence.CORRELATIONS` is."""

    @property
    @abstractmethod
    def scatter(self) -> Floats:
        """By how much what the classifier makes of each feature scatters within a label."""

    @abstractmethod
    def log_scores(self, values: Cases) -> Floats:
        """Return log P(label, values) up to a constant of the case, cases × labels."""

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
        correlation = float(rng.choice(CORRELATIONS, p=self.chances))
        return ImaginedModel(self.problem, draw_model(self.posterior, rng), correlation)

    def outlook(self, models: int = MODELS) -> Outlook:
        """Return how wrong it expects to be on new cases known in full."""
        return prospect(self.posterior, self.chances, self.scatter, self.log_scores, models)

    def errors(self, models: int = MODELS) -> Floats:
        """Return its error under each of some possible models."""
        return possible_errors(self.posterior, self.chances, self.scatter, self.log_scores, models)

    def confusion(self, models: int = MODELS) -> Confusion:
        """Return how often it expects to say each label of the cases of each label."""
        return confusion(self.posterior, self.chances, self.scatter, self.log_scores, models)


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
