"""How much money there is, and on what terms: firm, in periods, or soft.

A *firm* budget is a sum that is never crossed. One in *periods* is so much a month, a week or some
days. A *soft* one may be crossed up to a limit, at a surcharge, as long as what is gained is worth
what is paid. Whatever the terms, `limit` is the most that orders may cost at list price, and
spent + reserved + free add up to it: `budgeted.state` computes with that alone.

>>> from_table({"amount": 1000, "rate": "0.2", "limit": 1500, "point_worth": 40}).limit
Decimal('1500')
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Protocol

from budgeted.errors import ProblemError
from budgeted.nearest import did_you_mean
from budgeted.problem.budgets.firm import Firm
from budgeted.problem.budgets.periods import Periods
from budgeted.problem.budgets.soft import Soft, Step
from budgeted.problem.money import MoneyLike

__all__ = ["Firm", "Periods", "Soft", "Step", "Terms", "agreed", "from_table", "kind_of"]

KINDS: dict[str, tuple[str, ...]] = {
    "firm": ("amount",),
    "periods": ("amount", "every", "periods", "carry_over", "begins"),
    "soft": ("amount", "limit", "point_worth", "rate", "steps"),
}
"""The terms of each kind of budget, as files and journals call them."""
_REQUIRED = {
    "firm": ("amount",),
    "periods": ("amount", "every", "periods"),
    "soft": ("amount", "limit", "point_worth"),
}
_MADE = {"firm": Firm, "periods": Periods, "soft": Soft}


class Terms(Protocol):
    """What all budgets have in common."""

    @property
    def amount(self) -> Decimal:
        """The sum that people speak of: all of it, that of a period, or what is not soft yet."""
        ...

    @property
    def limit(self) -> Decimal:
        """The most that all orders together may cost, at list price."""
        ...

    def surcharge(self, committed: Decimal) -> Decimal:
        """Return what is paid on top of list prices once so much is spent or reserved."""
        ...

    def to_table(self) -> dict[str, Any]:
        """Return it as a study file and a journal have it; `from_table` gives it back."""
        ...

    def words(self) -> str:
        """Return it in words, such as "400.00"."""
        ...


def agreed(budget: MoneyLike | Terms) -> Terms:
    """Return the terms of a budget; an amount of money is a firm one.

    >>> agreed("500")
    Firm(amount=Decimal('500'))
    """
    if isinstance(budget, Firm | Periods | Soft):
        return budget
    return Firm(budget)  # type: ignore[arg-type]  # which says what is wrong with it


def kind_of(table: Mapping[str, Any]) -> str:
    """Return which kind of budget has these terms.

    >>> kind_of({"amount": 5}), kind_of({"every": "week"}), kind_of({"amount": 5, "limit": 9})
    ('firm', 'periods', 'soft')
    """
    for kind in ("periods", "soft"):
        if any(key in table for key in KINDS[kind] if key != "amount"):
            return kind
    return "firm"


def from_table(table: MoneyLike | Terms | Mapping[str, Any]) -> Terms:
    """Return the budget that a file states: an amount, or a table with its terms.

    Examples
    --------
    >>> from_table("400.00").words()
    '400.00'
    >>> from_table({"amount": 100, "every": "month", "periods": 12}).limit
    Decimal('1200')
    >>> from_table({"amount": 100, "every": "month", "rate": "0.2"})
    Traceback (most recent call last):
    ...
    budgeted.errors.ProblemError: budget.periods: is missing; budget.rate: is no term of a budget \
in periods, which has amount, every, periods, carry_over, begins
    """
    if not isinstance(table, Mapping):
        return agreed(table)
    kind = kind_of(table)
    known = KINDS[kind]
    mistakes = [f"budget.{key}: is missing" for key in _REQUIRED[kind] if key not in table]
    for key in table:
        if key not in known:
            mistakes.append(_unknown(key, kind))
    if mistakes:
        raise ProblemError(mistakes)
    made: Terms = _MADE[kind](**table)
    return made


def _unknown(key: str, kind: str) -> str:
    every = dict.fromkeys(each for terms in KINDS.values() for each in terms)
    if key not in every:
        hint = did_you_mean(key, list(every))
        return f"budget.{key}: there is no such term; {hint}There are {', '.join(every)}"
    named = {"firm": "a firm budget", "periods": "a budget in periods", "soft": "a soft budget"}
    return f"budget.{key}: is no term of {named[kind]}, which has {', '.join(KINDS[kind])}"
