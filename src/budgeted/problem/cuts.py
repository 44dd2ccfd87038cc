"""Where to cut numbers into categories: at quantiles, or where the labels change.

Cuts by labels are those of information gain: of all places between two different numbers the one is
taken after which the label is least uncertain, and then each side is cut in the same way. It ends
by the rule of Fayyad and Irani (*Multi-interval discretization of continuous-valued attributes for
classification learning*, IJCAI 1993): a cut is accepted while it makes the labels shorter to
describe by more bits than it takes to describe the cut (minimum description length, MDL).
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Hashable, Sequence
from decimal import Decimal
from typing import NamedTuple, TypeVar

QUANTILES = {"median": 2, "terciles": 3, "quartiles": 4, "quintiles": 5, "deciles": 10}
"""How many categories, with about equally many numbers each, a word stands for."""
_TIE = 1e-12
"""Gains that differ by less are the same: logarithms are rounded, by each processor in its way."""
_DIGITS = 12
"""Significant digits of a place between two numbers, where more would separate them no better."""

Ordered = TypeVar("Ordered", float, Decimal)


def quantile_cuts(numbers: Sequence[Ordered], parts: int) -> list[Ordered]:
    """Return some of the numbers, between which about equally many others lie.

    A number on a cut belongs to the part above. There are fewer cuts than wanted where many
    numbers are equal, and none if all are.

    >>> quantile_cuts([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 3)
    [3.0, 5.0]
    >>> quantile_cuts([0.0, 0.0, 0.0, 0.0, 7.0], 2), quantile_cuts([4.0, 4.0], 2)
    ([7.0], [])
    """
    ranked = sorted(numbers)
    above = bisect_right(ranked, ranked[0]) if ranked else 0
    if above == len(ranked):
        return []
    # Below the smallest number there is nothing: a cut there moves up to the next number.
    places = (ranked[len(ranked) * cut // parts] for cut in range(1, parts))
    return sorted({max(place, ranked[above]) for place in places})


class LabelCuts(NamedTuple):
    """Cuts by labels, and whether the rule accepted any; if not, the best one is there."""

    cuts: list[Decimal]
    accepted: bool


def label_cuts(numbers: Sequence[Decimal], labels: Sequence[Hashable]) -> LabelCuts:
    """Return the cuts of information gain, as many as the MDL rule accepts.

    Where it accepts none, that is said, and the one with the largest gain is returned; there is
    none at all where all numbers are equal.

    >>> numbers = [Decimal(each) for each in (36, 37, 37, 38, 39, 40, 40, 41)]
    >>> label_cuts(numbers, ["well"] * 4 + ["ill"] * 4)
    LabelCuts(cuts=[Decimal('38.5')], accepted=True)
    >>> label_cuts(numbers, ["well", "ill"] * 4).accepted
    False
    """
    tally: dict[Decimal, Counter[Hashable]] = {}
    for number, label in zip(numbers, labels, strict=True):
        tally.setdefault(number, Counter())[label] += 1
    groups = sorted(tally.items())
    found = _accepted(groups)
    if found or len(groups) < 2:
        return LabelCuts(sorted(found), bool(found))
    at, _ = _best(groups)
    return LabelCuts([between(groups[at - 1][0], groups[at][0])], accepted=False)


def between(low: Decimal, high: Decimal) -> Decimal:
    """Return the middle of two numbers, rounded as far as it still lies between them.

    >>> between(Decimal("37"), Decimal("38")), between(Decimal("0.3000001"), Decimal("0.3000002"))
    (Decimal('37.5'), Decimal('0.30000015'))
    """
    middle = (low + high) / 2
    for digits in range(_DIGITS, 29):
        rounded = middle if not middle else round(middle, digits - middle.adjusted() - 1)
        if low < rounded <= high:
            return rounded.normalize() if rounded else Decimal(0)
    return high


Group = tuple[Decimal, Counter[Hashable]]
"""A number, and how often each label has it."""


def _accepted(groups: Sequence[Group]) -> list[Decimal]:
    """Return the cuts that the rule accepts, in no order."""
    cuts: list[Decimal] = []
    waiting = [groups]
    while waiting:
        part = waiting.pop()
        if len(part) < 2:
            continue
        at, gain = _best(part)
        if gain > _description(part, at) + _TIE:
            cuts.append(between(part[at - 1][0], part[at][0]))
            waiting += (part[:at], part[at:])
    return cuts


def _best(groups: Sequence[Group]) -> tuple[int, float]:
    """Return how many numbers lie below the best cut, the lowest of several, and its gain."""
    total = _total(groups)
    count, whole = total.total(), _entropy(total)
    below: Counter[Hashable] = Counter()
    best = (1, -math.inf)
    for at, (_, labels) in enumerate(groups[:-1], 1):
        below.update(labels)
        above = total - below
        held = below.total() * _entropy(below) + above.total() * _entropy(above)
        gain = whole - held / count
        if gain > best[1] + _TIE:
            best = (at, gain)
    return best


def _description(groups: Sequence[Group], at: int) -> float:
    """Return how many bits for each number it takes to describe a cut: the threshold of MDL."""
    parts = [_total(each) for each in (groups, groups[:at], groups[at:])]
    count = parts[0].total()
    bits = [len(each) * _entropy(each) for each in parts]
    delta = math.log2(3 ** len(parts[0]) - 2) - (bits[0] - bits[1] - bits[2])
    return (math.log2(count - 1) + delta) / count


def _total(groups: Sequence[Group]) -> Counter[Hashable]:
    total: Counter[Hashable] = Counter()
    for _, labels in groups:
        total.update(labels)
    return total


def _entropy(labels: Counter[Hashable]) -> float:
    count = labels.total()
    return -math.fsum(each / count * math.log2(each / count) for each in labels.values())
