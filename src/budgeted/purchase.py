"""What was asked for, and what was bought."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from budgeted import money
from budgeted.errors import PurchaseError
from budgeted.money import MoneyLike
from budgeted.problem import Action


@dataclass(frozen=True)
class Request:
    """A purchase that was asked for and has not come back: its cost is reserved."""

    number: int
    feature: int
    label: int
    cost: Decimal

    @property
    def action(self) -> Action:
        """The cell that was asked for."""
        return Action(self.feature, self.label)


@dataclass(frozen=True, init=False)
class Purchase:
    """A value that was bought, or paid for in vain.

    Parameters
    ----------
    feature, label
        The cell, by position; a state takes names too, and keeps positions. Next to a name, a
        number that could be a name as well is refused.
    value
        The value that came back, likewise; None when the money is gone and nothing came.
    cost
        What was charged; 0 for data that was there already.
    case
        Whose value it is.
    number
        The pending request that it answers. None for one that nobody asked for: the state
        then numbers it.
    """

    feature: int
    label: int
    value: int | None
    cost: Decimal
    case: int | str | None = None
    number: int | None = None

    def __init__(
        self,
        feature: int,
        label: int,
        value: int | None,
        cost: MoneyLike,
        case: int | str | None = None,
        number: int | None = None,
    ) -> None:
        try:
            charged = money.parse(cost)
        except ValueError as error:
            raise PurchaseError(f"cost: {error}") from None
        for name, entry in {
            "feature": feature,
            "label": label,
            "value": value,
            "cost": charged,
            "case": case,
            "number": number,
        }.items():
            object.__setattr__(self, name, entry)

    @property
    def action(self) -> Action:
        """The cell that was bought."""
        return Action(self.feature, self.label)
