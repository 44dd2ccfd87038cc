"""What this period of a budget has left, for studies whose money comes in periods.

An order belongs to the period of its day (UTC), with what is reserved for it, and later with what
is charged. So a failure or a cancellation gives the money back to that period, and a charge beyond
the price takes it from there. Money that is gone is gone: a charge, a correction or a value that is
recorded for money may exceed a period; only what is ordered afterwards is less.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from budgeted.problem import Periods, money
from budgeted.state import State
from budgeted.studies.days import day_of
from budgeted.studies.projection import Requested


@dataclass(frozen=True)
class Period:
    """Where a budget in periods stands on a day.

    Attributes
    ----------
    number, of
        Which period it is, counted from 1, and how many there are; 0 before the first.
    left
        What may still be ordered in it, with what earlier ones left over if that is carried over.
    ordered
        What belongs to it.
    next_day
        When the next one begins; None in the last one, and after it.
    """

    number: int
    of: int
    left: Decimal
    ordered: Decimal
    next_day: date | None

    def words(self) -> str:
        """Return how much is left, and until when."""
        until = "" if self.next_day is None else f"; the next period begins {self.next_day}"
        if self.number == 0:
            return f"the first period begins {self.next_day}"
        if self.number > self.of:
            return f"the last period is over, {money.show(self.left)} of it left"
        which = f"period {self.number} of {self.of}"
        return f"{money.show(self.left)} left in {which}{until}"


def period_of(state: State, requests: Iterable[Requested], today: date | None) -> Period | None:
    """Return where the periods of a budget stand; None if it has none, or there is no day.

    Parameters
    ----------
    state
        The money.
    requests
        Of the study, with the times at which they were asked for or recorded.
    today
        In UTC.
    """
    terms = state.problem.periods
    if terms is None or today is None or terms.begins is None:
        return None
    number = terms.number_on(today)
    of_this = money.total(_ordered_in(terms, number, requests))
    counted = money.add(state.spent, state.reserved) if terms.carry_over else of_this
    left = max(Decimal(0), money.subtract(terms.allowed(number), counted))
    ahead = terms.first_day(number + 1) if number + 1 < terms.periods else None
    shown = min(number, terms.periods) + 1
    return Period(shown, terms.periods, min(left, state.free), of_this, ahead)


def _ordered_in(terms: Periods, number: int, requests: Iterable[Requested]) -> Iterable[Decimal]:
    begins = terms.first_day(number).isoformat() if number >= 0 else "9999"
    ends = terms.first_day(number + 1).isoformat()
    return (each.cost for each in requests if begins <= each.at[:10] < ends)


def period_at(state: State, requests: Mapping[int, Requested], at: str) -> Period | None:
    """Return the same at a time as journals have it."""
    return period_of(state, requests.values(), day_of(at))
