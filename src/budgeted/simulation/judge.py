"""Judges: how often a classifier is wrong, on cases that no policy ever sees."""

from __future__ import annotations

from dataclasses import dataclass
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
    """Cases that a classifier is judged on; no policy ever sees them.

    Parameters
    ----------
    problem
        Gives the prior of the labels.
    values
        Positions of the values, cases × features; -1 where missing.
    masses
        Share of each case and label, cases × labels, summing to one: a table has 1/n at the label
        of each row; for the true error of a model it is P(x, label) of every x.
    """

    problem: Problem
    values: NDArray[np.integer[Any]]
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
    naive Bayes only features that changed are looked at again (`budgeted.learners.incremental`).
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
