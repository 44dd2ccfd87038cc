"""What a quote of a tariff costs, against one of a plain price for each feature.

Policies ask for thousands of quotes before they decide, so the ratios must stay below the bounds:
one value of a fresh case, and one of a case that came before; without a calendar, as in
simulations, and with days on which prices change.

    python -m research.speed.quotes [--json]
"""

from __future__ import annotations

import sys
import timeit
from collections.abc import Callable
from datetime import date
from decimal import Decimal

from budgeted import Feature, Problem
from budgeted.problem import CaseSoFar, Order, PriceList, Tariff
from budgeted.problem.orders import Visit
from research.speed.findings import Finding, exit_status

_TIMES, _REPEATS = 2_000, 20
FEATURES = [Feature(f"f{at}", ("no", "yes"), "1.50") for at in range(20)]
PRICES = {
    "visit_fee": 50,
    "visit_days": 30,
    "panels": [
        {"name": "sample", "features": ["f0", "f1", "f2"], "shared": "0.30", "days": 7},
        {"name": "kit", "features": ["f3", "f4"], "whole": True, "price": 9},
    ],
}
CHANGES = [{"day": date(2026, 6, 1), "visit_fee": 55}, {"day": date(2027, 1, 1), "visit_fee": 60}]
FIRST, LATER = date(2026, 5, 20), date(2026, 6, 3)


def seconds(ask: Callable[[], Decimal]) -> float:
    """Return the least time of many quotes."""
    return min(timeit.repeat(ask, number=_TIMES, repeat=_REPEATS)) / _TIMES


def main(as_json: bool = False) -> int:
    """Measure, print, and say whether the bounds hold."""

    def listed(prices: PriceList | None) -> PriceList:
        return Problem(FEATURES, ("a", "b"), (0.5, 0.5), 1000, prices).prices

    plain, tariff = listed(None), listed(Tariff(**PRICES))  # type: ignore[arg-type]
    changing = listed(Tariff(**PRICES, changes=CHANGES))  # type: ignore[arg-type]
    order, dated = Order((0,), 0), Order((0,), 0, day=LATER)
    fresh, used = CaseSoFar(), CaseSoFar(frozenset({1, 3}))
    came = tuple(Visit(frozenset({at}), FIRST) for at in (1, 3))
    known = CaseSoFar(frozenset({1, 3}), visits=came)
    usual = seconds(lambda: plain.quote(order, fresh))
    findings = [
        Finding(f"{claim}, times one of per-feature", seconds(ask) / usual, bound, at_least=False)
        for claim, ask, bound in (
            ("a fresh case", lambda: tariff.quote(order, fresh), 3),
            ("a case that came before", lambda: tariff.quote(order, used), 15),
            ("a fresh case, by the day", lambda: changing.quote(dated, fresh), 4),
            ("a case that came before, by the day", lambda: changing.quote(dated, known), 25),
        )
    ]
    if not as_json:
        print(f"a quote of per-feature takes {1e6 * usual:.2f} µs; one of a tariff for")
        print(*findings, sep="\n")
    return exit_status(findings, as_json)


if __name__ == "__main__":
    sys.exit(main("--json" in sys.argv[1:]))
