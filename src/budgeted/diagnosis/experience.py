r"""Cases that were seen: how the values of tests go together, where a model does not know it.

A model of this package says how frequent each value is among the cases of a label, one test at a
time. That two tests repeat each other, or mean something only together, it cannot say; a decision
tree that was grown on cases can. With cases whose label is known the active classifier can as well:
what the model says of a situation x counts as much as `STRENGTH` cases, and each case that is like
x counts as one,

    P(label | x)  =  (n(x, label) + m · model's P(label | x)) / (n(x) + m),

and the next value of a test likewise. It is the m-estimate of Cestnik (*Estimating probabilities: a
crucial task in machine learning*, ECAI 1990), with a classifier in place of the shares of the
labels. Cases of a label count by its share in the population, and no case for more than one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgeted.diagnosis.asked import AskedModel, Cases, Floats
from budgeted.errors import DiagnosisError, ModelError
from budgeted.listing import listed

STRENGTH = 20.0
"""The model counts as much as so many cases."""


@dataclass(frozen=True, eq=False)
class Experience:
    """Cases with their labels, known in full or in part.

    Parameters
    ----------
    values
        Positions of values, cases × features; -1 where one is unknown.
    labels
        Position of the label of each case.

    Examples
    --------
    >>> seen = Experience(np.array([[0, 1], [0, 0], [1, 1]]), np.array([0, 0, 1]))
    >>> seen.seen_in((0, -1), [(1,)], (2, 2), (0.5, 0.5))[0].tolist()  # value × label
    [[0.5, 0.0], [0.5, 0.0]]
    """

    values: Cases
    labels: NDArray[np.integer[Any]]

    @classmethod
    def of(
        cls, model: AskedModel, cases: Iterable[Mapping[str, Any]], labels: Iterable[str]
    ) -> Experience:
        """Return cases that are given by names; what is wrong is said for all of them at once."""
        rows, places, mistakes = [], [], []
        where = {label: at for at, label in enumerate(model.labels)}
        for number, (case, label) in enumerate(zip(cases, labels, strict=True), start=1):
            try:
                rows.append(model.positions(case))
            except ModelError as error:
                mistakes.append(f"case {number}: {error}")
            if label in where:
                places.append(where[label])
            else:
                mistakes.append(
                    f"case {number}: there is no label {label!r}; there are {listed(where)}"
                )
        if mistakes:
            raise DiagnosisError(mistakes)
        shape = (len(rows), len(model.features))
        return cls(np.array(rows, dtype=np.int64).reshape(shape), np.array(places, dtype=np.int64))

    def seen_in(
        self,
        row: Sequence[int],
        sets: Sequence[Sequence[int]],
        sizes: Sequence[int],
        prior: Sequence[float],
    ) -> list[Floats]:
        """Return how many cases are in each situation, an axis per test and one for labels.

        Parameters
        ----------
        row
            What is known, by position.
        sets
            Positions of features that are known besides; a table for each set.
        sizes
            How many values each feature has.
        prior
            The share of each label where new cases come from.
        """
        given = [at for at, value in enumerate(row) if value >= 0]
        like = (self.values[:, given] == [row[at] for at in given]).all(axis=1)
        values, labels, number = self.values[like], self.labels[like], len(prior)
        found: list[Floats] = []
        for tests in sets:
            weights = self._weights([*given, *tests], prior)
            place = np.zeros(len(values), dtype=np.int64)
            there = np.ones(len(values), dtype=bool)
            for test in tests:
                place = place * sizes[test] + values[:, test]
                there &= values[:, test] >= 0
            shape = tuple(sizes[test] for test in tests)
            cells = (place * number + labels)[there]
            sums = np.bincount(cells, weights[labels[there]], int(np.prod(shape)) * number)
            found.append(sums.astype(float).reshape(*shape, number))
        return found

    def _weights(self, tests: Sequence[int], prior: Sequence[float]) -> Floats:
        """How much a case of each label counts among those of which these tests are known.

        Whoever bought them chose the labels; a new case has its label by the prior.
        """
        each = self._totals
        if not self._complete:
            known = (self.values[:, list(tests)] >= 0).all(axis=1)
            each = np.bincount(self.labels[known], minlength=len(prior)).astype(float)
        each = np.pad(each, (0, len(prior) - len(each)))
        if not each.all():
            return np.zeros(len(prior))  # of one label nothing is known: the model says it all
        shares = np.asarray(prior)
        result: Floats = (each / shares).min() * shares / each
        return result

    @cached_property
    def _complete(self) -> bool:
        return bool((self.values >= 0).all())

    @cached_property
    def _totals(self) -> Floats:
        return np.bincount(self.labels).astype(float)
