"""All situations under a price list that looks at the case: what is held of each label.

A situation is a holding (`budgeted.optimal.holdings`) of each label. As with tallies, features,
labels and values that nothing tells apart, prices of profiles included, can be exchanged, and the
least code of all equivalent situations stands for them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from functools import cached_property

import numpy as np

from budgeted.errors import OptimalError
from budgeted.learners.belief import Belief, Integers
from budgeted.optimal.charges import Charges, Profile
from budgeted.optimal.holdings import Holdings
from budgeted.optimal.steps import Step
from budgeted.optimal.tallies import KINDS, Exchange, check_units, exchanges_that
from budgeted.state import State

_LARGEST_TABLE = 2**22
_LARGEST_CODE = 2**63 - 1


def price_exchanges(
    start: Belief, charges: Charges, alike: Collection[str] = KINDS
) -> list[Exchange]:
    """Return the exchanges that leave what is known and the price of every profile as it is."""

    def same_prices(each: Exchange) -> bool:
        return all(
            amount == charges.amounts[old][frozenset(each.features[at] for at in profile)]
            for label, old in enumerate(each.labels)
            for profile, amount in charges.amounts[label].items()
        )

    return exchanges_that(start, same_prices, alike)


class Visits:
    """Codes of situations, and what can be bought in each.

    Parameters
    ----------
    start
        What is known at the beginning.
    """

    def __init__(self, start: Belief) -> None:
        self._start = start
        self.charges = Charges.of(start.problem)
        check_units(self.charges.budget)
        self._exchanges = price_exchanges(start, self.charges)
        alike: dict[tuple[tuple[Profile, int], ...], Holdings] = {}
        self._holdings = [
            alike.setdefault(tuple(amounts.items()), Holdings(self.charges, label))
            for label, amounts in enumerate(self.charges.amounts)
        ]
        self._powers = [
            max(map(len, self._holdings)) ** at for at in reversed(range(len(self._holdings)))
        ]
        if max(map(len, self._holdings)) ** len(self._holdings) > _LARGEST_CODE:
            raise OptimalError(
                "with so many labels and this budget there are more situations than the exact "
                "programme can number; take fewer labels or a smaller budget"
            )

    @property
    def at_once(self) -> int:
        """How many situations to handle at once, so that memory stays bounded."""
        return max(1, _LARGEST_TABLE // len(self._exchanges))

    def levels(self, most_states: int) -> list[Integers]:
        """Return the codes of all situations after each amount of money, ascending.

        Raises
        ------
        OptimalError
            As soon as there are more than allowed.
        """
        self._check_number(most_states)
        budget = self.charges.budget
        ahead: list[list[Integers]] = [[np.empty(0, dtype=np.int64)] for _ in range(budget + 1)]
        ahead[0].append(np.zeros(1, dtype=np.int64))
        found: list[Integers] = []
        for spent in range(budget + 1):
            found.append(np.unique(np.concatenate(ahead[spent])))
            ahead[spent] = []
            number = sum(map(len, found))
            if number > most_states:
                raise self._too_many("more than ", number, most_states, spent - 1,
                                     number - len(found[-1]))  # fmt: skip
            for begin in range(0, len(found[-1]), self.at_once):
                for step in self.steps(found[-1][begin : begin + self.at_once]):
                    if spent + step.cost <= budget:
                        ahead[spent + step.cost].extend(map(np.unique, step.after))
        return found

    def tallies(self, codes: Integers) -> Integers:
        """Return the tally of each situation."""
        held = self._held(codes)
        return np.concatenate(
            [each.tallies[at] for each, at in zip(self._holdings, held, strict=True)], axis=1
        )

    def steps(self, codes: Integers) -> Iterator[Step]:
        """Yield all purchases, each with the situations in which it is possible."""
        held = self._held(codes)
        parts = [table[at] for table, at in zip(self._tables, held, strict=True)]
        for label, holdings in enumerate(self._holdings):
            others = np.zeros_like(parts[label])
            for at, part in enumerate(parts):
                if at != label:
                    others += part
            for move, nexts in zip(holdings.moves, holdings.next, strict=True):
                rows = np.flatnonzero(nexts[0][held[label]] >= 0)
                if len(rows):
                    after = (
                        (others[rows] + self._tables[label][each[held[label][rows]]]).min(axis=1)
                        for each in nexts
                    )
                    yield Step(move.price, rows, move.features, label, after, move.before)

    def at(self, state: State) -> Integers:
        """Return the code of a state, which stands for itself, as an array of one."""
        tally = (state.belief.tally - self._start.tally).reshape(len(self._holdings), -1)
        code = np.zeros(1, dtype=np.int64)
        for label, holdings in enumerate(self._holdings):
            opened = Counter(
                case.features & block
                for case in state.visited.values()
                if case.label == label
                for block in self.charges.blocks
            )
            row = holdings.row(tally[label], opened)
            code += holdings.find(row[None]) * self._powers[label]
        return code

    def case(self, state: State, step: Step) -> str | int:
        """Return a case on which a purchase can be made; a new number for a fresh one."""
        block = next(each for each in self.charges.blocks if each.issuperset(step.features))
        can = (
            name for name, case in state.visited.items()
            if case.label == step.label and case.features & block == step.before
        )  # fmt: skip
        return next(can) if step.before else -state.next_number

    @cached_property
    def _tables(self) -> list[Integers]:
        """For each label, what each holding adds to the code, holdings × exchanges."""
        width = sum(len(each.values) for each in self._start.problem.features)
        tables = []
        for label, holdings in enumerate(self._holdings):
            columns = []
            for each in self._exchanges:
                place = each.labels.index(label)  # where the label stands afterwards
                part = each.positions[place * width : (place + 1) * width] - label * width
                moved = holdings.rows[:, holdings.moved(each.features, part)]
                columns.append(self._holdings[place].find(moved) * self._powers[place])
            tables.append(np.stack(columns, axis=1))
        return tables

    def _held(self, codes: Integers) -> list[Integers]:
        base = max(map(len, self._holdings))
        return [codes // power % base for power in self._powers]

    def _check_number(self, most_states: int) -> None:
        """Raise an error if there are too many even if no two were exchanged in vain."""
        ways = np.ones(1, dtype=object)
        for holdings in self._holdings:
            numbers = np.array([len(each) for each in holdings.by_cost], dtype=object)
            ways = np.convolve(ways, numbers)[: self.charges.budget + 1]
        total = np.cumsum(ways)
        least = -(-total[-1] // len(self._exchanges))
        if least > most_states:
            fits = int(np.flatnonzero(total <= most_states)[-1])
            raise self._too_many("at least ", int(least), most_states, fits, int(total[fits]))

    def _too_many(
        self, more: str, states: int, most_states: int, fits: int, number: int
    ) -> OptimalError:
        money = float(fits * self.charges.unit)
        return OptimalError(
            f"the exact programme would need {more}{states} states, {most_states} are allowed: "
            f"with these features and prices a budget of {money:g} would fit (up to {number} "
            "states); lower the budget, or allow more"
        )
