"""What values that nobody asked for nor paid for would have cost, by the price list."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal

from budgeted.problem import CaseSoFar, Order, Problem
from budgeted.problem.prices import lines
from budgeted.studies.events import RECORDED, day_of
from budgeted.studies.projection import Requested


def listed_price(
    problem: Problem, known: Iterable[Requested], free: Sequence[Requested]
) -> list[Decimal]:
    """Return what values that nobody paid for would have cost, beside all that is known."""
    mine = {each.number for each in free}
    cases: dict[str, CaseSoFar] = {}
    for each in free:
        cases[each.case] = CaseSoFar(label=problem.label_index(each.label), name=each.case)
    for each in known:
        if each.case in cases and each.number not in mine and _is_there(each):
            feature = problem.feature_index(each.feature)
            cases[each.case] = cases[each.case].and_visit([feature], day_of(each.at))
    prices: list[Decimal] = []
    for each in free:
        feature, before, day = (
            problem.feature_index(each.feature),
            cases[each.case],
            day_of(each.at),
        )
        prices += lines(problem.prices, Order((feature,), before.label, each.case, day), before)
        cases[each.case] = before.and_visit([feature], day)
    return prices


def _is_there(request: Requested) -> bool:
    """Whether its case was there for it, paid or not: a fee is counted once for all of them."""
    return request.counts_as_visit or request.fate == RECORDED
