"""A price list: what is measured has its cost, and somebody has to come for the first value."""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import ClassVar

from budgeted import Feature
from budgeted.problem import CaseSoFar, Order, money
from budgeted.problem.money import MoneyLike


@dataclass(frozen=True)
class VisitFee:
    """The cost of each feature, and a fee with the first value of a case: somebody has to come.

    Parameters
    ----------
    fee
        For the visit.
    """

    name: ClassVar[str] = "visit-fee"
    summary: ClassVar[str] = "the cost of each feature, and a fee with the first value of a case"

    fee: MoneyLike = 5
    features: tuple[Feature, ...] = field(default=(), repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "fee", money.parse(self.fee))

    def quote(self, order: Order, case: CaseSoFar) -> Decimal:
        """Return what the order costs."""
        own = money.total(each.cost for each in order.of(self.features))
        return own if case.paid_for else money.add(own, money.parse(self.fee))
