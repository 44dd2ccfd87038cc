"""Where the values of all features stand when they are laid side by side.

Tables of parameters and counts have a row per label and a column per value, feature by feature.
Only learners and the engines of `budgeted.value` know which column is whose; everybody else asks
`budgeted.learners.belief.Belief`, or a predictor, for what is wanted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgeted.errors import ObservationError
from budgeted.problem import Problem

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Layout:
    """The columns of a problem's features.

    >>> from budgeted import Feature
    >>> problem = Problem([Feature("a", ("no", "yes"), 1), Feature("b", ("x", "y", "z"), 1)],
    ...                   ("well", "ill"), (0.5, 0.5), 9)
    >>> layout_of(problem).columns(1)
    slice(2, 5, None)
    """

    sizes: tuple[int, ...]
    offsets: tuple[int, ...]
    prior_counts: Floats

    @classmethod
    def of(cls, problem: Problem) -> Layout:
        """Return the layout of a problem; `layout_of` remembers it."""
        sizes = tuple(len(feature.values) for feature in problem.features)
        offsets = tuple(accumulate(sizes[:-1], initial=0))
        given = [feature.prior_counts for feature in problem.features]
        same = [each if isinstance(each, float) else 0.0 for each in given]  # for all its values
        counts = np.tile(np.repeat(same, sizes), (len(problem.labels), 1))
        for each, start, size in zip(given, offsets, sizes, strict=True):
            if not isinstance(each, float):
                counts[:, start : start + size] = each
        counts.setflags(write=False)
        return cls(sizes, offsets, counts)

    @property
    def shape(self) -> tuple[int, ...]:
        """Of a table: labels × values of all features."""
        return self.prior_counts.shape

    @cached_property
    def starts(self) -> Integers:
        """The offsets as an array."""
        return np.asarray(self.offsets)

    @cached_property
    def widths(self) -> Integers:
        """The sizes as an array."""
        return np.asarray(self.sizes)

    def columns(self, feature: int) -> slice:
        """Return where the values of a feature stand."""
        start = self.offsets[feature]
        return slice(start, start + self.sizes[feature])

    def bytes_of_each(self, table: Floats | Integers) -> list[bytes]:
        """Return the bytes of each feature's part of a table, labels × values of all features.

        Of features with as many values in one go: there may be a hundred thousand.

        >>> from budgeted import Feature, Problem
        >>> features = [Feature("a", ("no", "yes"), 1), Feature("b", ("x", "y", "z"), 1)]
        >>> layout = layout_of(Problem(features, ("well", "ill"), (0.5, 0.5), 9))
        >>> table = np.arange(10.0).reshape(2, 5)
        >>> layout.bytes_of_each(table) == [table[:, :2].tobytes(), table[:, 2:].tobytes()]
        True
        """
        found: list[bytes] = [b""] * len(self.sizes)
        for places, columns in self._alike:
            rows = np.ascontiguousarray(table[:, columns].swapaxes(0, 1))
            whole, step = rows.tobytes(), rows[0].nbytes
            for place, at in enumerate(places):
                found[at] = whole[place * step : (place + 1) * step]
        return found

    @cached_property
    def prior_bytes(self) -> list[bytes]:
        """The bytes of each feature's prior counts."""
        return self.bytes_of_each(self.prior_counts)

    @cached_property
    def _alike(self) -> list[tuple[list[int], Integers]]:
        """Features with as many values, and their columns, features × values."""
        found = []
        for size in sorted(set(self.sizes)):
            alike = np.flatnonzero(self.widths == size)
            found.append((alike.tolist(), self.starts[alike, None] + np.arange(size)))
        return found


def layout_of(problem: Problem) -> Layout:
    """Return the layout of a problem."""
    found: Layout | None = problem.__dict__.get("_layout")
    if found is None:
        found = Layout.of(problem)
        # On the problem itself, as a cached property would be: to look a problem with thousands of
        # features up in a dictionary takes longer than to make its layout anew.
        object.__setattr__(problem, "_layout", found)
    return found


def number_of_cases(problem: Problem) -> int:
    """Return how many different cases there are.

    >>> from budgeted import Feature
    >>> problem = Problem([Feature("a", ("no", "yes"), 1), Feature("b", ("x", "y", "z"), 1)],
    ...                   ("well", "ill"), (0.5, 0.5), 9)
    >>> number_of_cases(problem), every_case(problem)[-1].tolist()
    (6, [1, 2])
    """
    return math.prod(layout_of(problem).sizes)


def every_case(problem: Problem) -> Integers:
    """Return all different cases, as positions of their values, cases × features."""
    sizes = layout_of(problem).sizes
    return np.stack(np.unravel_index(np.arange(math.prod(sizes)), sizes), axis=1)


def by_feature(problem: Problem, parameters: Floats) -> list[Floats]:
    """Return a table of parameters feature by feature, each labels × its values."""
    return np.split(parameters, layout_of(problem).offsets[1:], axis=1)


def likelihoods(problem: Problem, parameters: Floats, cases: NDArray[np.integer[Any]]) -> Floats:
    """Return P(case | label) of cases known in full under a table of parameters, cases × labels."""
    columns = cases + layout_of(problem).starts
    result: Floats = parameters[:, columns].prod(axis=2).T
    return result


def checked_cases(problem: Problem, values: NDArray[np.integer[Any]]) -> NDArray[np.integer[Any]]:
    """Return cases known in part as an array, or raise an error if these are none."""
    values, features = np.asarray(values), len(problem.features)
    if values.ndim != 2 or values.shape[1] != features:
        raise ObservationError(
            f"cases: must be cases × {features} features, got {values.shape}; -1 is unknown"
        )
    if (values >= layout_of(problem).widths).any():
        raise ObservationError("cases: a value lies behind the last one of its feature")
    return values


def check_parameters(problem: Problem, parameters: Floats) -> str:
    """Return what is wrong with a table of parameters, in words; nothing if it is one."""
    shape = layout_of(problem).shape
    if parameters.shape == shape:
        sums = np.add.reduceat(parameters, layout_of(problem).offsets, axis=1)
        if (parameters >= 0).all() and np.allclose(sums, 1):
            return ""
    return (
        f"must be probabilities that sum to 1 for each feature, {shape[0]} labels × {shape[1]} "
        "values"
    )


def position_in(problem: Problem, feature: int, label: int, value: int) -> int:
    """Return where a value of a feature and label stands when all rows are laid end to end."""
    layout = layout_of(problem)
    return label * layout.shape[1] + layout.offsets[feature] + value
