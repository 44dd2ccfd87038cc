"""Features whose values are names: yes and no, or low, normal and high."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from budgeted.errors import ObservationError, ProblemError
from budgeted.listing import listed
from budgeted.nearest import did_you_mean
from budgeted.problem.checks import names_mistakes
from budgeted.problem.names import spelled


@dataclass(frozen=True, init=False)
class Categorical:
    """Every value is a name of its own, and one category.

    Parameters
    ----------
    values
        The names, at least two.

    Examples
    --------
    >>> pain = Categorical(("1", "2", "3"))
    >>> pain.read(2), pain.category("2")
    ('2', 1)
    >>> pain.read("4")
    Traceback (most recent call last):
    ...
    budgeted.errors.ObservationError: has no value '4'; there are '1', '2', '3'
    """

    values: tuple[str, ...]

    name: ClassVar[str] = "categorical"

    def __init__(self, values: Sequence[str]) -> None:
        mistakes = names_mistakes(
            "values", values, "leave out a feature that can take only one value"
        )
        if mistakes:
            raise ProblemError(mistakes)
        object.__setattr__(self, "values", tuple(values))

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

    def read(self, given: object) -> str:
        """Return the name that was given, as text or as a number that is written like it."""
        found = spelled(given, self._positions)
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
