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

    def of_problem(self, problem: Problem) -> Validation:
        """Return the judge of the same cases for a problem that has grown since, or not yet.

        Of a feature that is new nothing is known; a value that there is not yet is not known.

        Parameters
        ----------
        problem
            Its first features are those of this one, in their sequence, or the other way round;
            the shorter list of values of each begins the longer one.

        Examples
        --------
        >>> from budgeted import Feature
        >>> fever, cough = Feature("fever", ("no", "yes"), 1), Feature("cough", ("no", "yes"), 1)
        >>> before = Problem([fever], ("well", "ill"), (0.5, 0.5), 9)
        >>> judge = Validation.of_table(before, np.array([[1]]), np.array([0]))
        >>> after = Problem([fever, cough], ("well", "ill"), (0.5, 0.5), 9)
        >>> judge.of_problem(after).values.tolist()
        [[1, -1]]
        """
        if problem.features == self.problem.features:
            return self
        sizes = np.array([len(each.values) for each in problem.features])
        values = np.full((len(self.values), len(sizes)), -1, dtype=np.int64)
        shared = min(len(sizes), self.values.shape[1])
        values[:, :shared] = self.values[:, :shared]
        values[values >= sizes] = -1
        return Validation(problem, values, self.masses)

    def error(self, predictor: Classifier) -> float:
        """Return the 0/1 error of a classifier; where labels tie, it guesses."""
        return Judge(self).error(predictor)


class Judge:
    """Judges one classifier after another on the same cases.

    What a classifier wants to keep for the next one that is judged here is kept for it: with plain
    naive Bayes only features that changed are looked at again (`budgeted.learners.incremental`).
    """

    def __init__(self, validation: Validation) -> None:
        self._validation = validation
        self._kept: dict[str, Any] = {}

    def error(self, predictor: Classifier) -> float:
        """Return the 0/1 error of a classifier; where labels tie, it guesses."""
        scores = log_scores(predictor, self._validation.values, self._kept)
        tied = scores >= scores.max(axis=1, keepdims=True) - 1e-12
        masses = self._validation.masses
        correct = (masses * tied).sum(axis=1) / tied.sum(axis=1)
        return max(0.0, float(masses.sum() - correct.sum()))
