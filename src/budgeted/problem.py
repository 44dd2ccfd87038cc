"""What can be bought, of which values, at what price: the fixed part of a budgeted study."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import accumulate
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from budgeted import money
from budgeted.errors import ObservationError, ProblemError
from budgeted.listing import listed
from budgeted.money import MoneyLike
from budgeted.names import are_numerals

PriorCounts = float | tuple[float, ...] | tuple[tuple[float, ...], ...]


_LEAST_COUNT, _MOST_COUNT = 1e-100, 1e15
"""Prior counts beyond these drown in rounding, or drown all else."""


class Action(NamedTuple):
    """One cell of the problem: buy a value of `feature` from a case that has `label`.

    Both are positions, whatever the names are.
    """

    feature: int
    label: int


@dataclass(frozen=True, init=False)
class Feature:
    """Something that can be measured on a case: its possible values and its price.

    Parameters
    ----------
    name
        Unique within the problem.
    values
        Names of the possible values, at least two.
    cost
        Price of one value; text, an integer or a `Decimal` are exact, a float counts as the
        decimal that Python prints for it.
    prior_counts
        Dirichlet counts before anything is bought: one number for all values, or one per value,
        or one row per label with one number per value.

    Examples
    --------
    >>> Feature("fever", values=("no", "yes"), cost="1.50")
    Feature(name='fever', values=('no', 'yes'), cost=Decimal('1.50'), prior_counts=1.0)
    >>> Feature("fever", values=("no",), cost=-1)
    Traceback (most recent call last):
    ...
    budgeted.errors.ProblemError: feature 'fever': values: at least two are needed, got 1; \
leave out a feature that can take only one value; feature 'fever': cost: must be above 0, got -1
    """

    name: str
    values: tuple[str, ...]
    cost: Decimal
    prior_counts: PriorCounts = 1.0

    def __init__(
        self,
        name: str,
        values: Sequence[str],
        cost: MoneyLike,
        prior_counts: float | Sequence[float] | Sequence[Sequence[float]] = 1.0,
    ) -> None:
        mistakes = list(_name_mistakes("name", name))
        mistakes += _names_mistakes("values", values, "leave out a feature that can take only one")
        price = Decimal(0)
        try:
            price = money.parse(cost, above_zero=True)
        except ValueError as error:
            mistakes.append(f"cost: {error}")
        counts = _frozen_counts(prior_counts)
        if not mistakes:
            mistakes += _count_mistakes(counts, len(values))
        if mistakes:
            raise ProblemError(f"feature {name!r}: {mistake}" for mistake in mistakes)
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "values", tuple(values))
        object.__setattr__(self, "cost", price)
        object.__setattr__(self, "prior_counts", counts)

    def value_index(self, value: int | str) -> int:
        """Return the position of a value given by its name, or by its position.

        Where values are numbers, a position could be meant as a value; it is then refused unless
        both mean the same.

        >>> Feature("fever", ("no", "yes"), 1).value_index(1)
        1
        >>> Feature("pain", ("1", "2", "3"), 1).value_index("2")
        1
        >>> Feature("pain", ("1", "2", "3"), 1).value_index(2)  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        budgeted.errors.ObservationError: feature 'pain' has values that are numbers, so 2 could ...
        """
        what = f"feature {self.name!r} has"
        return _index(value, self.values, f"{what} no value", f"{what} values", self._numerals)

    @cached_property
    def _numerals(self) -> bool:
        return are_numerals(self.values)


@dataclass(frozen=True, init=False)
class Problem:
    """Features for sale, the labels of the cases with their known prior, and a firm budget.

    Examples
    --------
    >>> problem = Problem(
    ...     features=(Feature("fever", values=("no", "yes"), cost="1.50"),
    ...               Feature("culture", values=("neg", "pos", "unclear"), cost="40")),
    ...     labels=("well", "ill"), prior=(0.7, 0.3), budget="500")
    >>> len(problem.actions), problem.actions[1]
    (4, Action(feature=0, label=1))
    >>> Problem(features=(), labels=("well", "well"), prior=(0.7, 0.2), budget=-1)
    Traceback (most recent call last):
    ...
    budgeted.errors.ProblemError: features: at least one is needed; labels: 'well' appears twice; \
give each its own name; prior: must sum to 1, sums to 0.9; budget: must be 0 or more, got -1
    """

    features: tuple[Feature, ...]
    labels: tuple[str, ...]
    prior: tuple[float, ...]
    budget: Decimal

    def __init__(
        self,
        features: Sequence[Feature],
        labels: Sequence[str],
        prior: Sequence[float],
        budget: MoneyLike,
    ) -> None:
        mistakes = list(_features_mistakes(features, labels))
        mistakes += _names_mistakes("labels", labels, "there is nothing to tell apart with")
        mistakes += _prior_mistakes(prior, labels)
        total = Decimal(0)
        try:
            total = money.parse(budget)
        except ValueError as error:
            mistakes.append(f"budget: {error}")
        if mistakes:
            raise ProblemError(mistakes)
        object.__setattr__(self, "features", tuple(features))
        object.__setattr__(self, "labels", tuple(labels))
        # Dividing by a sum within 1e-9 of 1 leaves exact sums alone and mends (1/3, 1/3, 1/3)-like.
        whole = math.fsum(prior)
        object.__setattr__(self, "prior", tuple(float(share) / whole for share in prior))
        object.__setattr__(self, "budget", total)

    @cached_property
    def actions(self) -> tuple[Action, ...]:
        """All cells, feature by feature and within a feature label by label."""
        return tuple(
            Action(feature, label)
            for feature in range(len(self.features))
            for label in range(len(self.labels))
        )

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """How many values each feature has."""
        return tuple(len(feature.values) for feature in self.features)

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        """Where each feature's values begin when those of all features stand side by side."""
        return tuple(accumulate(self.sizes[:-1], initial=0))

    @cached_property
    def prior_counts(self) -> NDArray[np.float64]:
        """Dirichlet counts before anything is bought, labels × values of all features."""
        shapes = ((len(self.labels), size) for size in self.sizes)
        rows = [
            np.broadcast_to(np.asarray(feature.prior_counts, dtype=float), shape)
            for feature, shape in zip(self.features, shapes, strict=True)
        ]
        counts = np.concatenate(rows, axis=1)
        counts.setflags(write=False)
        return counts

    def feature_index(self, feature: int | str) -> int:
        """Return the position of a feature given by its name, or by its position.

        As with `Feature.value_index`, a number that could be meant as a name is refused.
        """
        return _index(
            feature, self._names, "there is no feature", "there are features", self._numerals[0]
        )

    def label_index(self, label: int | str) -> int:
        """Return the position of a label given by its name, or by its position.

        As with `Feature.value_index`, a number that could be meant as a name is refused.
        """
        return _index(
            label, self.labels, "there is no label", "there are labels", self._numerals[1]
        )

    def action(self, feature: int | str, label: int | str) -> Action:
        """Return the cell of a feature and a label given by names or positions."""
        return Action(self.feature_index(feature), self.label_index(label))

    def action_at(self, feature: int, label: int) -> Action:
        """Return the cell at these positions, after checking that there is one."""
        return Action(
            position_of(feature, self._names, "there is no feature"),
            position_of(label, self.labels, "there is no label"),
        )

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return tuple(each.name for each in self.features)

    @cached_property
    def _numerals(self) -> tuple[bool, bool]:
        """Whether features and labels have names that are numbers."""
        return are_numerals(self._names), are_numerals(self.labels)


def _index(key: Any, names: Sequence[str], wrong: str, having: str, numerals: bool) -> int:
    """Position of `key` in `names`; a number that could be a name is refused, not guessed at."""
    if isinstance(key, str):
        if key in names:
            return names.index(key)
        raise ObservationError(f"{wrong} {key!r}; there are {listed(names)}")
    if not numerals:
        return position_of(key, names, wrong)
    whole = isinstance(key, Integral) and not isinstance(key, bool)
    if whole and 0 <= key < len(names) and names[int(key)] == str(int(key)):
        return int(key)
    raise ObservationError(
        f"{having} that are numbers, so {key!r} could be a name or a position; give the name as "
        f"text, such as {str(key) if str(key) in names else names[0]!r}"
    )


def position_of(key: Any, names: Sequence[str], wrong: str) -> int:
    """Return a position after checking it; truth values and negative ones are refused.

    Parameters
    ----------
    key
        The position.
    names
        What stands at the positions.
    wrong
        How a message begins, such as "there is no label".
    """
    if type(key) is int and 0 <= key < len(names):
        return key
    try:
        position = -1 if isinstance(key, bool) else operator.index(key)
    except TypeError:
        position = -1
    if not 0 <= position < len(names):
        raise ObservationError(f"{wrong} number {key!r}; positions go from 0 to {len(names) - 1}")
    return position


def _name_mistakes(field: str, name: object) -> Iterator[str]:
    if not isinstance(name, str) or not name.strip():
        yield f"{field}: must be a name (text that is not blank), got {name!r}"


def _names_mistakes(field: str, names: Sequence[str], why_not_one: str) -> list[str]:
    if isinstance(names, str) or not isinstance(names, Sequence):
        return [f"{field}: must be a list of names, got {names!r}"]
    mistakes = [
        mistake
        for position, name in enumerate(names)
        for mistake in _name_mistakes(f"{field}[{position}]", name)
    ]
    if len(names) < 2:
        why = f"{why_not_one} value" if field == "values" else f"{why_not_one} only one label"
        mistakes.append(f"{field}: at least two are needed, got {len(names)}; {why}")
    return mistakes + _duplicate_mistakes(field, names)


def _duplicate_mistakes(field: str, names: Sequence[Any]) -> list[str]:
    seen: set[Any] = set()
    twice: dict[Any, None] = {}
    for name in names:
        if isinstance(name, str) and name in seen:
            twice[name] = None
        elif isinstance(name, str):
            seen.add(name)
    return [f"{field}: {name!r} appears twice; give each its own name" for name in twice]


def _features_mistakes(features: Sequence[Feature], labels: Sequence[str]) -> Iterator[str]:
    if isinstance(features, str) or not isinstance(features, Sequence):
        yield f"features: must be a list of Feature, got {features!r}"
        return
    if not features:
        yield "features: at least one is needed"
    for position, feature in enumerate(features):
        if not isinstance(feature, Feature):
            yield f"features[{position}]: must be a Feature, got {feature!r}"
            continue
        counts = feature.prior_counts
        if not isinstance(counts, float) and isinstance(counts[0], tuple):
            rows, wanted = len(counts), len(labels) if isinstance(labels, Sequence) else 0
            if rows != wanted:
                yield (
                    f"features[{position}] ({feature.name!r}): prior_counts has {rows} rows, "
                    f"but there are {wanted} labels; give one row per label"
                )
    names = [feature.name for feature in features if isinstance(feature, Feature)]
    yield from _duplicate_mistakes("features", names)


def _prior_mistakes(prior: Sequence[float], labels: Sequence[str]) -> Iterator[str]:
    if isinstance(prior, str | Mapping) or not _is_flat(prior):
        yield f"prior: must be a list of probabilities, one per label, got {prior!r}"
        return
    wrong = [f"prior[{j}]" for j, share in enumerate(prior) if not _is_positive_number(share)]
    if wrong:
        yield f"{', '.join(wrong)}: must be a probability above 0, got {tuple(prior)!r}"
    elif not math.isclose(math.fsum(prior), 1, rel_tol=0, abs_tol=1e-9):
        yield f"prior: must sum to 1, sums to {math.fsum(prior):.12g}"
    if isinstance(labels, Sequence) and len(prior) != len(labels):
        yield f"prior: has {len(prior)} entries for {len(labels)} labels; give one per label"


def _is_flat(numbers: object) -> bool:
    return isinstance(numbers, Sequence) or (isinstance(numbers, np.ndarray) and numbers.ndim == 1)


def _is_positive_number(number: object) -> bool:
    try:
        value = float(number)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return False
    return not isinstance(number, bool | str) and math.isfinite(value) and value > 0


def _frozen_counts(counts: Any) -> Any:
    """Nested sequences as nested tuples of floats; what is not a number is kept for the message."""
    if isinstance(counts, np.ndarray):
        counts = counts.tolist()
    if isinstance(counts, str) or not hasattr(counts, "__len__"):
        return float(counts) if _is_positive_number(counts) else counts
    return tuple(_frozen_counts(entry) for entry in counts)


def _count_mistakes(counts: Any, size: int) -> Iterator[str]:
    nested = isinstance(counts, tuple) and bool(counts) and isinstance(counts[0], tuple)
    rows = counts if nested else (counts if isinstance(counts, tuple) else (counts,) * size,)
    for position, row in enumerate(rows):
        where = f"prior_counts[{position}]" if nested else "prior_counts"
        if not isinstance(row, tuple) or len(row) != size:
            yield f"{where}: must have one number per value ({size}), got {row!r}"
        elif not all(_is_positive_number(count) for count in row):
            yield f"{where}: must be numbers above 0, got {counts!r}"
        elif not all(_LEAST_COUNT <= count <= _MOST_COUNT for count in row):
            yield f"{where}: must be from {_LEAST_COUNT:g} to {_MOST_COUNT:g}, got {counts!r}"
