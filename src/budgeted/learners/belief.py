"""What is known of the model: independent Dirichlet counts, a set per feature and label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from budgeted.errors import ObservationError
from budgeted.learners.layout import Layout, layout_of
from budgeted.problem import Problem, position_of

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


DIRICHLET = "independent Dirichlet counts"
"""The form in which a plain belief knows something: each cell by itself."""
MOST_OBSERVED = 2**53
"""Up to here every whole number is a float."""


@dataclass(frozen=True, eq=False)
class Belief:
    r"""Dirichlet counts of every cell; immutable, each change gives a new belief.

    The parameters :math:`\theta_{ij\cdot}` of feature *i* among cases of label *j* are
    Dirichlet(:math:`\alpha_{ij1}, …, \alpha_{ijr}`), where :math:`\alpha` is the prior count plus
    how often each value was seen (Section 2.2 of Lizotte, Madani and Greiner, 2003). The whole
    numbers of observations are kept apart from the prior counts, so that `retract` undoes
    `observe` to the last bit.

    Arrays have a row per label; the values of all features stand side by side in the columns,
    feature *i* in ``columns(i)``.

    Parameters
    ----------
    problem
        What the counts are about.
    observed
        How often each value was seen, labels × values.

    Examples
    --------
    >>> from budgeted import Feature, Problem
    >>> problem = Problem(features=[Feature("fever", ("no", "yes"), cost="1.50")],
    ...                   labels=("well", "ill"), prior=(0.7, 0.3), budget=500)
    >>> belief = Belief.prior(problem).observe("fever", "ill", "yes")
    >>> belief.mean("fever")[1].tolist()
    [0.3333333333333333, 0.6666666666666666]
    >>> [round(p, 3) for p in belief.posterior({"fever": "yes"}).tolist()]
    [0.636, 0.364]
    """

    problem: Problem
    observed: Integers

    form: ClassVar[str] = DIRICHLET
    """What engines compute with. A subclass with `means` of its own has something in common between
    cells, unless it says otherwise."""

    def __init_subclass__(cls) -> None:
        if "means" in cls.__dict__ and "form" not in cls.__dict__:
            cls.form = f"what {cls.__name__} knows"

    def __post_init__(self) -> None:
        shape = self.layout.shape
        try:
            observed = np.array(self.observed)  # a copy: nobody else holds what is frozen
        except ValueError:
            observed = np.empty(0, dtype=np.int64)
        whole = observed.shape == shape and observed.dtype.kind in "iu"
        if not whole or (observed < 0).any() or (observed > MOST_OBSERVED).any():
            raise ObservationError(
                f"observed: must be whole numbers from 0 to {MOST_OBSERVED} in {shape[0]} rows "
                f"(labels) of {shape[1]} (values of all features), got an array of "
                f"{observed.dtype}, {observed.shape}"
            )
        observed = observed.astype(np.int64, copy=False)
        observed.setflags(write=False)
        object.__setattr__(self, "observed", observed)

    @classmethod
    def prior(cls, problem: Problem) -> Self:
        """Return the belief before anything was bought."""
        return cls(problem, np.zeros(layout_of(problem).shape, dtype=np.int64))

    @classmethod
    def of_cases(
        cls, problem: Problem, values: NDArray[np.integer[Any]], labels: NDArray[np.integer[Any]]
    ) -> Self:
        """Return the belief after all values of these cases were seen.

        Parameters
        ----------
        problem
            What they are cases of.
        values, labels
            Positions of the values, cases × features, -1 where one is missing; and of the labels.
        """
        layout = layout_of(problem)
        places = labels[:, None] * layout.shape[1] + layout.starts + values
        times = np.bincount(places[values >= 0], minlength=layout.prior_counts.size)
        return cls(problem, times.reshape(layout.shape))

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return self._same(other)

    def _same(self, other: Belief) -> bool:
        return self.problem == other.problem and np.array_equal(self.observed, other.observed)

    def __reduce__(self) -> tuple[type[Belief], tuple[Problem, Integers]]:
        return type(self), (self.problem, self.observed)  # sent to a worker, it stays read-only

    def __repr__(self) -> str:
        sizes = f"{len(self.problem.features)} features, {len(self.problem.labels)} labels"
        return f"{type(self).__name__}({sizes}, {self.total} observations)"

    def __hash__(self) -> int:
        return hash((self.problem, self.observed.tobytes()))

    @property
    def layout(self) -> Layout:
        """Which columns are whose."""
        return layout_of(self.problem)

    @cached_property
    def alpha(self) -> Floats:
        """Prior counts, labels × values."""
        return self.layout.prior_counts

    @cached_property
    def counts(self) -> Floats:
        """All Dirichlet counts, labels × values."""
        return _frozen(self.alpha + self.observed)

    @cached_property
    def totals(self) -> Floats:
        """Sum of the counts of each cell, labels × features."""
        return _frozen(np.add.reduceat(self.counts, self.layout.starts, axis=1))

    @cached_property
    def means(self) -> Floats:
        """Posterior mean of every parameter, labels × values."""
        return _frozen(self.counts / np.repeat(self.totals, self.layout.widths, axis=1))

    @cached_property
    def log_means(self) -> Floats:
        """Logarithm of `means`."""
        return _frozen(np.log(self.means))

    @cached_property
    def keys(self) -> tuple[tuple[bytes, bytes], ...]:
        """All that is known of each feature, for looking up what was computed from it."""
        layout = self.layout
        seen = layout.bytes_of_each(self.observed)
        return tuple(zip(layout.prior_bytes, seen, strict=True))

    @property
    def total(self) -> int:
        """How many values were seen in all."""
        return int(self.observed.sum())

    @property
    def seen(self) -> Integers:
        """How many values of each cell were seen, features × labels."""
        return np.add.reduceat(self.observed, self.layout.starts, axis=1).T

    @property
    def tally(self) -> Integers:
        """How often each value of each label was seen, label by label, in one row."""
        return self.observed.ravel()

    def columns(self, feature: int) -> slice:
        """Return where the values of a feature stand."""
        return self.layout.columns(feature)

    def of_problem(self, problem: Problem) -> Self:
        """Return the same observations of a problem that differs in its money alone."""
        return type(self)(problem, self.observed)

    def only(self, feature: int) -> Self:
        """Return the belief with the observations of one feature; the others are as at first."""
        observed = np.zeros_like(self.observed)
        columns = self.columns(feature)
        observed[:, columns] = self.observed[:, columns]
        return type(self)(self.problem, observed)

    def log_chances(self, features: list[int], values: list[int]) -> Floats:
        """Return log P(value | label) of some values of some features, labels × values."""
        result: Floats = np.log(self.means[:, self.layout.starts[features] + values])
        return result

    def mean(self, feature: int | str) -> Floats:
        """Return the posterior mean of a feature's parameters, labels × its values."""
        return self.means[:, self.columns(self.problem.feature_index(feature))]

    def observe(
        self, feature: int | str, label: int | str, value: int | str, times: int = 1
    ) -> Belief:
        """Return the belief after a value of a feature was seen on a case of that label.

        All go by their names. A whole number is a position; where names are numbers, it could be
        either and is refused: with values "1" to "4", what is 3? `observe_at` takes positions
        only.
        """
        return self._shifted(*self._positions(feature, label, value), times)

    def observe_at(self, feature: int, label: int, value: int, times: int = 1) -> Belief:
        """Return the same for positions, as actions and purchases have them."""
        return self._shifted(*self._checked(feature, label, value), times)

    def retract(
        self, feature: int | str, label: int | str, value: int | str, times: int = 1
    ) -> Belief:
        """Return the belief as if that had not been observed; names as for `observe`."""
        return self._shifted(*self._positions(feature, label, value), times, sign=-1)

    def retract_at(self, feature: int, label: int, value: int, times: int = 1) -> Belief:
        """Return the same for positions."""
        return self._shifted(*self._checked(feature, label, value), times, sign=-1)

    def _positions(
        self, feature: int | str, label: int | str, value: int | str
    ) -> tuple[int, int, int]:
        at = self.problem.feature_index(feature)
        owner = self.problem.features[at]
        return at, self.problem.label_index(label), owner.value_index(value)

    def _checked(self, feature: int, label: int, value: int) -> tuple[int, int, int]:
        cell = self.problem.action_at(feature, label)
        owner = self.problem.features[cell.feature]
        return *cell, position_of(value, owner.values, f"feature {owner.name!r} has no value")

    def _shifted(self, feature: int, label: int, value: int, times: int, sign: int = 1) -> Belief:
        whole = isinstance(times, int | np.integer) and not isinstance(times, bool)
        if not whole or not 0 <= times <= MOST_OBSERVED:
            raise ObservationError(f"times: must be a whole number from 0, got {times!r}")
        column = self.layout.offsets[feature] + value
        seen = int(self.observed[label, column])
        if seen + sign * times < 0:
            owner = self.problem.features[feature]
            raise ObservationError(
                f"cannot retract {owner.name!r} = {owner.values[value]!r} of label "
                f"{self.problem.labels[label]!r} {times} times: it was observed {seen} times"
            )
        observed = self.observed.copy()
        observed[label, column] = seen + sign * int(times)
        observed.setflags(write=False)
        # Not checked again, because replaying a study does this thousands of times.
        new = object.__new__(type(self))
        new.__dict__.update(problem=self.problem, observed=observed)
        if "keys" in self.__dict__:  # one of them changes
            keys = list(self.keys)
            seen_of_feature = observed[:, self.layout.columns(feature)].tobytes()
            keys[feature] = keys[feature][0], seen_of_feature
            new.__dict__["keys"] = tuple(keys)
        return new

    def sample(self, rng: np.random.Generator) -> Floats:
        """Draw parameters from the belief, labels × values (laid out like `means`)."""
        drawn = np.empty_like(self.counts)
        for label in range(len(self.problem.labels)):
            for feature in range(len(self.problem.features)):
                columns = self.columns(feature)
                drawn[label, columns] = rng.dirichlet(self.counts[label, columns])
        return drawn

    def posterior(self, case: Mapping[Any, Any], prior: Sequence[float] | None = None) -> Floats:
        """Return the naive Bayes probability of each label for a case known in part.

        Parameters
        ----------
        case
            Feature → value, by their names, or by positions where those are no numbers; others
            are unknown.
        prior
            Shares of the labels where the case comes from; the problem's unless given.
        """
        if not isinstance(case, Mapping):
            raise ObservationError(f"case: must map features to values, got {case!r}")
        values = np.full((1, len(self.problem.features)), -1)
        for key, value in case.items():
            feature = self.problem.feature_index(key)
            values[0, feature] = self.problem.features[feature].value_index(value)
        shares = np.asarray(self.problem.prior if prior is None else prior, dtype=float)
        if (
            shares.shape != (len(self.problem.labels),)
            or not ((shares > 0) & np.isfinite(shares)).all()
        ):
            raise ObservationError(f"prior: must be one share above 0 per label, got {prior!r}")
        scores = self.log_likelihoods(values)[0] + np.log(shares)
        weights = np.exp(scores - scores.max())
        result: Floats = weights / weights.sum()
        return result

    def log_likelihoods(self, cases: NDArray[np.integer[Any]]) -> Floats:
        """Return log P(case | label), cases × labels; a value of -1 is unknown.

        Parameters
        ----------
        cases
            Positions of the values, cases × features.
        """
        if (cases >= self.layout.widths).any():
            raise ObservationError("cases: a value lies behind the last one of its feature")
        known = cases >= 0
        columns = np.where(known, cases + self.layout.starts, 0)
        return np.stack([(row[columns] * known).sum(axis=1) for row in self.log_means], axis=1)


def _frozen(array: Floats) -> Floats:
    array.setflags(write=False)
    return array
