"""Stop once a percentage point of error is worth less than it costs."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING, ClassVar

from budgeted.errors import StopRuleError
from budgeted.problem import money
from budgeted.problem.money import MoneyLike
from budgeted.studies.events import Parameter
from budgeted.studies.stop_rules.base import (
    Situation,
    Verdict,
    percent,
    points,
    surely_gained,
    unforeseen,
)

if TYPE_CHECKING:
    from budgeted.problem.budgets import Terms
    from budgeted.studies.forecast import Forecast, Point

_CENT = Decimal("0.01")


@dataclass(frozen=True, init=False)
class PointWorth:
    """Stop when a percentage point less error is worth less than it costs.

    A forecast says what error is expected after each further amount of money. The rule goes on if
    at any of these amounts, up to the end of the budget, the points that are gained are worth at
    least what they cost, with the surcharge of a soft budget.

    Parameters
    ----------
    point_worth
        What it is worth that the error is one percentage point lower.
    """

    name: ClassVar[str] = "point-worth"
    summary: ClassVar[str] = "a percentage point of error is worth less than it costs"
    ahead: ClassVar[bool] = True

    point_worth: Decimal

    def __init__(self, point_worth: MoneyLike) -> None:
        try:
            worth = money.parse(point_worth, above_zero=True)
        except ValueError as error:
            raise StopRuleError([f"stop.point_worth: {error}"]) from None
        object.__setattr__(self, "point_worth", money.tidied(worth, Decimal(1)))

    def weigh(self, situation: Situation) -> Verdict:
        """Return whether some further amount of money is worth it."""
        if situation.forecast is None:
            return unforeseen(self, situation)
        terms, rest = situation.state.problem.terms, situation.rest
        now, best, paid = _best_ahead(situation.forecast, terms, self.point_worth)
        dearer = paid > money.subtract(best.money, now.money)
        gain = now.error - best.error
        worth = Decimal(f"{_worth(gain, self.point_worth):.2f}")
        stops = not paid or _worth(gain, self.point_worth) < float(paid)
        figures: dict[str, Parameter] = {
            "point_worth": money.show(self.point_worth),
            "gain": gain,
            "error": now.error,
            "best_error": best.error,
            "paid": money.show(paid),
            "worth": money.show(worth),
            "rest": money.show(rest),
            "runs": situation.forecast.runs,
        }
        point = f"a point of error is worth {money.show(self.point_worth)}"
        spent = f"the next {money.show(paid)}{', with the surcharge,' if dearer else ''}"
        change = f"from {percent(now.error)} to {percent(best.error)}, by {points(gain)}"
        if not paid:
            left = now.money < situation.forecast.end.money
            none = "there is nothing left to buy" if left else "there is no money left to buy one"
            words = f"{point}, and {none}: {percent(now.error)} is expected now"
        elif stops and gain <= 0:
            words = (
                f"{point}, and none of the remaining {money.show(rest)} is expected to lower the "
                f"error, {percent(now.error)} now"
            )
        elif stops:
            words = (
                f"{point}, and costs more than that, whatever is spent of the remaining "
                f"{money.show(rest)}: {spent} are expected to lower it {change}, worth "
                f"{money.show(worth)}"
            )
        else:
            words = f"{point}: {spent} are expected to lower it {change}, worth {money.show(worth)}"
        return Verdict(self.name, stops, words, figures)

    def clearly_goes_on(self, situation: Situation) -> bool:
        """Tell whether some runs gain what is worth more than it costs, by a standard error."""
        forecast = situation.forecast
        if forecast is None:
            return False
        _, best, paid = _best_ahead(forecast, situation.state.problem.terms, self.point_worth)
        gain = surely_gained(forecast, best)
        return bool(paid) and _worth(gain, self.point_worth) > float(paid)

    def words(self) -> str:
        """Return when it says to stop."""
        return f"when a percentage point of error costs more than {money.show(self.point_worth)}"


def _worth(gain: float, point_worth: Decimal) -> float:
    return 100 * gain * float(point_worth)


def _best_ahead(
    forecast: Forecast, terms: Terms, point_worth: Decimal
) -> tuple[Point, Point, Decimal]:
    """Today's point, the one whose gain exceeds its cost by most, and that cost.

    A run that ends before an amount is spent, since nothing is left or nothing is worth it, costs
    no more than it spends.
    """
    until = forecast.points.index(forecast.end) + 1
    now, *later = forecast.points[:until]

    def paid(point: Point) -> Decimal:
        costs = [_cost(terms, now, min(point.money, max(each, now.money)))
                 for each in forecast.spent or (point.money,)]  # fmt: skip
        if len(set(costs)) == 1:
            return costs[0]
        return (money.total(costs) / len(costs)).quantize(_CENT, ROUND_HALF_UP)

    if not later:
        return now, now, Decimal(0)
    best = max(
        later, key=lambda each: _worth(now.error - each.error, point_worth) - float(paid(each))
    )
    return now, best, paid(best)


def _cost(terms: Terms, now: Point, until: Decimal) -> Decimal:
    """What is paid from today until an amount is spent, with the surcharge of a soft budget."""
    added = money.subtract(terms.surcharge(until), terms.surcharge(now.money))
    return money.add(money.subtract(until, now.money), added)
