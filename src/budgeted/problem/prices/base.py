"""What a price list is: it says what an order costs."""

from __future__ import annotations

from decimal import Decimal
from typing import Protocol

from budgeted.errors import PriceListError
from budgeted.problem.orders import CaseSoFar, Order
from budgeted.registry import check_dataclass


class PriceList(Protocol):
    """Says what an order costs: a pure function, with parameters that can be written down.

    What it says must be an exact `Decimal` from 0, within the limits of `budgeted.problem.money`;
    the same for the same question, in whatever sequence the features are listed. One more
    feature never makes an order cheaper. One value of a fresh case costs more than 0, and no more
    than that if something was bought of the case before: policies reckon with the price on a fresh
    case. `budgeted.testing.check_price_list` checks all this.

    A list whose class has a field ``features`` finds there the features that are for sale.
    """

    @property
    def name(self) -> str:
        """What it is called in files and messages."""
        ...

    @property
    def summary(self) -> str:
        """What it does, in a line, for lists."""
        ...

    def quote(self, order: Order, case: CaseSoFar) -> Decimal:
        """Return what the order costs.

        Parameters
        ----------
        order
            What is wanted.
        case
            What was bought of its case before, or is under way.
        """
        ...


def check_kind(kind: type[PriceList]) -> None:
    """Raise an error unless a class can be a price list: a dataclass with ``quote``."""
    check_dataclass(kind, "price list", "quote(order, case)", PriceListError)
