r"""Order another test or answer: a dynamic programme over what may become known of a case.

A situation is what is known of a case. To answer costs what the best answer is expected to cost,

    R(x) = min over answers a of  Σ_y C(a, y) P(y | x),

and to order test i costs its price, after which its value is known:

    V(x) = min( R(x),  min over i of  price(i | x) + Σ_k P(k | x, i) · V(x and i = k) )

with P(k | x, i) = Σ_y P(y | x) P(k | y), the shares of values that the model has for each label,
or what cases that were seen make of it (`budgeted.diagnosis.experience`).
Prices are those of the price list, so that a fee is due with the first test, and the second one of
a panel costs less. All situations with the same known tests are computed together, as one array
with an axis for each of these tests, from the last tests back to the first.

The programme goes over *width* tests and *depth* of them at the most. With all of both it is exact,
and where the limit ends it before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from budgeted.diagnosis.experience import Floats

Tests = tuple[int, ...]
"""Positions of tests among the candidates, rising."""
_TIE = 1e-12
"""What is better by no more than this, as a share of the largest cost, is not better."""


@dataclass(frozen=True, eq=False)
class Situations:
    """What the programme is about: candidates, and what is believed and paid in each situation."""

    sizes: tuple[int, ...]  # how many values each candidate has
    chances: Callable[[Sequence[Tests]], list[Floats]]
    values: Callable[[Tests, int, Floats], Floats]
    prices: Callable[[Tests, int], float | None]
    wrong: Floats  # what answers cost, answers × labels
    weight: float


@dataclass(frozen=True, eq=False)
class Solution:
    """What to do in each situation."""

    values: dict[Tests, Floats]
    choices: dict[Tests, NDArray[np.intp]]
    offers: dict[int, tuple[float, float]]
    cut: bool


def cells(sizes: Sequence[int], depth: int) -> int:
    """Return how many situations there are with at most so many of these tests known.

    >>> cells((2, 2, 3), 3), cells((2, 2, 3), 1)
    (36, 8)
    """
    found = [1]  # coefficients of Π (1 + r t), up to t^depth
    for size in sizes:
        longer = [*found, 0]
        for at, each in enumerate(found):
            longer[at + 1] += size * each
        found = longer[: depth + 1]
    return sum(found)


def solve(about: Situations, depth: int) -> Solution:
    """Return what to do in each situation with at most so many more tests."""
    number = len(about.sizes)
    largest = float(about.wrong.max())
    values: dict[Tests, Floats] = {}
    choices: dict[Tests, NDArray[np.intp]] = {}
    offers: dict[int, tuple[float, float]] = {}
    levels, prices, cut = _reachable(about, depth)
    for sets in reversed(levels):
        for tests, chances in zip(sets, about.chances(sets), strict=True):
            best = (chances @ about.wrong.T).min(axis=-1)
            choice = np.full(best.shape, -1, dtype=np.intp)
            paid = np.zeros(best.shape)
            for test in range(number):
                price = prices.get((tests, test))
                if price is None:
                    continue
                after = tuple(sorted((*tests, test)))
                then = np.moveaxis(values[after], after.index(test), -1)
                likely = about.values(tests, test, chances)
                cost = about.weight * price + (likely * then).sum(axis=-1)
                if not tests:
                    offers[test] = (float(cost), price)
                # A test that brings as much as another is taken if it is cheaper, and none is
                # taken that brings nothing.
                better = cost < best - _TIE * largest
                same = ~better & (cost <= best + _TIE * largest) & (choice >= 0) & (price < paid)
                take = better | same
                best, choice = np.where(take, cost, best), np.where(take, test, choice)
                paid = np.where(take, price, paid)
            values[tests], choices[tests] = best, choice
    return Solution(values, choices, offers, cut)


def _reachable(
    about: Situations, depth: int
) -> tuple[list[list[Tests]], dict[tuple[Tests, int], float], bool]:
    """Return the sets of tests that the limit allows, by their size; prices; whether it was cut.

    It was cut if the limit would allow a test after the last ones.
    """
    levels: list[list[Tests]] = [[()]]
    prices: dict[tuple[Tests, int], float] = {}
    tests = range(len(about.sizes))
    for _ in range(depth):
        found = set()
        for before in levels[-1]:
            for test in tests:
                price = None if test in before else about.prices(before, test)
                if price is not None:
                    prices[before, test] = price
                    found.add(tuple(sorted((*before, test))))
        if not found:
            return levels, prices, False
        levels.append(sorted(found))
    cut = any(
        about.prices(last, test) is not None
        for last in levels[-1]
        for test in tests
        if test not in last
    )
    return levels, prices, cut
