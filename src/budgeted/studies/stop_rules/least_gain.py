"""Stop once the rest of the money is not expected to lower the error by enough."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, ClassVar

from budgeted.errors import StopRuleError
from budgeted.problem import money
from budgeted.studies.events import Parameter
from budgeted.studies.stop_rules.base import (
    Situation,
    Verdict,
    percent,
    points,
    share_mistakes,
    surely_gained,
    unforeseen,
)

if TYPE_CHECKING:
    from budgeted.studies.forecast import Forecast, Point


@dataclass(frozen=True)
class LeastGain:
    """Stop when nothing left is expected to lower the error by more than so much.

    What is expected is read off a forecast: the error once what is under way has come back, and
    the lowest one that is expected at any amount from there to the end of the budget.

    Parameters
    ----------
    least_gain
        ε, by which the error, from 0 to 1, must be expected to fall for the rest of the money:
        0.01 is a percentage point.
    """

    name: ClassVar[str] = "least-gain"
    summary: ClassVar[str] = "nothing left is expected to lower the error by more than so much"
    ahead: ClassVar[bool] = True

    least_gain: float

    def __post_init__(self) -> None:
        mistakes = share_mistakes("least_gain", self.least_gain, 0, 1)
        if mistakes:
            raise StopRuleError(mistakes)

    def weigh(self, situation: Situation) -> Verdict:
        """Return whether the rest of the money is expected to bring enough."""
        if situation.forecast is None:
            return unforeseen(self, situation)
        return nothing_left(situation.forecast, self.least_gain, situation.rest)

    def clearly_goes_on(self, situation: Situation) -> bool:
        """Tell whether some runs gain more than enough, by a standard error."""
        forecast = situation.forecast
        if forecast is None:
            return False
        return surely_gained(forecast, lowest_ahead(forecast)) > self.least_gain

    def words(self) -> str:
        """Return when it says to stop."""
        return (
            f"when nothing left is expected to lower the error by more than "
            f"{points(self.least_gain)}"
        )


def lowest_ahead(forecast: Forecast) -> Point:
    """Return where the lowest error is expected, from now to the end of the budget."""
    until = forecast.points.index(forecast.end) + 1
    return min(forecast.points[:until], key=lambda point: point.error)


def _again_at(now: Point, end: Point, enough: float) -> Decimal:
    """Where to weigh anew: half-way to where the gain of the rest would have shrunk to enough.

    If it shrinks with the rest of the money, that is where as great a part of it is left as what is
    enough is of the gain. Half-way, since it may turn out better than expected.
    """
    way = Decimal(f"{(1 - enough) / 2:.2f}")
    return now.money + money.subtract(end.money, now.money) * way


def nothing_left(forecast: Forecast, least_gain: float, rest: Decimal) -> Verdict:
    """Return whether anything left lowers the expected error by more than `least_gain`.

    Parameters
    ----------
    forecast
        How the study would go on.
    least_gain
        ε, from 0 to 1.
    rest
        The money that is neither spent nor reserved.
    """
    now, best, end = forecast.now, lowest_ahead(forecast), forecast.end
    gain = now.error - best.error
    stops = gain <= least_gain
    figures: dict[str, Parameter] = {
        "least_gain": least_gain,
        "gain": gain,
        "error": now.error,
        "best_error": best.error,
        "best_at": money.show(best.money),
        "end_error": end.error,
        "rest": money.show(rest),
        "runs": forecast.runs,
    }
    if not stops:
        figures["again_at"] = money.show(_again_at(now, end, least_gain / gain))
    if stops:
        words = (
            f"nothing left is expected to lower the error by more than {points(least_gain)} for "
            f"the remaining {money.show(rest)}: {percent(now.error)} is expected now, "
            f"{percent(end.error)} when it is spent"
        )
        if best.error < min(now.error, end.error):
            words += f", and {percent(best.error)} at best, once {money.show(best.money)} are spent"
    else:
        words = (
            f"the remaining {money.show(rest)} are expected to lower the error by {points(gain)}, "
            f"from {percent(now.error)} to {percent(best.error)}; more than {points(least_gain)} "
            f"is wanted"
        )
    return Verdict(LeastGain.name, stops, words, figures)
