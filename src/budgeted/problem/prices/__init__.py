"""What an order costs, fees included: price lists, by name, one file each.

A price list answers one question, `PriceList.quote`: what one or more features of one case cost,
given what was bought of that case before. A price for each feature is one such list; a fee for the
first value of a case, or a set-up that several features share, are others. Nobody but a price list
reads a price: states, policies, worlds, studies, pages and reports ask it.

A price list is a dataclass. Its fields are its parameters, but for two that may be there: the
problem fills in ``features`` with what is for sale, so that a list can start from `Feature.cost`,
and ``labels`` with their names.

>>> PRICE_LISTS.find("per-feature")
<class 'budgeted.problem.prices.base.PerFeature'>
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any, ClassVar

from budgeted.errors import BudgetedError, PriceListError
from budgeted.problem import money
from budgeted.problem.orders import CaseSoFar, Order, lines
from budgeted.problem.prices.base import PerFeature, PriceList, check_kind, costs_of
from budgeted.problem.prices.tariff import Panel, Statement, Tariff
from budgeted.registry import Registry, make, parameter_names, stated

if TYPE_CHECKING:
    from budgeted.problem.features import Feature

__all__ = [
    "PRICE_LISTS", "CaseSoFar", "NotInstalled", "Order", "Panel", "PerFeature", "PriceList",
    "Statement", "Tariff", "costs_of", "for_sale", "from_table", "lines", "parameter_names_of",
    "parameters_of", "price_list", "price_mistakes",
]  # fmt: skip

PRICE_LISTS: Registry[type[PriceList]] = Registry(
    "price list",
    PriceListError,
    {each.name: each for each in (PerFeature, Tariff)},
    check_kind,
    "budgeted.price_lists",
)
"""Every price list by its name; `PRICE_LISTS.register` adds one."""

_FILLED_IN = ("features", "labels")
"""Fields that are no parameters: the problem knows them."""


@dataclass(frozen=True)
class NotInstalled:
    """Stands for a price list that is not here, or cannot be used; it knows no price, and says so.

    Parameters
    ----------
    name, parameters
        Of what it stands for.
    why
        What is wrong with that; it is not installed, unless given.
    """

    summary: ClassVar[str] = "a price list that is not installed here"

    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict, hash=False)
    why: str = ""

    def quote(self, order: Order, case: CaseSoFar) -> Decimal:
        """Say that there are no prices."""
        raise PriceListError(self.words)

    @property
    def words(self) -> str:
        """Why nothing has a price, and what to do."""
        if self.why:
            return (
                f"the price list {self.name!r} cannot be used, so nothing has a price: {self.why}"
            )
        return (
            f"the price list {self.name!r} is not installed here, so nothing has a price; install "
            f"the package that has it. There are {', '.join(PRICE_LISTS)}"
        )


def price_list(name: str, **parameters: Any) -> PriceList:
    """Return a price list by its name.

    Parameters
    ----------
    name
        One of `PRICE_LISTS`.
    parameters
        Its own; what is not given has its usual value.

    Examples
    --------
    >>> price_list("per-feature")
    PerFeature()
    >>> price_list("per-feature", fee=1)
    Traceback (most recent call last):
    ...
    budgeted.errors.PriceListError: price list 'per-feature' has no parameter 'fee'; it takes none
    """
    return _made(name, parameters, {})


def _made(name: str, parameters: Mapping[str, Any], filled: Mapping[str, Any]) -> PriceList:
    made: PriceList = make(
        PRICE_LISTS, name, parameters, "price list", PriceListError, _FILLED_IN, filled
    )
    return made


def from_table(
    table: object, features: Sequence[Feature] = (), labels: Sequence[str] = ()
) -> PriceList:
    """Return the price list that a file describes: its name as ``list``, and its parameters.

    Parameters
    ----------
    table
        What the file has; tables and lists may be within it.
    features, labels
        What is for sale, where that is known: a list that wants to know it then finds out at
        once what is wrong with the names in its parameters.

    Examples
    --------
    >>> from_table({"list": "per-feature"})
    PerFeature()
    """
    if not isinstance(table, Mapping) or not isinstance(table.get("list"), str):
        raise PriceListError(
            f'must be a table with list = "…" and its parameters; there are '
            f"{', '.join(PRICE_LISTS)}; got {table!r}"
        )
    own = {key: table[key] for key in table if key != "list"}
    return _made(table["list"], own, {"features": tuple(features), "labels": tuple(labels)})


def parameters_of(prices: PriceList) -> dict[str, Any]:
    """Return the parameters of a price list as JSON values, to be written down.

    >>> parameters_of(PerFeature())
    {}
    """
    if isinstance(prices, NotInstalled):
        return dict(prices.parameters)
    return {name: _plain(getattr(prices, name)) for name in parameter_names_of(type(prices))}


def for_sale(
    prices: PriceList, features: Sequence[Feature], labels: Sequence[str] = ()
) -> PriceList:
    """Return a price list that knows what is for sale, and the labels, if it wants to know."""
    if not is_dataclass(prices) or isinstance(prices, type):
        return prices  # which is a mistake, said by `price_mistakes`
    known = {"features": tuple(features), **({"labels": tuple(labels)} if labels else {})}
    wanted = {each.name: known[each.name] for each in fields(prices) if each.name in known}
    return replace(prices, **wanted) if wanted else prices


def price_mistakes(prices: object, features: Sequence[Feature], labels: int) -> list[str]:
    """Return what is wrong with a price list for these features, in words."""
    if not callable(getattr(prices, "quote", None)) or isinstance(prices, type):
        return [f"prices: must be a price list, such as PerFeature(), got {prices!r}"]
    if isinstance(prices, NotInstalled | PerFeature):
        return []  # a feature's own cost is above 0
    bound: PriceList = prices  # type: ignore[assignment]
    try:
        for at, feature in enumerate(features):
            for label in range(labels):
                if not any(lines(bound, Order((at,), label), CaseSoFar(label=label))):
                    return [
                        f"prices: {feature.name!r} costs nothing; the first value of a case must "
                        f"cost more than 0"
                    ]
    except BudgetedError as error:
        return [f"prices: {error}"]
    return []


def parameter_names_of(kind: type[PriceList]) -> list[str]:
    """Return what a user may give: all but what the problem fills in."""
    return [each for each in parameter_names(kind) if each not in _FILLED_IN]


def _plain(value: Any) -> Any:
    """Return what JSON can hold; of an object within a parameter, what is not as usual."""
    if isinstance(value, Decimal):
        return money.show(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return _plain(stated(value))
    return list(map(_plain, value)) if isinstance(value, list | tuple) else value
