"""More than the 0/1 error: what the probabilities of a classifier are worth on validation cases.

All are means over the cases of a judge, which may have weights. They are the usual ones, as
scikit-learn has them:

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
from itertools import permutations

import numpy as np

from budgeted.learners.base import Classifier
from budgeted.learners.belief import Floats
from budgeted.learners.predictor import log_scores
from budgeted.simulation.judge import Validation

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
