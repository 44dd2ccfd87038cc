"""Judges: how often a classifier is wrong, on cases that no policy ever sees.

Beside the 0/1 error there are other measures. All are means over the cases of a judge, which may
have weights. They are the usual ones, as scikit-learn has them:

- *log loss*: minus the logarithm of the probability of the true label;
- *Brier score*: the squared distance between the probabilities and the truth; of two labels, that
  of the one label (half the sum over both), of more the sum over all: Brier, *Verification of
  forecasts expressed in terms of probability*, Monthly Weather Review 78 (1950);
- *AUC*: how often a case of a label has a higher probability of it than a case of the other label,
  ties counting half; of more than two labels the mean over all pairs that occur, both ways: Hand
  and Till, *A simple generalisation of the area under the ROC curve*, Machine Learning 45 (2001);
- *cost of errors*: what answers cost if each is the one with the least expected cost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgeted.errors import WorldError
from budgeted.learners.base import Classifier
from budgeted.learners.belief import Floats
from budgeted.learners.layout import every_case, likelihoods, number_of_cases
from budgeted.learners.predictor import log_scores
from budgeted.problem import Problem
from budgeted.simulation.worlds import check_cases

_MOST_CASES = 2**22


@dataclass(frozen=True, eq=False)  # one is itself and no other, so that it can be a key
class Validation:
    """Cases that a classifier is judged on; no policy ever sees them."""

    problem: Problem  # gives the prior of the labels
    values: NDArray[np.integer[Any]]  # positions of the values, cases × features; -1 where missing
    masses: Floats

    @classmethod
    def of_table(
        cls,
        problem: Problem,
        values: NDArray[np.integer[Any]],
        labels: NDArray[np.integer[Any]],
    ) -> Validation:
        """Return the judge that counts errors on the rows of a table."""
        check_cases(problem, values, labels)
        masses = np.zeros((len(labels), len(problem.labels)))
        masses[np.arange(len(labels)), labels] = 1 / len(labels)
        return cls(problem, values, masses)

    @classmethod
    def of_model(cls, problem: Problem, parameters: Floats) -> Validation:
        """Return the judge that knows the model: the true error, over every x there is."""
        if number_of_cases(problem) > _MOST_CASES:
            raise WorldError(
                f"the true error needs {number_of_cases(problem):.3g} different cases, more than "
                f"{_MOST_CASES}; judge on a table of drawn cases instead"
            )
        values = every_case(problem)
        masses = likelihoods(problem, parameters, values) * np.asarray(problem.prior)
        return cls(problem, values, masses)

    def error(self, predictor: Classifier) -> float:
        """Return the 0/1 error of a classifier; where labels tie, it guesses."""
        return Judge(self).error(predictor)

    def confusion(self, predictor: Classifier) -> Floats:
        """Return the share of all cases that have one label and are said to have another.

        Labels × labels, the true one in the row; where labels tie, it guesses.
        """
        said = _guesses(log_scores(predictor, self.values))
        result: Floats = self.masses.T @ said
        return result


class Judge:
    """Judges one classifier after another on the same cases.

    What a classifier wants to keep for the next one that is judged here is kept for it: with plain
    naive Bayes only features that changed are looked at again (`budgeted.learners.members`).
    """

    def __init__(self, validation: Validation) -> None:
        self._values = validation.values
        # Label by label, as the scores are: what is done for each case is done for all at once.
        self._masses = np.asfortranarray(validation.masses)
        self._all = validation.masses.sum()
        self._kept: dict[str, Any] = {}

    def error(self, predictor: Classifier) -> float:
        """Return the 0/1 error of a classifier; where labels tie, it guesses."""
        tied = _tied(log_scores(predictor, self._values, self._kept))
        correct = (self._masses * tied).sum(axis=1)
        if np.count_nonzero(tied) > len(tied):
            correct /= tied.sum(axis=1)
        return max(0.0, float(self._all - correct.sum()))


def _tied(scores: Floats) -> NDArray[np.bool_]:
    """Which labels are the best of each case."""
    result: NDArray[np.bool_] = scores >= np.maximum.reduce(scores, axis=1, keepdims=True) - 1e-12
    return result


def _guesses(scores: Floats) -> Floats:
    """How often each label is said of each case: the best one, or any of those that tie."""
    tied = _tied(scores)
    result: Floats = tied / tied.sum(axis=1, keepdims=True)
    return result


LEAST = float(np.finfo(float).eps)
"""A probability counts as at least that: a single certain mistake would make all means infinite."""
Measure = Callable[[Floats, Floats, Floats], float]
"""Probabilities and masses, cases × labels, and costs, answers × labels → the measure."""


def probabilities(predictor: Classifier, validation: Validation) -> Floats:
    """Return the probability of each label of each case."""
    scores = log_scores(predictor, validation.values)
    found = np.exp(scores - scores.max(axis=1, keepdims=True))
    result: Floats = found / found.sum(axis=1, keepdims=True)
    return result


def log_loss(chances: Floats, masses: Floats, _: Floats) -> float:
    """Return the mean of minus the logarithm of the probability of the true label.

    >>> round(log_loss(np.array([[0.9, 0.1], [0.4, 0.6]]), np.eye(2) / 2, np.eye(2)), 4)
    0.3081
    """
    return float(-(masses * np.log(np.clip(chances, LEAST, 1 - LEAST))).sum() / masses.sum())


def brier(chances: Floats, masses: Floats, _: Floats) -> float:
    """Return the Brier score.

    >>> round(brier(np.array([[0.9, 0.1], [0.4, 0.6]]), np.eye(2) / 2, np.eye(2)), 4)
    0.085
    """
    labels = masses.shape[1]
    distances = [((chances - np.eye(labels)[at]) ** 2).sum(axis=1) for at in range(labels)]
    total = float((masses * np.stack(distances, axis=1)).sum() / masses.sum())
    return total / 2 if labels == 2 else total


def auc(chances: Floats, masses: Floats, _: Floats) -> float:
    """Return the area under the ROC curve, of the labels that occur; NaN if only one does.

    >>> auc(np.array([[0.9, 0.1], [0.4, 0.6], [0.3, 0.7]]),
    ...     np.array([[1, 0], [1, 0], [0, 1]]) / 3, np.eye(2))
    1.0
    """
    labels = np.flatnonzero(masses.sum(axis=0)).tolist()
    if len(labels) < 2:
        return float("nan")
    if masses.shape[1] == 2:
        return _above(chances[:, 1], masses[:, 1], masses[:, 0])
    pairs = [_above(chances[:, one], masses[:, one], masses[:, other])
             for one, other in permutations(labels, 2)]  # fmt: skip
    return float(np.mean(pairs))


def _above(scores: Floats, ours: Floats, others: Floats) -> float:
    """How often one of ours is above one of the others; ties count half."""
    values, at = np.unique(scores, return_inverse=True)
    our = np.bincount(at, ours, len(values))
    other = np.bincount(at, others, len(values))
    below = np.cumsum(other) - other
    return float((our * (below + other / 2)).sum() / (our.sum() * other.sum()))


def cost_of_errors(chances: Floats, masses: Floats, costs: Floats) -> float:
    """Return what answers cost on average; where several are expected to cost the same, the mean.

    >>> costs = np.array([[0.0, 10.0], [1.0, 0.0]])       # to miss the second label costs ten
    >>> cost_of_errors(np.array([[0.8, 0.2], [0.95, 0.05]]), np.array([[1, 0], [0, 1]]) / 2, costs)
    5.5
    """
    expected = chances @ costs.T
    best = expected <= expected.min(axis=1, keepdims=True) + 1e-12
    said = best / best.sum(axis=1, keepdims=True)
    return float((masses * (said @ costs)).sum() / masses.sum())


MEASURES: Mapping[str, Measure] = {
    "log loss": log_loss,
    "brier": brier,
    "auc": auc,
    "cost of errors": cost_of_errors,
}
"""By name."""
