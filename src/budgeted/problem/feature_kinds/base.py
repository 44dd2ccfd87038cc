"""What a kind of feature is: it knows what values are, and nobody else does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Protocol, runtime_checkable

from budgeted.errors import FeatureKindError
from budgeted.registry import check_dataclass, parameter_names

RESERVED = ("name", "kind", "cost", "prior_counts")
"""What else stands in the table of a feature, beside the parameters of its kind."""

LATER: Mapping[str, Any] = {"later": True}
"""Metadata of a field that a kind got after values of it were written down.

Where it has its usual value it is not written, so that what was written before stays as it was.
"""


@runtime_checkable
class Kind(Protocol):
    """What the values of a feature are: how they are told, kept and learned from.

    A kind is a frozen dataclass. Its fields are its parameters: what a study file gives, and what
    is written into journals and models, so they must be what JSON can hold.

    What people tell is read once, by `read`, and the text that it returns is kept. Whatever is
    computed starts from that text, by `category`, and knows positions of categories only.

    A kind may also have

    - ``doubt(kept)``: why a value, though it can be one, is probably a slip, such as "2333 is
      outside 50–600"; "" if it is not. It is then refused unless whoever tells it insists.
    - ``ranged``: whether it doubts any value with the parameters that it has.
    - ``same(kept, other)``: whether two texts are the same value; otherwise equal texts are.
    - ``scale``: the order of its values, its unit or its cuts, in words.
    """

    name: ClassVar[str]

    @property
    def categories(self) -> tuple[str, ...]:
        """What learners tell apart, in order: two names or more."""
        ...

    @property
    def choices(self) -> tuple[str, ...]:
        """What can be told, where people choose one of a few; empty where they write it."""
        ...

    @property
    def expects(self) -> str:
        """What can be told in words, such as "a number in °C"."""
        ...

    def read(self, given: object) -> str:
        """Return the text to keep of what somebody told: text, a number or a truth value.

        What is only doubtful is read all the same; see ``doubt`` above.

        What cannot be a value raises an `ObservationError` that goes on behind the name of the
        feature, such as "has no value 'maybe'; there are 'no', 'yes'". The text that is kept
        reads as itself.
        """
        ...

    def category(self, kept: str) -> int:
        """Return the position of the category that a kept text belongs to."""
        ...


def check_kind(kind: type[Kind]) -> None:
    """Raise an error unless a class can be a kind of feature."""
    check_dataclass(kind, "feature kind", "read(given)", FeatureKindError)
    check_dataclass(kind, "feature kind", "category(kept)", FeatureKindError)
    taken = [each for each in parameter_names(kind) if each in RESERVED]
    if taken:
        raise FeatureKindError(
            f"feature kind {kind.name!r}: a parameter cannot be called {taken[0]!r}: study files "
            f"use that name for something else"
        )
