"""Features whose values are names: yes and no, or low, normal and high."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import ClassVar

from budgeted.errors import ObservationError, ProblemError
from budgeted.listing import listed
from budgeted.nearest import did_you_mean
from budgeted.problem.checks import names_mistakes
from budgeted.problem.feature_kinds.base import LATER
from budgeted.problem.names import by_number, numerals_of, spelled


@dataclass(frozen=True, init=False)
class Categorical:
    """Every value is a name of its own, and one category.

    Parameters
    ----------
    values
        The names, at least two.
    ordered
        Whether they stand in an order, the lowest first: low < normal < high. It is recorded and
        shown. The learners of this package make no use of it: to them, low is as different from
        normal as from high.

    Examples
    --------
    >>> pain = Categorical(("1", "2", "3"))
    >>> pain.read(2), pain.category("2")
    ('2', 1)
    >>> pain.read("4")
    Traceback (most recent call last):
    ...
    budgeted.errors.ObservationError: has no value '4'; there are '1', '2', '3'
    >>> Categorical(("low", "normal", "high"), ordered=True).scale
    'low < normal < high'
    """

    values: tuple[str, ...]
    ordered: bool = field(default=False, metadata=LATER)

    name: ClassVar[str] = "categorical"

    def __init__(self, values: Sequence[str], ordered: bool = False) -> None:
        mistakes = names_mistakes(
            "values", values, "leave out a feature that can take only one value"
        )
        if not isinstance(ordered, bool):
            mistakes.append(f"ordered: must be true or false, got {ordered!r}")
        if mistakes:
            raise ProblemError(mistakes)
        object.__setattr__(self, "values", tuple(values))
        object.__setattr__(self, "ordered", ordered)

    @property
    def categories(self) -> tuple[str, ...]:
        """The names."""
        return self.values

    @property
    def choices(self) -> tuple[str, ...]:
        """The names."""
        return self.values

    @property
    def expects(self) -> str:
        """The names, in words."""
        return f"one of {listed(self.values)}"

    @property
    def scale(self) -> str:
        """The order of the names, where there is one."""
        return " < ".join(self.values) if self.ordered else ""

    def read(self, given: object) -> str:
        """Return the name that was given, as text or as a number.

        Where names are numbers, "3", "3.0" and 3 are the same one, unless several names are.
        """
        found = spelled(given, self._positions) or by_number(given, self._numerals)
        if found is None:
            close = did_you_mean(given, self.values) if isinstance(given, str) else ""
            there = f"{close}{'T' if close else 't'}here are {listed(self.values)}"
            raise ObservationError(f"has no value {given!r}; {there}")
        return found

    def category(self, kept: str) -> int:
        """Return the position of a name."""
        at = self._positions.get(kept)
        return self._positions[self.read(kept)] if at is None else at

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {value: at for at, value in enumerate(self.values)}

    @cached_property
    def _numerals(self) -> dict[Decimal, str | None]:
        return numerals_of(self.values)
