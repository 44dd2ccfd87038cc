"""A policy, a learner and a loss of one's own, found by name wherever this package is installed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from budgeted import Problem, Purchase, State
from budgeted.learners import Committee, NaiveBayes
from budgeted.loss import Loss
from budgeted.policies import Choice


@dataclass(frozen=True)
class Thrifty:
    """Buy the cheapest value there is; of those, one of the cell with the fewest."""

    name: ClassVar[str] = "thrifty"
    summary: ClassVar[str] = "the cheapest value, evenly over features and labels"

    def choose(self, state: State, rng: np.random.Generator) -> Choice | None:
        """Return a cell that costs least; the score is its price."""
        cells = state.affordable()
        if not cells:
            return None
        features = state.problem.features
        asked = [each.action for each in (*state.history, *state.pending)]
        scores = {cell: float(features[cell.feature].cost) for cell in cells}
        chosen = min(cells, key=lambda cell: (scores[cell], asked.count(cell)))
        price = features[chosen.feature].cost
        return Choice(chosen, scores, reason=f"nothing costs less than {price}")


@dataclass(frozen=True)
class Smoothed:
    """Naive Bayes with another prior count of every value than the problem states.

    Parameters
    ----------
    count
        Of every value under every label; ½ is Jeffreys' prior.
    """

    name: ClassVar[str] = "smoothed"
    count: float = 0.5

    def fit(self, problem: Problem, purchases: Sequence[Purchase]) -> Committee:
        """Return the classifier that these purchases give."""
        features = [replace(each, prior_counts=self.count) for each in problem.features]
        return NaiveBayes().fit(replace(problem, features=tuple(features)), purchases)


BHATTACHARYYA = Loss(
    "bhattacharyya",
    term=np.square,
    gather=np.add,
    finish=lambda total, squares: np.sqrt(np.maximum(total**2 - squares, 0) / 2),
    largest=lambda labels: float(np.sqrt((1 - 1 / labels) / 2)),
)
"""With two labels Σ √(P(x, 1) P(x, 2)), a bound on the error (Bhattacharyya, 1943)."""
