"""What a price list is: it says what an order costs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, ClassVar, Protocol

from budgeted.errors import PriceListError
from budgeted.problem import money
from budgeted.problem.orders import CaseSoFar, Order
from budgeted.registry import check_dataclass

if TYPE_CHECKING:
    from budgeted.problem.features import Feature


class PriceList(Protocol):
    """Says what an order costs: a pure function, with parameters that can be written down.

    What it says must be an exact `Decimal` from 0, within the limits of `budgeted.problem.money`;
    the same for the same question, in whatever sequence the features are listed. One more
    feature never makes an order cheaper. One value of a fresh case costs more than 0, and no more
    than that if something was bought of the case before: policies reckon with the price on a fresh
    case.

    The accounts rely on what the orders of a case cost together, each quoted after those before
    it. Two orders of one day must cost what one order of all their features would have cost. And
    without one of the orders, or without a feature of it, the others must not cost more in
    all than with it: what was reserved then pays for what is left when an order is cancelled.
    What was paid for stands in `CaseSoFar.paid_for`, order by order, also if it brought no value;
    `CaseSoFar.features` may hold values that were known for free, and must change nothing.
    `budgeted.testing.check_price_list` checks all this.

    A list whose class has a field ``features`` finds there the features that are for sale, and in
    a field ``labels`` the names of the labels. Neither is a parameter.

    A list may have an attribute ``separable``: True if what a feature costs depends on nothing but
    the label of the case; not on what else is bought of it, nor on the day or the group. What
    is separable can be reckoned with faster. Without the attribute it is not.

    And it may have a method ``fresh(labels)``: what one value of each feature and label costs on a
    fresh case, as `quote` would say cell by cell, but faster where there are many features.
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


@dataclass(frozen=True)
class PerFeature:
    """A price for each feature, whatever else is bought: its `Feature.cost`.

    Examples
    --------
    >>> from budgeted import Feature, Problem
    >>> features = [Feature("fever", ("no", "yes"), "1.50"), Feature("scan", ("-", "+"), 40)]
    >>> problem = Problem(features, ("well", "ill"), (0.5, 0.5), budget=100)
    >>> problem.prices.quote(Order((0, 1), label=1), CaseSoFar())
    Decimal('41.50')
    """

    name: ClassVar[str] = "per-feature"
    summary: ClassVar[str] = "each feature has its price, whatever else is bought"
    separable: ClassVar[bool] = True

    features: tuple[Feature, ...] = field(default=(), repr=False, compare=False)

    def quote(self, order: Order, case: CaseSoFar) -> Decimal:
        """Return the sum of the costs of the features."""
        return money.total([each.cost for each in order.of(self.features)])

    def fresh(self, labels: int) -> tuple[tuple[Decimal, ...], ...]:
        """Return what one value of each cell costs on a fresh case, features × labels."""
        return tuple([(each.cost,) * labels for each in self.features])


def costs_of(features: Iterable[Feature]) -> dict[str, Decimal]:
    """Return what each feature costs by itself, by name: fees and panels come on top of that."""
    return {each.name: each.cost for each in features}
