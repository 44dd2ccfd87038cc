"""From an order to a purchase: what is wanted, at what price, and what was bought.

An `Order` is quoted by a price list, line by line; each line becomes a `Request`, and a request
that comes back a `Purchase`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from budgeted.errors import BudgetedError, ObservationError, PriceListError, PurchaseError
from budgeted.problem import money
from budgeted.problem.money import MoneyLike

if TYPE_CHECKING:
    from budgeted.problem.prices.base import PriceList
    from budgeted.problem.problem import Problem

_Entry = TypeVar("_Entry")


class Action(NamedTuple):
    """One cell of the problem: buy a value of `feature` from a case that has `label`.

    Both are positions, whatever the names are.
    """

    feature: int
    label: int


@dataclass(frozen=True)
class Order:
    """One or more features of one case, wanted together.

    Parameters
    ----------
    features
        Positions, each once.
    label
        Position of the label of the case.
    case
        Which one; None where that is not known yet.
    day
        On which it is ordered; None where there is no calendar, as in a simulation.

    Examples
    --------
    >>> Order((2, 0), label=1, case="P-17").of(("fever", "culture", "scan"))
    ('scan', 'fever')
    >>> [each.features for each in Order((2, 0, 1), label=1).shortened()]
    [(2, 0, 1), (2, 0), (2,)]
    """

    features: tuple[int, ...]
    label: int
    case: str | int | None = None
    day: date | None = None

    def shortened(self) -> Iterator[Order]:
        """Yield the order, then what is left of it as its last features are given up."""
        yield self
        for number in range(len(self.features) - 1, 0, -1):
            yield replace(self, features=self.features[:number])

    def of(self, features: Sequence[_Entry]) -> tuple[_Entry, ...]:
        """Return those of the features that are ordered; raise an error if one is not there."""
        for at in self.features:
            if not 0 <= at < len(features):
                raise ObservationError(
                    f"there is no feature number {at!r}; positions go from 0 to {len(features) - 1}"
                )
        return tuple([features[at] for at in self.features])


@dataclass(frozen=True)
class Visit:
    """Features of a case that were paid for, or are under way, from one order."""

    features: frozenset[int]
    day: date | None = None  # on which it was ordered; None where there is no calendar


@dataclass(frozen=True)
class CaseSoFar:
    """What was bought of a case, or is under way, before an order; nothing for a fresh case.

    Attributes
    ----------
    features
        Positions of what is there or under way, and cannot be ordered again.
    label, name
        Its label, as a position; and which case it is, where that is known.
    visits
        What was paid for, or is under way, order by order, the first one first. A test that was
        charged and brought nothing is among them, and may be ordered again; a value that was known
        for free is not. Unless given, the features, in one visit.
    group
        Which group of cases it belongs to, where prices differ between groups; empty for none.
    unavailable
        Positions of features that this case cannot give.

    Examples
    --------
    >>> CaseSoFar(frozenset({1})).visits
    (Visit(features=frozenset({1}), day=None),)
    """

    features: frozenset[int] = frozenset()
    label: int = 0
    name: str | int | None = None
    visits: tuple[Visit, ...] | None = None
    group: str = ""
    unavailable: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        if self.visits is None:
            object.__setattr__(self, "visits", (Visit(self.features),) if self.features else ())

    @property
    def paid_for(self) -> tuple[Visit, ...]:
        """The visits, which are always there after all."""
        return self.visits or ()

    def and_visit(self, features: Iterable[int], day: date | None) -> CaseSoFar:
        """Return the case with these features bought, or under way, from one more order.

        What was ordered before on the same day is of the same visit.

        >>> CaseSoFar(frozenset({1})).and_visit([0], None).visits
        (Visit(features=frozenset({0, 1}), day=None),)
        """
        more = frozenset(features)
        before = self.paid_for
        if before and before[-1].day == day:
            more, before = more | before[-1].features, before[:-1]
        return replace(self, features=self.features | more, visits=(*before, Visit(more, day)))

    def without(self, feature: int) -> CaseSoFar | None:
        """Return the case had a feature not been ordered; None if nothing was visited then."""
        visits = tuple(
            replace(each, features=each.features - {feature})
            for each in self.paid_for
            if each.features != {feature}
        )
        features = self.features - {feature}
        if not visits and not features:
            return None
        return replace(self, features=features, visits=visits)


@dataclass(frozen=True)
class Request:
    """A purchase that was asked for and has not come back: its cost is reserved."""

    number: int
    feature: int
    label: int
    cost: Decimal
    case: str | int | None = None

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
        self.__dict__.update(
            feature=feature, label=label, value=value, cost=charged, case=case, number=number
        )

    @property
    def action(self) -> Action:
        """The cell that was bought."""
        return Action(self.feature, self.label)

    def numbered(self, number: int) -> Purchase:
        """Return the purchase as the answer to a request; its cost need not be read again."""
        new = object.__new__(Purchase)
        new.__dict__.update(self.__dict__, number=number)
        return new


def lines(prices: PriceList, order: Order, case: CaseSoFar) -> tuple[Decimal, ...]:
    """Return the price of each feature of an order: what it adds to those before it.

    The lines add up to the quote. The whole fee for a first value is thus in the first line.

    >>> from budgeted import Feature
    >>> from budgeted.problem.prices import PerFeature, for_sale
    >>> prices = for_sale(PerFeature(), [Feature("fever", ("no", "yes"), "1.50")] * 2)
    >>> lines(prices, Order((1, 0), label=0), CaseSoFar())
    (Decimal('1.50'), Decimal('1.50'))
    """
    if len(order.features) == 1:
        return (quoted(prices, order, case),)
    result = []
    before = Decimal(0)
    for number in range(1, len(order.features) + 1):
        part = replace(order, features=order.features[:number])
        so_far = quoted(prices, part, case)
        if so_far < before:
            raise PriceListError(
                f"price list {prices.name!r}: {so_far} for {number} features of a case is less "
                f"than the {before} for {number - 1} of them; one more must not make an order "
                f"cheaper"
            )
        result.append(money.subtract(so_far, before))
        before = so_far
    return tuple(result)


def along(problem: Problem, order: Order, case: CaseSoFar, allowed: Iterable[int]) -> Order:
    """Return an order with all further features of its case that make it no dearer.

    Who buys a panel that is sold only whole gets all of it.
    """
    if problem.separable:
        return order
    terms = replace(case, name=None)
    wanted, price = replace(order, case=None), problem.quote(replace(order, case=None), terms)
    for feature in allowed:
        if feature in case.features or feature in case.unavailable or feature in wanted.features:
            continue
        more = replace(wanted, features=(*wanted.features, feature))
        if problem.quote(more, terms) == price:
            wanted = more
    return replace(order, features=wanted.features)


def quoted(prices: PriceList, order: Order, case: CaseSoFar) -> Decimal:
    """Return a quote after checking that it is an amount of money."""
    try:
        found = prices.quote(order, case)
    except BudgetedError:
        raise
    except Exception as error:
        raise PriceListError(
            f"price list {prices.name!r}: quote raised {type(error).__name__}: {error}"
        ) from error
    try:
        if not isinstance(found, Decimal):
            raise ValueError(f"must be a Decimal, got {found!r}")
        return money.parse(found)
    except ValueError as error:
        raise PriceListError(
            f"price list {prices.name!r}: the price of an order: {error}"
        ) from None
