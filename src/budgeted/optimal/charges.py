"""What a case costs of which these features were bought, in whole units, and what may be forgotten.

Under a price list that looks at the case, the price of an order depends on what was bought of the
case before: on its *profile*, a set of features. Two orders of one day must cost what one order of
both would have cost (`budgeted.problem.prices.base`), so there is an amount C(S) for each profile
S, and a further feature costs C(S + feature) − C(S).

Features that never change each other's price belong to different *blocks*. As long as there are
fresh cases, the parts of a case in different blocks might as well be different cases; with a price
for each feature every block is a single one, and nothing about cases need be known.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import combinations

from budgeted.errors import OptimalError
from budgeted.problem import CaseSoFar, Order, Problem, money

MOST_FEATURES = 6
"""With more of them there are too many profiles."""

Profile = frozenset[int]
"""Features that were bought of a case."""


@dataclass(frozen=True)
class Charges:
    """What cases cost.

    Attributes
    ----------
    problem
        With the price list.
    amounts
        For each label, what a case costs in units by what was bought of it.
    budget, unit
        Whole units of money, and what one is worth. What the budget has beyond them buys nothing.

    Examples
    --------
    >>> from budgeted import Feature
    >>> from budgeted.problem.prices import Tariff
    >>> features = [Feature(name, ("no", "yes"), "0.5") for name in ("a", "b")]
    >>> problem = Problem(features, ("well", "ill"), (0.5, 0.5), "9.20", Tariff(visit_fee=2))
    >>> charges = Charges.of(problem)
    >>> charges.budget, charges.price(0, frozenset(), 1), charges.price(0, frozenset({0}), 1)
    (18, 5, 1)
    >>> charges.blocks, charges.open_profiles(0)
    ((frozenset({0, 1}),), (frozenset({0}), frozenset({1})))
    """

    problem: Problem
    amounts: tuple[dict[Profile, int], ...]
    budget: int
    unit: Fraction

    @classmethod
    def of(cls, problem: Problem) -> Charges:
        """Ask the price list of a problem about every profile."""
        if len(problem.features) > MOST_FEATURES:
            raise OptimalError(
                f"with the price list {problem.prices.name!r} the exact programme takes up to "
                f"{MOST_FEATURES} features, not {len(problem.features)}; take fewer, or a price "
                "for each feature"
            )
        exact = [_amounts(problem, label) for label in range(len(problem.labels))]
        ratios = {Fraction(amount) for each in exact for amount in each.values() if amount}
        common = math.lcm(*(each.denominator for each in ratios))
        unit = Fraction(math.gcd(*(int(each * common) for each in ratios)), common)
        amounts = tuple(
            {profile: int(Fraction(amount) / unit) for profile, amount in each.items()}
            for each in exact
        )
        return cls(problem, amounts, int(Fraction(problem.budget) / unit), unit)

    def price(self, label: int, profile: Profile, feature: int) -> int:
        """Return what one more feature of a case costs."""
        return self.amounts[label][profile | {feature}] - self.amounts[label][profile]

    def with_all(self, label: int, profile: Profile) -> Profile:
        """Return a profile with all that costs nothing more, as of a panel that is sold whole."""
        free = {
            at for at in range(len(self.problem.features)) if not self.price(label, profile, at)
        }
        return profile if free <= profile else self.with_all(label, profile | free)

    @cached_property
    def blocks(self) -> tuple[Profile, ...]:
        """The features in groups that do not change each other's price, under any label."""
        block = {at: {at} for at in range(len(self.problem.features))}
        for one, two in combinations(block, 2):
            if block[one] is not block[two] and self._linked(one, two):
                block[one] |= block[two]
                for at in block[one]:
                    block[at] = block[one]
        return tuple(dict.fromkeys(frozenset(each) for each in block.values()))

    def _linked(self, one: int, two: int) -> bool:
        return any(
            self.price(label, profile, one) != self.price(label, profile | {two}, one)
            for label, amounts in enumerate(self.amounts)
            for profile in amounts
            if profile.isdisjoint((one, two))
        )

    def open_profiles(self, label: int) -> tuple[Profile, ...]:
        """Return what there may be of a part of a case that can give more, besides nothing."""
        return tuple(
            profile
            for block in self.blocks
            for profile in _subsets(block)
            if profile and profile < block and self.with_all(label, profile) == profile
        )


def _amounts(problem: Problem, label: int) -> dict[Profile, Decimal]:
    """What a case of a label costs by its profile, after checking that there is such an amount."""
    fresh = CaseSoFar(label=label)
    every = frozenset(range(len(problem.features)))
    found = {
        profile: problem.quote(Order(tuple(sorted(profile)), label), fresh)
        if profile
        else Decimal(0)
        for profile in _subsets(every)
    }
    for profile, amount in found.items():
        case = CaseSoFar(profile, label)
        for feature in every - profile:
            price = problem.quote(Order((feature,), label), case)
            if money.add(amount, price) != found[profile | {feature}]:
                raise OptimalError(
                    f"with the price list {problem.prices.name!r} features cost other amounts one "
                    f"after the other than together, which the exact programme does not know"
                )
    return found


def _subsets(features: Profile) -> Iterator[Profile]:
    for size in range(len(features) + 1):
        yield from map(frozenset, combinations(sorted(features), size))
