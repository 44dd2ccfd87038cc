"""What values that nobody asked for nor paid for would have cost, by the price list."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal

from budgeted.problem import CaseSoFar, Order, Problem
from budgeted.problem.prices import lines
from budgeted.studies.fates import PENDING, RECORDED, TOLD
from budgeted.studies.projection import Requested


def listed_price(
    problem: Problem, known: Iterable[Requested], free: Sequence[Requested]
) -> list[Decimal]:
    """Return what values that nobody paid for would have cost, beside all that is known.

    Parameters
    ----------
    problem
        With its price list.
    known
        All requests and recorded values of the study.
    free
        Those of them whose price is wanted.
    """
    mine = {each.number for each in free}
    had: dict[str, set[int]] = {each.case: set() for each in free}
    for each in known:
        if each.case in had and each.number not in mine and each.fate in (PENDING, TOLD, RECORDED):
            had[each.case].add(problem.feature_index(each.feature))
    prices: list[Decimal] = []
    for each in free:
        feature, label = problem.action(each.feature, each.label)
        before = CaseSoFar(frozenset(had[each.case]), label, each.case)
        prices += lines(problem.prices, Order((feature,), label, each.case), before)
        had[each.case].add(feature)
    return prices
