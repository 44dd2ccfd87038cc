"""Cases that were seen: how often the values of tests came together, label by label.

A model of this package says how frequent each value is among the cases of a label, one test at a
time. That two tests mean something only together it cannot say; a decision tree that was grown on
cases can. With cases whose label is known the active classifier can as well: what they make of what
the model says is told in `budgeted.diagnosis.shrinkage`. Cases of a label count by its share in the
population, and no case for more than one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from budgeted.errors import DiagnosisError, ModelError
from budgeted.listing import listed
from budgeted.problem import Feature

Floats = NDArray[np.float64]
Cases = NDArray[np.integer[Any]]
"""Positions of values, cases × features; -1 where one is unknown."""


class AskedModel(Protocol):
    """A classifier of cases that are known in part, by names and by positions."""

    @property
    def learner(self) -> str:
        """Name of the learner that made it."""
        ...

    @property
    def labels(self) -> tuple[str, ...]:
        """What is told apart."""
        ...

    @property
    def prior(self) -> tuple[float, ...]:
        """The share of each label where the cases come from."""
        ...

    @property
    def features(self) -> tuple[Feature, ...]:
        """What it can know of a case."""
        ...

    def feature(self, name: object) -> Feature:
        """Return a feature, or raise an error that names the nearest one."""
        ...

    def value(self, feature: Feature, value: object, force: bool = False) -> int:
        """Return the position of a value, or raise an error that names the nearest one."""
        ...

    def positions(self, case: Mapping[str, Any], force: bool = False) -> list[int]:
        """Return the position of each value of a case, -1 where it is unknown."""
        ...

    def probabilities(self, values: Cases) -> Floats:
        """Return P(label | values), cases × labels."""
        ...

    def shares(self, feature: Feature) -> Floats | None:
        """Return P(value | label) of a feature, labels × values; None if there are none."""
        ...


_ODD = np.int64(-7046029254386353131)
"""2^64 divided by the golden ratio, as a hash takes it: odd, so that no value is shifted out."""


@dataclass(frozen=True, eq=False)
class Seen:
    """The situations that cases were seen in, if some tests are known."""

    tests: tuple[int, ...]  # positions of the tests
    keys: NDArray[np.int64]
    rows: Cases
    cases: Floats
    weights: Floats
    which: NDArray[np.intp]
    places: NDArray[np.intp]

    def find(self, rows: Cases) -> NDArray[np.intp]:
        """Return the situation of each row, by its place; -1 where no case was seen."""
        if not len(self.keys):
            return np.full(len(rows), -1, dtype=np.intp)
        keys = _keys(rows, self.tests)
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[at] == keys, at, -1)

    def cases_like(self, rows: Cases) -> Floats:
        """Return how many cases are like each row, rows × labels."""
        if not len(self.keys):
            return np.zeros((len(rows), self.cases.shape[1]))
        at = self.find(rows)
        result: Floats = np.where((at >= 0)[:, None], self.cases[at], 0.0)
        return result


@dataclass(frozen=True, eq=False)
class Experience:
    """Cases with their labels, known in full or in part.

    Parameters
    ----------
    values
        Positions of values, cases × features; -1 where one is unknown.
    labels
        Position of the label of each case.
    kept
        What was learned from them, to be found again; nothing to give.

    Examples
    --------
    >>> experience = Experience(np.array([[0, 1], [0, 0], [1, 1]]), np.array([0, 0, 1]))
    >>> seen = experience.seen((0,), (0.5, 0.5))
    >>> seen.cases_like(np.array([[0, -1], [1, -1]])).tolist()  # a case of the first label: half
    [[1.0, 0.0], [0.0, 1.0]]
    """

    values: Cases
    labels: NDArray[np.integer[Any]]
    kept: dict[str, Any] = field(default_factory=dict, repr=False)

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

    def seen(self, tests: Sequence[int], prior: Sequence[float]) -> Seen:
        """Return the situations that there are if some tests are known, and their cases.

        Parameters
        ----------
        tests
            Positions of features; a case counts if all of them are known of it.
        prior
            The share of each label where new cases come from.
        """
        known = (self.values[:, list(tests)] >= 0).all(axis=1)
        values, labels = self.values[known], self.labels[known]
        weights = self._weights(labels, prior)
        keys, first, which = np.unique(_keys(values, tests), return_index=True, return_inverse=True)
        counts = np.zeros((len(keys), len(prior)))
        np.add.at(counts, (which, labels), weights[labels])
        return Seen(
            tuple(tests), keys, values[first], counts, weights, which, np.flatnonzero(known)
        )

    @staticmethod
    def _weights(labels: NDArray[np.integer[Any]], prior: Sequence[float]) -> Floats:
        """How much a case of each label counts among some.

        Whoever bought them chose the labels; a new case has its label by the prior.
        """
        each = np.bincount(labels, minlength=len(prior)).astype(float)
        if not each.all():
            return np.zeros(len(prior))  # of one label nothing is known: the model says it all
        shares = np.asarray(prior)
        result: Floats = (each / shares).min() * shares / each
        return result


def _keys(rows: Cases, tests: Sequence[int]) -> NDArray[np.int64]:
    """A number for each row, the same where the values of these tests are; a polynomial hash."""
    keys = np.zeros(len(rows), dtype=np.int64)
    for test in tests:
        keys = keys * _ODD + rows[:, test]
    return keys
