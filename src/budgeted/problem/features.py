"""What can be measured on a case, and what is asked for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property

from budgeted.errors import ObservationError, ProblemError
from budgeted.hints import ForceIt
from budgeted.problem import money
from budgeted.problem.checks import (
    count_mistakes,
    frozen_counts,
    name_mistakes,
    shared_counts,
)
from budgeted.problem.money import MoneyLike
from budgeted.problem.names import are_numerals, index_of
from budgeted.problem.values import Categorical, Kind

PriorCounts = float | tuple[float, ...] | tuple[tuple[float, ...], ...]
"""Counts before anything is bought: one for all, one for each value, or a row for each label."""


@dataclass(frozen=True, init=False)
class Feature:
    """Something that can be measured on a case: what its values are, and its price.

    Parameters
    ----------
    name
        Unique within the problem.
    values
        Names of the possible values, at least two; or a kind of feature, which says what values
        are (`budgeted.problem.values`).
    kind
        The same, where a name says more than a place: ``kind=Number(cuts=[200, 240])``.
    cost
        Price of one value; text, an integer or a `Decimal` are exact, a float counts as the
        decimal that Python prints for it.
    prior_counts
        Dirichlet counts before anything is bought: one number for all values, or one per value,
        or one row per label with one number per value; or ``"2/r"``, a total that the r values
        share.

    Attributes
    ----------
    choices, expects
        What its kind says can be told, and the same in words: every page and answer shows them.
    ranged
        Whether some of it is doubted, and must be insisted on.

    Examples
    --------
    >>> fever = Feature("fever", values=("no", "yes"), cost="1.50")
    >>> fever.values, fever.cost
    (('no', 'yes'), Decimal('1.50'))
    >>> from budgeted import Number
    >>> Feature("cholesterol", kind=Number(cuts=[200, 240], unit="mg/dl"), cost="7.27").values
    ('< 200', '200 to < 240', '≥ 240')
    >>> Feature("fever", values=("no",), cost=-1)
    Traceback (most recent call last):
    ...
    budgeted.errors.ProblemError: feature 'fever': values: at least two are needed, got 1; \
leave out a feature that can take only one value; feature 'fever': cost: must be above 0, got -1
    """

    name: str
    kind: Kind
    cost: Decimal
    prior_counts: PriorCounts = 1.0
    choices: tuple[str, ...] = field(init=False, repr=False, compare=False)
    expects: str = field(init=False, repr=False, compare=False)
    ranged: bool = field(init=False, repr=False, compare=False)

    def __init__(
        self,
        name: str,
        values: Sequence[str] | Kind | None = None,
        cost: MoneyLike | None = None,
        prior_counts: float | str | Sequence[float] | Sequence[Sequence[float]] = 1.0,
        *,
        kind: Kind | None = None,
    ) -> None:
        mistakes = list(name_mistakes("name", name))
        kind = _kind(values, kind, mistakes)
        price = Decimal(0)
        try:
            price = money.parse(cost, above_zero=True)  # type: ignore[arg-type]  # None is refused
        except ValueError as error:
            mistakes.append(f"cost: {error}")
        size = 0 if kind is None else len(kind.categories)
        counts = frozen_counts(shared_counts(prior_counts, size) if size else prior_counts)
        if kind is not None and not mistakes:
            mistakes += count_mistakes(counts, size)
        if mistakes:
            raise ProblemError(f"feature {name!r}: {mistake}" for mistake in mistakes)
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "kind", kind)
        object.__setattr__(self, "cost", price)
        object.__setattr__(self, "prior_counts", counts)
        assert kind is not None
        object.__setattr__(self, "choices", kind.choices)
        object.__setattr__(self, "expects", kind.expects)
        object.__setattr__(self, "ranged", kind.ranged)

    @cached_property
    def values(self) -> tuple[str, ...]:
        """The categories that learners tell apart, in order; names are their own categories."""
        return self.kind.categories

    @property
    def scale(self) -> str:
        """The order of its values, its unit or its cuts, in words; "" where there is nothing."""
        return self.kind.scale

    def read(self, given: object, force: bool = False) -> str:
        """Return the text to keep of a value that somebody told, as text or as a number.

        What is probably a slip is refused, unless it is insisted on with `force`.

        >>> Feature("pain", ("1", "2", "3"), 1).read(2)
        '2'
        >>> Feature("fever", ("no", "yes"), 1).read("Yes")
        Traceback (most recent call last):
        ...
        budgeted.errors.ObservationError: feature 'fever' has no value 'Yes'; did you mean 'yes'? \
There are 'no', 'yes'
        """
        try:
            kept = self.kind.read(given)
        except ObservationError as error:
            raise ObservationError(f"feature {self.name!r} {error}", hint=error.hint) from None
        doubt = "" if force else self.doubt(kept)
        if doubt:
            raise ObservationError(f"feature {self.name!r}: {doubt}", hint=ForceIt())
        return kept

    def doubt(self, kept: str) -> str:
        """Return why a value is probably a slip, in words; "" if it is not."""
        return self.kind.doubt(kept)

    def same(self, kept: str | None, other: str | None) -> bool:
        """Whether two texts that are kept are the same value; None is no value.

        >>> from budgeted import Number
        >>> Feature("age", kind=Number(cuts=[60]), cost=1).same("59", "59.0")
        True
        """
        if kept is None or other is None:
            return kept is other
        return self.kind.same(kept, other)

    def category(self, kept: str) -> int:
        """Return the position of the category that a kept text belongs to."""
        try:
            return self.kind.category(kept)
        except ObservationError as error:
            raise ObservationError(f"feature {self.name!r} {error}") from None

    def value_index(self, value: int | str) -> int:
        """Return the position of the category of a value, given as text or by that position.

        Where a value could be a number, a position could be meant as a value; it is then refused
        unless both mean the same.

        >>> Feature("fever", ("no", "yes"), 1).value_index(1)
        1
        >>> Feature("pain", ("1", "2", "3"), 1).value_index("2")
        1
        >>> Feature("pain", ("1", "2", "3"), 1).value_index(2)  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        budgeted.errors.ObservationError: feature 'pain' has values that are numbers, so 2 could ...
        """
        if isinstance(value, str):
            return self.category(self.read(value, force=True))
        what = f"feature {self.name!r} has"
        return index_of(value, self.values, f"{what} no value", f"{what} values", self._numerals)

    @cached_property
    def _numerals(self) -> bool:
        """Whether a number could be meant as a value."""
        return are_numerals(self.values) or any(map(self._reads, range(len(self.values))))

    def _reads(self, number: int) -> bool:
        try:
            self.kind.read(number)
        except ObservationError:
            return False
        return True


def _kind(
    values: Sequence[str] | Kind | None, given: Kind | None, mistakes: list[str]
) -> Kind | None:
    """Return the kind of a feature; what is wrong with it joins the mistakes."""
    if values is not None and given is not None:
        mistakes.append("kind: give the values or the kind, not both")
        return None
    found = values if given is None else given
    if isinstance(found, Kind):
        return found
    if found is None:
        mistakes.append("values: is missing; give the names of the values, or a kind")
        return None
    if given is not None:
        mistakes.append(f"kind: must be a kind of feature, such as Number(cuts=[1]), got {given!r}")
        return None
    try:
        return Categorical(found)
    except ProblemError as error:
        mistakes += error.mistakes
        return None
