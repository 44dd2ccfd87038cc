"""Small problems with visit fees and a panel, solved exactly: does a policy weigh whole orders?

Two features at 1, or three at 1, 2 and 3. The first two are a panel: with a set-up of half the mean
price, or sold only whole, for what the two cost less a quarter. A visit costs 0, 1, 2 or 5 times
the mean price. Nothing is known of any feature and the labels are as frequent; or one feature is
known to be good and one seems poor, and the second label is the rarer one. The money pays for three
visits with everything, and for one more with the cheapest feature.
"""

from __future__ import annotations

from decimal import Decimal
from itertools import product, starmap

from budgeted.optimal.yardsticks import EVEN, KNOWN, VAGUE, Counts, Yardstick, small_problem
from budgeted.problem import CaseSoFar, Order, money
from budgeted.problem.prices import Panel, Tariff

FEES = (0, 1, 2, 5)
"""Times the mean price."""
_VISITS = 3
_COSTS = {2: (Decimal(1), Decimal(1)), 3: (Decimal(1), Decimal(2), Decimal(3))}
_KNOWN: dict[str, tuple[tuple[Counts, Counts, Counts], tuple[float, float]]] = {
    "flat": ((1, 1, 1), EVEN),
    "known": ((VAGUE, KNOWN, 1), (0.7, 0.3)),
}


def _made(number: int, panel: str, known: str, fee: int) -> Yardstick:
    costs = _COSTS[number]
    mean = sum(costs, Decimal(0)) / number
    counts, prior = _KNOWN[known]
    prices = Tariff(visit_fee=money.parse(fee * mean), panels=(_panel(panel, costs, mean),))
    free = small_problem((2,) * number, costs, counts[:number], prior, 0, prices)
    everything = free.quote(Order(tuple(range(number)), 0), CaseSoFar())
    budget = _VISITS * everything + min(free.feature_prices)
    return Yardstick(
        f"{number}-{panel}-{known}-fee-{fee}",
        f"{number} features, {'a set-up' if panel == 'setup' else 'a panel sold whole'}, "
        f"{'nothing' if known == 'flat' else 'something'} known, a visit at {fee} × the mean price",
        small_problem((2,) * number, costs, counts[:number], prior, budget, prices),
    )


def _panel(kind: str, costs: tuple[Decimal, ...], mean: Decimal) -> Panel:
    if kind == "setup":
        return Panel("panel", ("x1", "x2"), setup=mean / 2)
    return Panel("panel", ("x1", "x2"), price=sum(costs[:2], Decimal(0)) * 3 / 4, whole=True)


WITH_FEES = {
    each.name: each for each in starmap(_made, product(_COSTS, ("setup", "whole"), _KNOWN, FEES))
}
"""Every one of these problems by its name."""
