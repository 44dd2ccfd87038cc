"""What was seen so far as a row of numbers, and when two such rows are the same situation.

A *tally* says how often each value of each label was seen since the start, label by label, as
`Belief.tally` does. Features with the same values, cost and
prior are interchangeable; so are the values of a feature, and the labels, where the prior does not
tell them apart. Tallies that differ only by such an exchange have the same future, and one code
stands for all of them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from budgeted.errors import OptimalError
from budgeted.learners.belief import Belief, Integers
from budgeted.learners.layout import laid_out, position_in
from budgeted.problem import Problem

KINDS = ("features", "labels", "values")
"""What can be interchangeable."""

MOST_EXCHANGES = 20_000
"""With more ways to exchange things than this, those of values are left alone."""
_LARGEST_TABLE = 2**22
_FLOATS_ARE_EXACT = 2**53
_LARGEST_CODE = 2**63 - 1
_MOST_UNITS = 10**6


def one_price_each(problem: Problem) -> bool:
    """Whether every feature has a price, whatever the case: then only tallies matter."""
    return problem.separable and all(len(set(row)) == 1 for row in problem.fresh_prices)


def whole_units(problem: Problem) -> tuple[tuple[int, ...], int]:
    """Return the cost of each feature and the budget as whole numbers of the largest unit.

    What the budget has beyond a whole number of units pays for nothing.

    >>> from budgeted import Feature
    >>> problem = Problem([Feature("a", ("no", "yes"), "0.5"), Feature("b", ("no", "yes"), 2)],
    ...                   ("well", "ill"), (0.5, 0.5), "6.2")
    >>> whole_units(problem)
    ((1, 4), 12)
    """
    amounts = [*problem.feature_prices, problem.budget]
    pairs = [amount.as_integer_ratio() for amount in amounts]
    common = math.lcm(*(below for _, below in pairs))
    *costs, budget = (above * (common // below) for above, below in pairs)
    unit = math.gcd(*costs)
    return tuple(cost // unit for cost in costs), budget // unit


def check_units(budget: int) -> None:
    """Raise an error if the budget has more units than there can be steps."""
    if budget > _MOST_UNITS:
        raise OptimalError(
            f"the budget is {budget} times the largest sum that all prices are multiples of, more "
            f"than the {_MOST_UNITS} steps that the exact programme takes; lower it, or round the "
            "prices"
        )


class Exchange(NamedTuple):
    """A way to exchange interchangeable things.

    Attributes
    ----------
    features, labels
        Which one stands in each place afterwards.
    positions
        Likewise of the positions of a tally, which becomes ``tally[positions]``.
    """

    features: tuple[int, ...]
    labels: tuple[int, ...]
    positions: Integers


def exchanges(start: Belief, alike: Collection[str] = KINDS) -> Integers:
    """Return all ways to exchange interchangeable things, exchanges × positions of a tally.

    Each row r turns a tally into the equivalent ``tally[r]``. They form a group, because they are
    all those among the asked kinds that leave prior counts, costs and label shares as they are.

    Parameters
    ----------
    start
        The belief at which tallies begin.
    alike
        Which kinds to exchange: ``features``, ``labels``, ``values``.
    """
    costs, _ = whole_units(start.problem)
    prices = laid_out(start.problem, costs)
    found = exchanges_that(
        start, lambda each: np.array_equal(prices[each.positions], prices), alike
    )
    return np.stack([each.positions for each in found])


def exchanges_that(
    start: Belief, keep: Callable[[Exchange], bool], alike: Collection[str] = KINDS
) -> list[Exchange]:
    """Return the exchanges that leave what is known as it is, and what else is asked for.

    Parameters
    ----------
    start, alike
        As for `exchanges`.
    keep
        Whether an exchange leaves prices as they are.
    """
    problem, facts, kinds = start.problem, start.facts(), set(alike)
    if "values" in kinds and _most(problem, kinds) > MOST_EXCHANGES:
        kinds.discard("values")
    return [
        each
        for each in _candidates(problem, kinds)
        if keep(each) and all(np.array_equal(fact[each.positions], fact) for fact in facts)
    ]


def _most(problem: Problem, kinds: Collection[str]) -> int:
    ways = math.factorial(len(problem.features)) if "features" in kinds else 1
    ways *= math.factorial(len(problem.labels)) if "labels" in kinds else 1
    return ways * math.prod(math.factorial(len(each.values)) for each in problem.features)


def _candidates(problem: Problem, kinds: Collection[str]) -> Iterator[Exchange]:
    def orders(number: int, kind: str) -> list[tuple[int, ...]]:
        every = itertools.permutations(range(number))
        return list(every) if kind in kinds else [tuple(range(number))]

    sizes = [len(each.values) for each in problem.features]
    features = [
        order
        for order in orders(len(sizes), "features")
        if all(sizes[old] == sizes[new] for new, old in enumerate(order))
    ]
    values = list(itertools.product(*(orders(size, "values") for size in sizes)))
    for order, within in itertools.product(features, values):
        for labels in orders(len(problem.labels), "labels"):
            yield Exchange(order, labels, np.array([
                position_in(problem, old, label, value)
                for label in labels for old in order for value in within[old]
            ]))  # fmt: skip


def count_states(start: Belief, group: Integers, budget: int) -> list[int]:
    """Return how many different situations there are after spending 0, 1, …, `budget` units.

    Burnside: the number of classes is the mean, over the group, of the number of tallies that an
    exchange leaves alone; those are constant along its cycles. Nothing is enumerated.
    """
    costs, _ = whole_units(start.problem)
    prices = laid_out(start.problem, costs)
    totals = [0] * (budget + 1)
    remembered: dict[tuple[int, ...], list[int]] = {}
    for exchange in group:
        steps = tuple(sorted(int(prices[cycle].sum()) for cycle in _cycles(exchange.tolist())))
        if steps not in remembered:
            ways = [1] + [0] * budget
            for step in steps:
                for spent in range(step, budget + 1):
                    ways[spent] += ways[spent - step]
            remembered[steps] = ways
        totals = [total + ways for total, ways in zip(totals, remembered[steps], strict=True)]
    return [total // len(group) for total in totals]


def _cycles(order: list[int]) -> Iterator[list[int]]:
    left = set(range(len(order)))
    while left:
        first = left.pop()
        cycle, at = [first], order[first]
        while at != first:
            left.remove(at)
            cycle.append(at)
            at = order[at]
        yield cycle


@dataclass(frozen=True, eq=False)
class Codes:
    """One whole number for each class of equivalent tallies.

    A tally is read as a number with a digit per position; a class has the least of its members.

    Parameters
    ----------
    start
        The belief at which tallies begin.
    group
        The exchanges that make tallies equivalent; see `exchanges`.

    Examples
    --------
    >>> from budgeted import Belief, Feature, Problem
    >>> problem = Problem([Feature("a", ("no", "yes"), 1), Feature("b", ("no", "yes"), 1)],
    ...                   ("well", "ill"), (0.5, 0.5), 9)
    >>> start = Belief.prior(problem)
    >>> codes = Codes(start, exchanges(start))
    >>> codes.of(np.array([[0, 0, 3, 1, 0, 0, 0, 0], [0, 0, 0, 0, 1, 3, 0, 0]])).tolist()
    [13, 13]
    >>> codes.tallies(np.array([13])).tolist()
    [[0, 0, 0, 0, 0, 0, 1, 3]]
    """

    start: Belief
    group: Integers

    def __post_init__(self) -> None:
        if math.prod(self._radices.tolist()) > _LARGEST_CODE:
            raise OptimalError(
                f"{self.group.shape[1]} values of all features and labels with this budget are "
                "more than the exact programme can number; take fewer features or a smaller budget"
            )

    @cached_property
    def _radices(self) -> NDArray[np.object_]:
        costs, budget = whole_units(self.start.problem)
        digits = [budget // cost + 1 for cost in costs]
        return laid_out(self.start.problem, digits).astype(object)

    @cached_property
    def _powers(self) -> Integers:
        """Worth of each position."""
        return np.append(np.cumprod(self._radices[:0:-1])[::-1], 1).astype(np.int64)

    @cached_property
    def _weights(self) -> NDArray[np.generic]:
        """Worth of each position under each exchange, positions × exchanges."""
        worth = np.empty(self.group.shape, dtype=np.int64)
        np.put_along_axis(worth, self.group, self._powers[None, :], axis=1)
        # Products of floats are many times faster, and exact while codes are this small.
        small = math.prod(self._radices.tolist()) < _FLOATS_ARE_EXACT
        return worth.T.astype(np.float64 if small else np.int64)

    @property
    def at_once(self) -> int:
        """How many tallies to handle at once, so that memory stays bounded."""
        return max(1, _LARGEST_TABLE // len(self.group))

    def of(self, tallies: Integers) -> Integers:
        """Return the code of each tally, a row each."""
        return self._least(self._all(tallies))

    def as_it_is(self, tally: Integers) -> Integers:
        """Return the number of a tally that stands for itself, as an array of one."""
        result: Integers = tally[None] @ self._powers
        return result

    def after(self, tallies: Integers, positions: Collection[int]) -> Iterator[Integers]:
        """Yield, for each position in turn, the codes of the tallies with one more seen there."""
        every = self._all(tallies)
        for position in positions:
            yield self._least(every + self._weights[position])

    def tallies(self, codes: Integers) -> Integers:
        """Return the tally that stands for each code."""
        digits = codes[:, None] // self._powers
        result: Integers = digits % self._radices.astype(np.int64)
        return result

    def _all(self, tallies: Integers) -> NDArray[np.generic]:
        result: NDArray[np.generic] = tallies.astype(self._weights.dtype) @ self._weights
        return result

    @staticmethod
    def _least(every: NDArray[np.generic]) -> Integers:
        result: Integers = every.min(axis=1).astype(np.int64)
        return result
