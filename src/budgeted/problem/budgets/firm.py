"""A firm budget: one sum, never crossed."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from budgeted.errors import ProblemError
from budgeted.problem import money
from budgeted.problem.money import MoneyLike


@dataclass(frozen=True, init=False)
class Firm:
    """So much money and no more.

    Examples
    --------
    >>> Firm("400.00").limit, Firm(5).surcharge(Decimal(3))
    (Decimal('400.00'), Decimal('0'))
    """

    amount: Decimal

    def __init__(self, amount: MoneyLike) -> None:
        try:
            object.__setattr__(self, "amount", money.parse(amount))
        except ValueError as error:
            raise ProblemError(f"budget: {error}") from None

    @property
    def limit(self) -> Decimal:
        """The most that all orders together may cost."""
        return self.amount

    def surcharge(self, committed: Decimal) -> Decimal:
        """Return nothing: there is none."""
        return Decimal(0)

    def to_table(self) -> dict[str, Any]:
        """Return it as a study file and a journal have it."""
        return {"amount": money.show(self.amount)}

    def words(self) -> str:
        """Return the amount."""
        return money.show(self.amount)
