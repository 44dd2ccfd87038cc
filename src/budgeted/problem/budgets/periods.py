"""A budget in periods: so much a month, a week or some days.

An order belongs to the period of the day on which it was placed, whenever its value comes back.
What is given back, by a failure or a cancellation, and what is charged later than that goes to the
period of the order. What may be ordered today is what the periods allow so far less what belongs to
them; with money that is not carried over, only this period counts.
"""

from __future__ import annotations

import calendar
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from budgeted.errors import ProblemError
from budgeted.problem import money
from budgeted.problem.money import MoneyLike

MOST_PERIODS = 10_000
_EVERY = ("month", "week")
_LONGEST = 3_660
"""Days of a period."""


@dataclass(frozen=True, init=False)
class Periods:
    """So much for each of some periods.

    Parameters
    ----------
    amount
        The money of one period.
    every
        ``month``, ``week``, or a number of days.
    periods
        How many there are; the money of all of them is the limit of the study.
    carry_over
        Whether money that was not ordered with is there in the next period; it is lost otherwise.
        After the last period only what was carried over can be ordered.
    begins
        The first day of the first period; the day on which a study begins, unless given.

    Examples
    --------
    >>> monthly = Periods(100, "month", 12, begins="2026-01-31")
    >>> monthly.limit, [str(monthly.first_day(number)) for number in range(3)]
    (Decimal('1200'), ['2026-01-31', '2026-02-28', '2026-03-31'])
    >>> monthly.number_on(date(2026, 3, 1)), monthly.allowed(1)
    (1, Decimal('200'))
    >>> Periods(100, "fortnight", 0)
    Traceback (most recent call last):
    ...
    budgeted.errors.ProblemError: budget.every: must be 'month', 'week' or a number of days, got \
'fortnight'; budget.periods: must be a whole number from 1 to 10000, got 0
    """

    amount: Decimal
    every: str | int
    periods: int
    carry_over: bool
    begins: date | None

    def __init__(
        self,
        amount: MoneyLike,
        every: str | int,
        periods: int,
        carry_over: bool = True,
        begins: date | str | None = None,
    ) -> None:
        mistakes: list[str] = []
        sum_ = Decimal(0)
        try:
            sum_ = money.parse(amount)
        except ValueError as error:
            mistakes.append(f"budget.amount: {error}")
        if every not in _EVERY and not _whole(every, _LONGEST):
            mistakes.append(
                f"budget.every: must be 'month', 'week' or a number of days, got {every!r}"
            )
        if not _whole(periods, MOST_PERIODS):
            mistakes.append(
                f"budget.periods: must be a whole number from 1 to {MOST_PERIODS}, got {periods!r}"
            )
        if not isinstance(carry_over, bool):
            mistakes.append(f"budget.carry_over: must be true or false, got {carry_over!r}")
        first = _day(begins, mistakes)
        if not mistakes:
            try:
                money.parse(money.times(sum_, periods))
                self._set(amount=sum_, every=every, periods=periods, carry_over=carry_over,
                          begins=first)  # fmt: skip
                if first is not None:
                    self.first_day(periods)
            except ValueError as error:
                mistakes.append(f"budget: all periods together: {error}")
            except OverflowError:
                mistakes.append(f"budget.periods: {periods} periods end after the year 9999")
        if mistakes:
            raise ProblemError(mistakes)

    def _set(self, **values: object) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @property
    def limit(self) -> Decimal:
        """The money of all periods."""
        return money.times(self.amount, self.periods)

    def surcharge(self, committed: Decimal) -> Decimal:
        """Return nothing: there is none."""
        return Decimal(0)

    def beginning(self, day: date | None) -> Periods:
        """Return the same with a first day, which is that of the study unless it was given."""
        return self if self.begins is not None or day is None else replace(self, begins=day)

    def first_day(self, number: int) -> date:
        """Return the day on which a period begins; they are counted from 0.

        A month begins on the same day as the first one, or on its last day if it has no such day.
        """
        assert self.begins is not None, "a study says when its periods begin"
        if self.every == "month":
            months = self.begins.year * 12 + self.begins.month - 1 + number
            year, month = divmod(months, 12)
            if year > 9999:
                raise OverflowError
            last = calendar.monthrange(year, month + 1)[1]
            return date(year, month + 1, min(self.begins.day, last))
        days = 7 if self.every == "week" else int(self.every)
        return self.begins + timedelta(days=days * number)

    def number_on(self, day: date) -> int:
        """Return which period a day is in, from 0; below 0 before the first, and on after the last.

        >>> weekly = Periods(10, "week", 2, begins=date(2026, 1, 5))
        >>> [weekly.number_on(date(2026, 1, each)) for each in (4, 5, 11, 12, 30)]
        [-1, 0, 0, 1, 3]
        """
        assert self.begins is not None, "a study says when its periods begin"
        if self.every == "month":
            number = (day.year - self.begins.year) * 12 + day.month - self.begins.month
            return number - (day < self.first_day(number)) if number >= 0 else -1
        days = 7 if self.every == "week" else int(self.every)
        return max(-1, (day - self.begins).days // days)

    def allowed(self, number: int) -> Decimal:
        """Return what may have been ordered by the end of a period; in it, without carrying over.

        >>> [str(Periods(10, "week", 2, carry).allowed(at)) for carry in (True, False)
        ...  for at in (-1, 0, 1, 2)]
        ['0', '10', '20', '20', '0', '10', '10', '0']
        """
        if number < 0:
            return Decimal(0)
        if self.carry_over:
            return money.times(self.amount, min(number + 1, self.periods))
        return self.amount if number < self.periods else Decimal(0)

    def to_table(self) -> dict[str, Any]:
        """Return it as a study file and a journal have it."""
        table: dict[str, Any] = {
            "amount": money.show(self.amount),
            "every": self.every,
            "periods": self.periods,
            "carry_over": self.carry_over,
        }
        return table if self.begins is None else table | {"begins": self.begins.isoformat()}

    def words(self) -> str:
        """Return it in words."""
        each = f"every {self.every} days" if isinstance(self.every, int) else f"a {self.every}"
        since = f" from {self.begins.isoformat()}" if self.begins is not None else ""
        rest = "is carried over" if self.carry_over else "is lost"
        return (
            f"{money.show(self.limit)}: {money.show(self.amount)} {each}, {self.periods} times"
            f"{since}; what is left of one {rest}"
        )


def _whole(number: object, most: int) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and 1 <= number <= most


def _day(given: object, mistakes: list[str]) -> date | None:
    if isinstance(given, str):
        try:
            return date.fromisoformat(given)
        except ValueError:
            pass
    elif given is None or (isinstance(given, date) and not isinstance(given, datetime)):
        return given
    mistakes.append(f"budget.begins: must be a day such as 2026-01-31, got {given!r}")
    return None
