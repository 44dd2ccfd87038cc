"""The usual price list: a price for each feature."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, ClassVar

from budgeted.problem import money
from budgeted.problem.orders import CaseSoFar, Order

if TYPE_CHECKING:
    from budgeted.problem.features import Feature


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
