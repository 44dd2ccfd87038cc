"""What cases can give now, and for how much: those that were visited first, then fresh ones.

Where a fee is due with the first value of a case, or features share a set-up, the same value costs
less on a case that was visited. Cases with the same past, the same *terms*, cost the same, so they
are looked at together.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from functools import cached_property
from typing import NamedTuple

import numpy as np

from budgeted.errors import PurchaseError
from budgeted.learners.belief import Integers
from budgeted.problem import CaseSoFar, Order, Problem, money

NO_LIMIT = np.iinfo(np.int64).max
"""Cases left where the supply is endless."""


class Terms(NamedTuple):
    """Cases of one label that have the same past, so that orders cost the same on all of them."""

    so_far: CaseSoFar
    # Their names, in the order in which they were first visited; none for fresh ones, of which it
    # is for the rule of the study to pick one.
    cases: tuple[str | int, ...]
    fresh: int = NO_LIMIT


class Offers:
    """What every cell costs now: on cases that were visited, and on fresh ones."""

    def __init__(
        self,
        problem: Problem,
        visited: Mapping[str | int, CaseSoFar],
        cases_left: Integers,
        today: date | None,
        groups: Mapping[int, Mapping[str, int]] | None = None,
    ) -> None:
        self._problem, self._visited, self._groups = problem, visited, groups or {}
        self._left, self._today = cases_left, today

    @cached_property
    def visited(self) -> tuple[tuple[Terms, ...], ...]:
        """For each label the terms of cases that were visited."""
        alike: list[dict[CaseSoFar, list[str | int]]] = [{} for _ in self._problem.labels]
        for name, so_far in self._visited.items():
            alike[so_far.label].setdefault(replace(so_far, name=None), []).append(name)
        return tuple(
            tuple(Terms(terms, tuple(names)) for terms, names in held.items()) for held in alike
        )

    def terms(self, label: int) -> Iterator[Terms]:
        """Yield the terms of a label: those of fresh cases first, of each group."""
        for group, number in self._groups.get(label, {"": NO_LIMIT}).items():
            if number:
                yield Terms(CaseSoFar(label=label, group=group), (), number)
        yield from self.visited[label]

    def can_give(self, terms: Terms) -> Collection[int]:
        """Return the features that a case of these terms can give."""
        label = terms.so_far.label
        if not terms.cases:
            return np.flatnonzero(self.fresh[:, label]).tolist()
        gone = terms.so_far.features | terms.so_far.unavailable
        return [at for at in np.flatnonzero(self._left[:, label]).tolist() if at not in gone]

    @cached_property
    def fresh(self) -> Integers:
        """How many cases that were not visited can give each cell."""
        left = self._left.copy()
        for label, held in enumerate(self.visited):
            for terms in held:
                for feature in self.can_give(terms):
                    if left[feature, label] != NO_LIMIT:
                        left[feature, label] -= len(terms.cases)
        return np.maximum(left, 0)

    def quote(self, features: Collection[int], so_far: CaseSoFar) -> Decimal:
        """Return what these features cost on a case, today."""
        order = Order(tuple(features), so_far.label, so_far.name, self._today)
        return self._problem.quote(order, so_far)

    def alone(self, terms: Terms) -> Mapping[int, Decimal]:
        """Return what each feature that a case of these terms can give costs by itself."""
        found = self._alone.get(terms.so_far)
        if found is None:
            found = {at: self.quote((at,), terms.so_far) for at in self.can_give(terms)}
            self._alone[terms.so_far] = found
        return found

    @cached_property
    def _alone(self) -> dict[CaseSoFar, dict[int, Decimal]]:
        return {}

    def cheapest(self, features: Collection[int], label: int) -> tuple[Decimal, Terms] | None:
        """Return what these features of one case cost at least, and on which terms.

        None if no case can give all of them. Of terms that cost the same, those of cases that were
        visited come first.
        """
        wanted = set(features)
        found = [
            (self.quote(features, terms.so_far), not terms.cases, at, terms)
            for at, terms in enumerate(self.terms(label))
            if wanted.issubset(self.can_give(terms))
        ]
        if not found:
            return None
        price, _, _, terms = min(found, key=lambda each: each[:3])
        return price, terms

    @cached_property
    def ladders(self) -> tuple[tuple[tuple[tuple[Decimal, int], ...], ...], ...]:
        """For each cell what its values cost, and how many of them do, the cheapest first."""
        steps: list[list[dict[Decimal, int]]] = [
            [{} for _ in self._problem.labels] for _ in self._problem.features
        ]
        for label in range(len(self._problem.labels)):
            for terms in self.terms(label):
                for feature, price in self.alone(terms).items():
                    held = steps[feature][label]
                    number = len(terms.cases) or min(terms.fresh, int(self.fresh[feature, label]))
                    held[price] = min(held.get(price, 0) + number, NO_LIMIT)
        return tuple(tuple(tuple(sorted(held.items())) for held in row) for row in steps)

    def price(self, feature: int, label: int) -> Decimal:
        """Return the least that a cell costs; what a fresh case would cost if there is none."""
        ladder = self.ladders[feature][label]
        return ladder[0][0] if ladder else self._problem.fresh_prices[feature][label]

    def total(self, feature: int, label: int, number: int) -> Decimal:
        """Return what so many values of a cell cost together, the cheapest first."""
        amounts = []
        for price, there in self.ladders[feature][label]:
            taken = min(number, there)
            amounts.append(money.times(price, taken))
            number -= taken
        return money.total(amounts)

    def depths(self, free: Decimal, at_most: Decimal | None, most: int) -> Integers:
        """Return how many values of each cell the money pays for, the cheapest first."""
        return np.array(
            [[_how_many(ladder, free, at_most, most) for ladder in row] for row in self.ladders],
            dtype=np.int64,
        )

    def purchases(self, free: Decimal, at_most: Decimal | None) -> Integers:
        """Return how many values of each feature the money pays for, of whatever label."""
        result = []
        for row in self.ladders:
            every: dict[Decimal, int] = {}
            for price, number in (step for ladder in row for step in ladder):
                every[price] = min(every.get(price, 0) + number, NO_LIMIT)
            result.append(_how_many(tuple(sorted(every.items())), free, at_most, NO_LIMIT))
        return np.array(result, dtype=np.int64)


def _how_many(
    ladder: tuple[tuple[Decimal, int], ...], free: Decimal, at_most: Decimal | None, most: int
) -> int:
    """How many steps of a ladder the money pays for, and none if the first is too dear today."""
    if not ladder or (at_most is not None and ladder[0][0] > at_most):
        return 0
    found = 0
    for price, number in ladder:
        paid = number if not price else min(number, money.how_many(free, price))
        found = min(found + paid, most)
        if paid < number or found == most:
            break
        free = money.subtract(free, money.times(price, paid))
    return found


def supply_of(problem: Problem, cases: Sequence[int] | Integers | None) -> Integers:
    """Return how many cases each cell can be bought from, features × labels.

    >>> from budgeted import Feature, Problem
    >>> problem = Problem([Feature(each, ("no", "yes"), 1) for each in ("fever", "cough")],
    ...                   ("well", "ill"), (0.5, 0.5), 10)
    >>> supply_of(problem, (20, 5)).tolist()
    [[20, 5], [20, 5]]
    """
    shape = (len(problem.features), len(problem.labels))
    given = [NO_LIMIT] * shape[1] if cases is None else cases
    if isinstance(given, np.ndarray) and given.shape == shape:
        counts = given.ravel().tolist() if given.dtype.kind in "iu" else [None]
    else:
        counts = list(given) if isinstance(given, Sequence) and len(given) == shape[1] else [None]
    if not all(map(_is_count, counts)):
        raise PurchaseError(
            f"cases: must be a whole number from 0 for each of {shape[1]} labels, or an array of "
            f"such numbers, {shape[0]} features × {shape[1]} labels, got {cases!r}"
        )
    result = np.resize(np.asarray(counts, dtype=np.int64), shape)
    result.setflags(write=False)
    return result


def _is_count(number: object) -> bool:
    whole = isinstance(number, int | np.integer) and not isinstance(number, bool)
    return whole and 0 <= int(number) <= NO_LIMIT  # type: ignore[call-overload]
