"""What may have been bought of the cases of one label, and what can be bought next.

A *holding* says how often each value was seen, and how many cases, or parts of cases, there are
with each open profile (`budgeted.optimal.charges`). Which of them showed which value does not
matter: given the label, the values of a case are independent.

An order of several features costs what they cost one after the other, and who orders them one after
the other knows more before each: so it is enough to weigh single features. What costs nothing more,
as the rest of a panel that is sold whole, always comes along.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from budgeted.errors import OptimalError
from budgeted.learners.belief import Integers
from budgeted.learners.layout import position_in
from budgeted.optimal.charges import Charges, Profile

MOST_HOLDINGS = 2**17
"""Of one label; each has a row in a table with a column for each exchange."""
_LARGEST_CODE = 2**63 - 1


@dataclass(frozen=True)
class Move:
    """A purchase: it makes one profile into another.

    Attributes
    ----------
    before, after
        The profiles, of one block.
    price
        In units.
    """

    before: Profile
    after: Profile
    price: int

    @property
    def features(self) -> tuple[int, ...]:
        """What is bought."""
        return tuple(sorted(self.after - self.before))


class Holdings:
    """Everything that may have been bought of the cases of one label within the budget.

    Parameters
    ----------
    charges
        What cases cost.
    label
        Whose cases.

    Examples
    --------
    >>> from budgeted import Feature, Problem
    >>> from budgeted.problem.prices import Tariff
    >>> features = [Feature(name, ("no", "yes"), 1) for name in ("a", "b")]
    >>> problem = Problem(features, ("well", "ill"), (0.5, 0.5), 4, Tariff(visit_fee=2))
    >>> holdings = Holdings(Charges.of(problem), 0)
    >>> len(holdings), holdings.costs.tolist()  # nothing, one feature of a case, or both
    (9, [0, 3, 3, 3, 3, 4, 4, 4, 4])
    """

    def __init__(self, charges: Charges, label: int) -> None:
        self._charges, self._label = charges, label
        self._values = [len(each.values) for each in charges.problem.features]
        self.open = charges.open_profiles(label)
        self._width = sum(self._values)
        self.moves = self._every_move()
        self.by_cost = self._enumerated()
        found = np.concatenate(self.by_cost)
        order = np.argsort(found)
        self._codes = found[order]
        spent = np.repeat(np.arange(len(self.by_cost)), [len(each) for each in self.by_cost])
        self._spent: Integers = spent[order]

    def __len__(self) -> int:
        return len(self._codes)

    @property
    def costs(self) -> Integers:
        """What each holding cost, in ascending order, to see how many there are."""
        result: Integers = np.sort(self._spent)
        return result

    @cached_property
    def rows(self) -> Integers:
        """Each holding as a row: how often each value was seen, and the number of open cases."""
        return self._decoded(self._codes)

    @cached_property
    def tallies(self) -> Integers:
        """How often each value was seen."""
        return self.rows[:, : self._width]

    def find(self, rows: Integers) -> Integers:
        """Return which holdings these rows are."""
        result: Integers = np.searchsorted(self._codes, rows @ self._powers).astype(np.int64)
        return result

    def row(self, tally: Integers, opened: Mapping[Profile, int]) -> Integers:
        """Return the row of a tally of the label and its numbers of open cases."""
        number = [opened.get(profile, 0) for profile in self.open]
        return np.concatenate([tally, np.array(number, dtype=np.int64)])

    def moved(self, features: tuple[int, ...], positions: Integers) -> Integers:
        """Return where each row element is taken from when things are exchanged.

        Parameters
        ----------
        features
            Which feature stands in each place afterwards.
        positions
            Likewise of values.
        """
        old = [frozenset(features[at] for at in profile) for profile in self.open]
        opened = [self._width + self.open.index(each) for each in old]
        return np.concatenate([positions, np.array(opened, dtype=np.int64)])

    @cached_property
    def next(self) -> tuple[tuple[NDArray[np.int64], ...], ...]:
        """For each move, for each outcome, which holding each becomes; -1 where it cannot."""
        result = []
        for move in self.moves:
            can = self._can(move, self.rows) & (self._spent + move.price <= self._charges.budget)
            result.append(
                tuple(
                    np.where(can, np.searchsorted(self._codes, self._codes + step), -1)
                    for step in self._steps(move)
                )
            )
        return tuple(result)

    def _every_move(self) -> tuple[Move, ...]:
        charges, label = self._charges, self._label
        found: dict[tuple[Profile, Profile], Move] = {}
        for block in charges.blocks:
            for before in (frozenset[int](), *(each for each in self.open if each < block)):
                for feature in sorted(block - before):
                    after = charges.with_all(label, before | {feature})
                    price = charges.price(label, before, feature)
                    found.setdefault((before, after), Move(before, after, price))
        return tuple(found.values())

    @cached_property
    def _radices(self) -> list[int]:
        amounts, budget = self._charges.amounts[self._label], self._charges.budget
        most = [budget // amounts[frozenset({at})] + 1 for at in range(len(self._values))]
        opened = [budget // amounts[profile] + 1 for profile in self.open]
        return [*np.repeat(most, self._values).tolist(), *opened]

    @cached_property
    def _powers(self) -> Integers:
        if math.prod(self._radices) > _LARGEST_CODE:
            raise OptimalError(
                f"{self._width} values of all features with this budget and this price list are "
                "more than the exact programme can number; take fewer features or a smaller budget"
            )
        return np.array([math.prod(self._radices[at + 1 :]) for at in range(len(self._radices))])

    def _decoded(self, codes: Integers) -> Integers:
        result: Integers = codes[:, None] // self._powers % np.array(self._radices)
        return result

    def _can(self, move: Move, rows: Integers) -> NDArray[np.bool_]:
        if not move.before:
            return np.ones(len(rows), dtype=bool)
        result: NDArray[np.bool_] = rows[:, self._width + self.open.index(move.before)] > 0
        return result

    def _steps(self, move: Move) -> list[int]:
        """What each outcome of a move adds to a code, in the order of the values."""
        powers = self._powers.tolist()
        opened = dict(zip(self.open, powers[self._width :], strict=True))
        always = opened.get(move.after, 0) - opened.get(move.before, 0)
        problem = self._charges.problem
        combinations = product(*(range(self._values[feature]) for feature in move.features))
        return [
            always
            + sum(
                powers[position_in(problem, feature, 0, value)]
                for feature, value in zip(move.features, each, strict=True)
            )
            for each in combinations
        ]

    def _enumerated(self) -> list[Integers]:
        """The codes of all holdings, by what they cost."""
        budget = self._charges.budget
        ahead: list[list[Integers]] = [[np.empty(0, dtype=np.int64)] for _ in range(budget + 1)]
        ahead[0].append(np.zeros(1, dtype=np.int64))
        found: list[Integers] = []
        for spent in range(budget + 1):
            codes = np.unique(np.concatenate(ahead[spent]))
            ahead[spent] = []
            found.append(codes)
            if sum(map(len, found)) > MOST_HOLDINGS:
                fits = float((spent - 1) * self._charges.unit)
                raise OptimalError(
                    f"there are more than {MOST_HOLDINGS} different things that can be bought of "
                    f"the cases of one label, too many for the exact programme; lower the budget "
                    f"to {fits:g} or less, or take fewer features"
                )
            rows = self._decoded(codes)
            for move in self.moves:
                after = spent + move.price
                if after <= budget:
                    here = codes[self._can(move, rows)]
                    ahead[after].extend(here + step for step in self._steps(move))
        return found
