"""Which tests of a new case a limit pays for: the sets that a bounded classifier chooses from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgeted.errors import BudgetedError
from budgeted.listing import did_you_mean
from budgeted.problem import CaseSoFar, Feature, Order, Problem, money

MOST_SETS = 6_000
"""Up to so many sets all of them are gone through: all pairs of 100 tests."""
MOST_QUOTES = 20_000
"""Quotes for that, at most, where a price depends on what else is ordered."""

Tests = tuple[int, ...]
"""Positions of features, rising."""


class Affordable:
    """The sets of tests of a new case that a limit pays for.

    What they cost is the quote for one order of all of them on a fresh case, so that fees and
    panels count as they do.

    >>> features = [Feature(name, ("no", "yes"), cost) for name, cost in zip("abc", (1, 2, 9))]
    >>> problem = Problem(features, ("well", "ill"), (0.5, 0.5), 99)
    >>> Affordable(problem, Decimal(10)).largest
    [(0, 1), (0, 2)]
    >>> Affordable(problem, Decimal(10), {"c": Decimal(3)}).largest
    [(0, 1, 2)]
    >>> Affordable(problem, Decimal("0.50")).mistakes
    ['a limit of 0.50 pays for no test; the cheapest costs 1']
    """

    def __init__(
        self, problem: Problem, limit: Decimal, costs: Mapping[str, Decimal] | None = None
    ) -> None:
        self.study, self.limit, self._costs = problem, limit, dict(costs or {})

    @cached_property
    def mistakes(self) -> list[str]:
        """What is wrong with the limit and the prices, in words; nothing if they make sense."""
        names = tuple(self.study.by_name)
        unknown = [
            f"there is no test {name!r}; {did_you_mean(name, names)}There are {', '.join(names)}"
            for name in self._costs
            if name not in names
        ]
        if unknown:
            return unknown
        try:
            everything = range(len(names))
            for tests in (*((at,) for at in everything), tuple(everything)):
                if (
                    len({self._quote(tests, label) for label in range(len(self.problem.labels))})
                    > 1
                ):
                    return ["prices depend on the label, which is not known of a new case"]
            cheapest = min(self.price((at,)) for at in everything)
        except BudgetedError as error:
            return [str(error)]
        if cheapest > self.limit:
            return [
                f"a limit of {money.show(self.limit)} pays for no test; the cheapest costs "
                f"{money.show(cheapest)}"
            ]
        return []

    @cached_property
    def problem(self) -> Problem:
        """The tests with their prices on new cases."""
        if not self._costs:
            return self.study
        features = [
            Feature(each.name, each.kind, self._costs[each.name], each.prior_counts)
            if each.name in self._costs
            else each
            for each in self.study.features
        ]
        return self.study.but(features=features)

    @cached_property
    def everything(self) -> bool:
        """Whether the limit pays for all tests."""
        return self.price(tuple(range(len(self.problem.features)))) <= self.limit

    def price(self, tests: Tests) -> Decimal:
        """Return what tests of a fresh case cost together."""
        return self._quote(tests, 0)

    def more(self, sets: Sequence[Tests]) -> NDArray[np.bool_]:
        """Return which tests could be ordered besides each set, sets × tests."""
        number = len(self.problem.features)
        result = np.zeros((len(sets), number), dtype=bool)
        for at, tests in enumerate(sets):
            left = [one for one in range(number) if one not in tests]
            if self.problem.separable:
                rest = money.subtract(self.limit, money.total(self._alone[each] for each in tests))
                result[at, left] = [self._alone[one] <= rest for one in left]
            else:
                result[at, left] = [self.price((*tests, one)) <= self.limit for one in left]
        return result

    @cached_property
    def largest(self) -> list[Tests] | None:
        """All sets to which no test can be added; None if there are too many to go through."""
        number = len(self.problem.features)
        if self.everything:
            return [tuple(range(number))]
        most = MOST_SETS if self.problem.separable else MOST_QUOTES // number
        found: list[Tests] = []
        level: list[Tests] = [()]
        seen = 0
        while level:
            seen += len(level)
            if seen > most:
                return None
            more = self.more(level)
            found += [tests for tests, fits in zip(level, more, strict=True) if not fits.any()]
            level = [
                (*tests, one)
                for tests, fits in zip(level, more, strict=True)
                for one in np.flatnonzero(fits).tolist()
                if not tests or one > tests[-1]
            ]
        return found

    @cached_property
    def _alone(self) -> list[Decimal]:
        return [self.price((at,)) for at in range(len(self.problem.features))]

    def _quote(self, tests: Tests, label: int) -> Decimal:
        if not tests:
            return Decimal(0)
        return self.problem.quote(Order(tests, label), CaseSoFar(label=label))


def affordable(
    problem: Problem, limit: Decimal, costs: Sequence[tuple[str, Decimal]] = ()
) -> Affordable:
    """Return the sets of tests that a limit pays for, remembered with the problem."""
    kept: dict[Any, Affordable] = problem.__dict__.setdefault("_affordable", {})
    place = (limit, tuple(costs))
    if place not in kept:
        kept[place] = Affordable(problem, limit, dict(costs))
    return kept[place]
