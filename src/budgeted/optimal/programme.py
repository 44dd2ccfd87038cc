"""The optimal policy by dynamic programming: no other way to spend the money does better.

What is known is a *tally*: how often each value of each label was seen since the start, label by
label, in a row of numbers. With money left, the least expected loss of a tally s is (Bellman, 1957)

    V(s) = min( L(s),  min over affordable cells (i, j) of  Σ_k P(k | s, i, j) · V(s + one k) )

where L is the loss of the belief and P the predictive probability of what a purchase brings. The
programme goes from spent budgets back to the full one, all tallies with the same money at once.

Features with the same values, price and prior are interchangeable; so are the values of a feature,
and the labels, where the prior does not tell them apart. Tallies that differ only by such an
exchange have the same future, and the least of them, read as a number, stands for all.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np

from budgeted.errors import OptimalError
from budgeted.learners.belief import Belief, Floats, Integers
from budgeted.learners.layout import position_in
from budgeted.problem import Action, Problem
from budgeted.value.loss import Loss, named

MOST_STATES = 1_000_000
"""A million situations take less than a minute."""
KINDS = ("labels", "features", "values")
"""What can be interchangeable."""

_MOST_EXCHANGES = 20_000
_LARGEST_TABLE = 2**22
_FLOATS_ARE_EXACT = 2**53


@dataclass(frozen=True, eq=False)
class Solution:
    """The optimal expected loss from every situation within a budget.

    Attributes
    ----------
    start, loss
        The belief at the beginning, and which loss is expected.
    levels
        For each amount of money spent, the codes of the situations, ascending, and their values.
    """

    start: Belief
    loss: Loss
    levels: tuple[tuple[Integers, Floats], ...]

    @property
    def states(self) -> int:
        """How many situations there are, equivalent ones counted once."""
        return sum(len(codes) for codes, _ in self.levels)

    @property
    def loss_now(self) -> float:
        """The loss before anything is bought."""
        return float(losses(self.start, np.zeros((1, self.start.tally.size)), self.loss)[0])

    @property
    def expected(self) -> float:
        """The least expected loss that the budget can buy."""
        return float(self.levels[0][1][0])

    def scores(self, belief: Belief) -> dict[Action, float]:
        """Return, for each affordable cell, the expected loss if it is bought and then all is done
        as well as can be; the least of them is what an optimal policy buys.
        """
        tallies = Tallies(self.start)
        seen = (belief.tally - self.start.tally)[None]
        spent = int((belief.seen - self.start.seen).sum(axis=1) @ tallies.costs)
        return {
            action: float(after[0])
            for action, after in expected_after(tallies, self.levels, spent, seen)
        }


def solve(start: Belief, loss: str | Loss = "gini", most_states: int = MOST_STATES) -> Solution:
    """Return the least expected loss that the budget of a problem can buy, and how.

    Parameters
    ----------
    start
        What is known at the beginning; each feature has a price, and cases are without end.
    loss
        ``gini``, ``entropy`` or ``zero_one``.
    most_states
        Refuse problems with more situations than this, equivalent ones counted once.

    Examples
    --------
    >>> from budgeted import Feature, Problem
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1), Feature("scan", ("no", "yes"), 4)],
    ...                   ("well", "ill"), prior=(0.5, 0.5), budget=14)
    >>> solution = solve(Belief.prior(problem))
    >>> print(f"{solution.loss_now:.4f} falls to {solution.expected:.4f}: {solution.states} states")
    0.5000 falls to 0.4246: 1688 states
    >>> solve(Belief.prior(problem), most_states=1_000)
    Traceback (most recent call last):
    ...
    budgeted.errors.OptimalError: the exact programme needs more than 1000 states; with these \
features a budget of 12 would fit (856 states); lower the budget, or allow more
    """
    kind, tallies = named(loss), Tallies(start)
    codes = tallies.levels(most_states)
    levels: list[tuple[Integers, Floats]] = [(each, np.empty(0)) for each in codes]
    for spent in reversed(range(len(levels))):
        values = []
        for seen in tallies.parts(codes[spent]):
            best = losses(start, seen, kind)
            for _, expected in expected_after(tallies, levels, spent, seen):
                best = np.minimum(best, expected)
            values.append(best)
        levels[spent] = (codes[spent], np.concatenate(values or [np.empty(0)]))
    return Solution(start, kind, tuple(levels))


def expected_after(
    tallies: Tallies, levels: Collection[tuple[Integers, Floats]], spent: int, seen: Integers
) -> Iterator[tuple[Action, Floats]]:
    """Yield each cell that the rest of the money buys, and the expected values after it."""
    levels, start = tuple(levels), tallies.start
    means = _means(start, seen)
    for action in start.problem.actions:
        after = spent + tallies.costs[action.feature]
        if after < len(levels):
            codes, values = levels[after]
            expected = np.zeros(len(seen))
            chances = means[:, action.label, start.columns(action.feature)].T
            for chance, found in zip(chances, tallies.after(seen, [action]), strict=True):
                expected += chance * values[np.searchsorted(codes, found)]
            yield action, expected


def losses(start: Belief, tallies: Integers | Floats, kind: Loss) -> Floats:
    """Return the loss of the belief after each tally, by multiplying out all its cases."""
    problem = start.problem
    result = np.empty(len(tallies))
    cases = len(problem.labels) * math.prod(start.layout.sizes)
    step = max(1, _LARGEST_TABLE // cases)
    for begin in range(0, len(tallies), step):
        means = _means(start, tallies[begin : begin + step])
        masses = np.broadcast_to(np.asarray(problem.prior)[:, None], (*means.shape[:2], 1))
        for feature in range(len(problem.features)):
            factor = means[:, :, None, start.columns(feature)]
            masses = (masses[..., None] * factor).reshape(*means.shape[:2], -1)
        result[begin : begin + step] = kind(np.swapaxes(masses, 1, 2)).sum(axis=1)
    return result


def _means(start: Belief, tallies: Integers | Floats) -> Floats:
    """The means after each tally: also the chances of what the next purchase of a cell brings."""
    counts = start.counts + tallies.reshape(len(tallies), *start.layout.shape)
    totals = np.add.reduceat(counts, start.layout.starts, axis=2)
    result: Floats = counts / np.repeat(totals, start.layout.widths, axis=2)
    return result


class Tallies:
    """All tallies that the money can buy, each class of equivalent ones as a number."""

    def __init__(self, start: Belief) -> None:
        self.start = start
        self.costs, self.budget = whole_units(start.problem)
        self._group = exchanges(start)
        self._numbered = self.budget
        while math.prod(radices := self._digits(self._numbered)) >= _FLOATS_ARE_EXACT:
            self._numbered -= 1
        self._radices = np.array(radices)
        self._powers = np.append(np.cumprod(self._radices[:0:-1])[::-1], 1)
        # Products of floats are many times faster than those of whole numbers, and exact here.
        self._weights = np.empty(self._group.shape)
        np.put_along_axis(self._weights, self._group, self._powers[None, :] * 1.0, axis=1)

    def _digits(self, budget: int) -> list[int]:
        """How many different numbers each position can have, with so much money."""
        return [budget // cost + 1 for cost in laid_out(self.start, self.costs).tolist()]

    def levels(self, most_states: int) -> list[Integers]:
        """Return the codes of all situations after each amount of money, ascending."""
        found = [np.zeros(1, dtype=np.int64)]
        states = 1
        for spent in range(1, self.budget + 1):
            if spent > self._numbered:
                raise OptimalError(
                    f"{len(self._radices)} values of all features and labels with this budget are "
                    "more than the exact programme can number; take fewer features or a smaller "
                    "budget"
                )
            new = [np.empty(0, dtype=np.int64)]
            for cost in sorted(set(self.costs)):
                sold = [each for each in self.start.problem.actions
                        if self.costs[each.feature] == cost]  # fmt: skip
                if cost <= spent:
                    for seen in self.parts(found[spent - cost]):
                        new.extend(np.unique(each) for each in self.after(seen, sold))
            found.append(np.unique(np.concatenate(new)))
            states += len(found[-1])
            if states > most_states:
                unit = self.start.problem.feature_prices[0] / self.costs[0]
                raise OptimalError(
                    f"the exact programme needs more than {most_states} states; with these "
                    f"features a budget of {(spent - 1) * unit:f} would fit "
                    f"({states - len(found[-1])} states); lower the budget, or allow more"
                )
        return found

    def parts(self, codes: Integers) -> Iterator[Integers]:
        """Yield the tallies that stand for these codes, as many at once as memory allows."""
        at_once = max(1, _LARGEST_TABLE // len(self._group))
        for begin in range(0, len(codes), at_once):
            yield codes[begin : begin + at_once, None] // self._powers % self._radices

    def after(self, seen: Integers, cells: Collection[Action]) -> Iterator[Integers]:
        """Yield, for each value of some cells, the codes of these tallies with one more of it."""
        every = seen.astype(float) @ self._weights.T
        for cell in cells:
            for value in range(self.start.layout.sizes[cell.feature]):
                weight = self._weights[:, position_in(self.start.problem, *cell, value)]
                yield (every + weight).min(axis=1).astype(np.int64)


def whole_units(problem: Problem) -> tuple[tuple[int, ...], int]:
    """Return the cost of each feature and the budget as whole numbers of the largest unit.

    What the budget has beyond a whole number of units pays for nothing.

    >>> from budgeted import Feature
    >>> problem = Problem([Feature("a", ("no", "yes"), "0.5"), Feature("b", ("no", "yes"), 2)],
    ...                   ("well", "ill"), (0.5, 0.5), "6.2")
    >>> whole_units(problem)
    ((1, 4), 12)
    """
    if not problem.separable or any(len(set(row)) > 1 for row in problem.fresh_prices):
        raise OptimalError("the exact programme is for problems with a price for each feature")
    pairs = [each.as_integer_ratio() for each in (*problem.feature_prices, problem.budget)]
    common = math.lcm(*(below for _, below in pairs))
    *costs, budget = (above * (common // below) for above, below in pairs)
    unit = math.gcd(*costs)
    return tuple(cost // unit for cost in costs), budget // unit


def exchanges(start: Belief, alike: Collection[str] = KINDS) -> Integers:
    """Return all ways to exchange interchangeable things, exchanges × positions of a tally.

    Each row r turns a tally into the equivalent ``tally[r]``. They form a group, because they are
    all those among the asked kinds that leave prior counts, costs and label shares as they are.
    """
    problem, sizes, kinds = start.problem, start.layout.sizes, set(alike)
    numbers = {"features": (len(sizes),), "labels": (len(problem.labels),), "values": sizes}
    for kind in reversed(KINDS):  # too many ways are not worth their while: values first
        if math.prod(math.factorial(n) for each in kinds for n in numbers[each]) > _MOST_EXCHANGES:
            kinds.discard(kind)

    def orders(number: int, kind: str) -> list[tuple[int, ...]]:
        every = itertools.permutations(range(number))
        return list(every) if kind in kinds else [tuple(range(number))]

    facts = np.stack([
        laid_out(start, whole_units(problem)[0]), np.repeat(problem.prior, start.layout.shape[1]),
        start.layout.prior_counts.ravel(), start.tally,
    ])  # fmt: skip
    found = []
    for order in orders(len(sizes), "features"):
        if all(sizes[old] == sizes[new] for new, old in enumerate(order)):
            for within in itertools.product(*(orders(size, "values") for size in sizes)):
                for labels in orders(len(problem.labels), "labels"):
                    moved = np.array([position_in(problem, old, label, value)
                                      for label in labels for old in order
                                      for value in within[old]])  # fmt: skip
                    if np.array_equal(facts[:, moved], facts):
                        found.append(moved)
    return np.stack(found)


def laid_out(start: Belief, of_features: Collection[int]) -> Integers:
    """Return what is said of each feature once for each position of a tally."""
    rows = np.repeat(np.asarray(of_features), start.layout.sizes)
    return np.tile(rows, len(start.problem.labels))
