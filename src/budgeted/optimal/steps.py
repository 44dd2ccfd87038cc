"""A purchase in many situations at once, and what it leads to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, Protocol

from budgeted.learners.belief import Belief, Floats, Integers
from budgeted.learners.layout import position_in
from budgeted.learners.tallied import chances_of_many, means_of_many

MOST_STATES = 1_000_000
"""A million situations take less than a minute."""


class Step(NamedTuple):
    """A purchase that can be made in some of many situations with the same money.

    Attributes
    ----------
    cost
        In units.
    rows
        In which of the situations.
    features, label
        Of which features of a case of which label it brings a value.
    after
        For each combination of values, in their order, the codes of what the situations become.
    before
        What was bought before of the case, as far as it matters for the price.
    """

    cost: int
    rows: slice | Integers
    features: tuple[int, ...]
    label: int
    after: Iterable[Integers]
    before: frozenset[int] = frozenset()


class Space(Protocol):
    """All situations within a budget, each with a code."""

    @property
    def at_once(self) -> int:
        """How many situations to handle at once, so that memory stays bounded."""
        ...

    def levels(self, most_states: int) -> list[Integers]:
        """Return the codes of all situations after each amount of money, ascending."""
        ...

    def tallies(self, codes: Integers) -> Integers:
        """Return how often each value was seen in each situation."""
        ...

    def steps(self, codes: Integers) -> Iterator[Step]:
        """Yield all purchases, each with the situations in which it is possible."""
        ...


def chances(
    start: Belief, tallies: Integers, means: Floats, features: tuple[int, ...], label: int
) -> Iterator[Floats]:
    """Yield how probable each combination of values of one case is, in their order.

    Parameters
    ----------
    start, tallies, means
        What is known in each situation, and the means that follow from it.
    features, label
        What is bought of one case.
    """
    first, *rest = features
    found = chances_of_many(start, means, first)[:, label]
    for value in range(found.shape[1]):
        if not rest:
            yield found[:, value]
            continue
        seen = tallies.copy()
        seen[:, position_in(start.problem, first, label, value)] += 1
        then = means_of_many(start, seen)  # in some beliefs the first value says more
        for more in chances(start, seen, then, tuple(rest), label):
            yield found[:, value] * more


def parts(space: Space, codes: Integers) -> Iterator[Integers]:
    """Yield situations, as many at once as memory allows."""
    for begin in range(0, len(codes), space.at_once):
        yield codes[begin : begin + space.at_once]
