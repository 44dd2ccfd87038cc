"""Judges: how often a classifier is wrong, on cases that no policy ever sees."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgeted.belief import Floats
from budgeted.errors import WorldError
from budgeted.learners import Committee
from budgeted.problem import Problem
from budgeted.worlds import check_cases

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
        if math.prod(problem.sizes) > _MOST_CASES:
            raise WorldError(
                f"the true error needs {math.prod(problem.sizes):.3g} different cases, more than "
                f"{_MOST_CASES}; judge on a table of drawn cases instead"
            )
        values = np.stack(
            np.unravel_index(np.arange(np.prod(problem.sizes)), problem.sizes), axis=1
        )
        columns = values + np.asarray(problem.offsets)
        likelihoods = parameters[:, columns].prod(axis=2).T
        return cls(problem, values, likelihoods * np.asarray(problem.prior))

    def error(self, predictor: Committee) -> float:
        """Return the 0/1 error of a classifier; where labels tie, it guesses."""
        return Judge(self).error(predictor)


class Judge:
    """Judges one classifier after another, and looks again only at features that changed.

    With plain naive Bayes a purchase moves the parameters of one feature, so of the log-likelihoods
    of all validation cases only that feature's part is computed anew. Adding the parts up in their
    order each time keeps the result the same to the last bit as judging each one by itself. Any
    other committee changes as a whole, and is judged as a whole.
    """

    def __init__(self, validation: Validation) -> None:
        self._validation = validation
        self._columns = validation.values + np.asarray(validation.problem.offsets)
        self._known = validation.values >= 0
        self._before: Floats | None = None
        self._parts = np.empty((len(validation.problem.features), *validation.masses.shape))

    def error(self, predictor: Committee) -> float:
        """Return the 0/1 error of a classifier; where labels tie, it guesses."""
        if predictor.is_naive_bayes:
            scores = self._of_one(predictor)
        else:
            scores = predictor.log_scores(self._validation.values)
        tied = scores >= scores.max(axis=1, keepdims=True) - 1e-12
        masses = self._validation.masses
        correct = (masses * tied).sum(axis=1) / tied.sum(axis=1)
        return max(0.0, float(masses.sum() - correct.sum()))

    def _of_one(self, predictor: Committee) -> Floats:
        """Scores of naive Bayes, with what is known from the last time."""
        problem, logs = predictor.problem, predictor.log_members[0]
        before, self._before = self._before, logs
        for feature, (start, size) in enumerate(zip(problem.offsets, problem.sizes, strict=True)):
            columns = slice(start, start + size)
            if before is None or (before[:, columns] != logs[:, columns]).any():
                known = self._known[:, feature]
                where = np.where(known, self._columns[:, feature], 0)
                self._parts[feature] = (logs[:, where] * known).T
        return predictor.concluded(self._parts.sum(axis=0)[None])
