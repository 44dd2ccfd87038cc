"""A second kind of feature, for tests: a measured number, which cuts put into categories."""

from __future__ import annotations

from bisect import bisect_right
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import pairwise
from typing import ClassVar

from budgeted.errors import ObservationError
from budgeted.problem.feature_kinds import FEATURE_KINDS


@dataclass(frozen=True)
class Measured:
    """A number with a unit; the text is kept as it was told."""

    name: ClassVar[str] = "measured"

    cuts: tuple[float, ...]
    unit: str = ""

    def __post_init__(self):
        if not all(isinstance(cut, int | float) for cut in self.cuts):
            raise TypeError("cuts must be numbers")

    @property
    def categories(self):
        low, high = self.cuts[0], self.cuts[-1]
        between = [f"{a:g} to {b:g}" for a, b in pairwise(self.cuts)]
        return (f"< {low:g}", *between, f">= {high:g}")

    @property
    def choices(self):
        return ()

    @property
    def expects(self):
        return f"a number in {self.unit}"

    def read(self, given):
        try:
            if not isinstance(given, str | int | float) or isinstance(given, bool):
                raise InvalidOperation
            text = str(given).strip()
            if not Decimal(text).is_finite():
                raise InvalidOperation
        except InvalidOperation:
            raise ObservationError(f"takes {self.expects}, got {given!r}") from None
        return text

    def category(self, kept):
        return bisect_right(self.cuts, float(self.read(kept)))


@contextmanager
def registered(kind=Measured):
    """The kind is known by name for a while."""
    FEATURE_KINDS.register(kind)
    try:
        yield
    finally:
        FEATURE_KINDS.forget(kind.name)
