"""What an order costs, fees included: price lists, by name, one file each.

A price list answers one question, `PriceList.quote`: what one or more features of one case cost,
given what was bought of that case before. A price for each feature is one such list; a fee for the
first value of a case, or a set-up that several features share, are others. Nobody but a price list
reads a price: states, policies, worlds, studies, pages and reports ask it.

A price list is a dataclass. Its fields are its parameters, but for one that may be there: the
problem fills in ``features`` with what is for sale, so that a list can start from `Feature.cost`.

>>> PRICE_LISTS.find("per-feature")
<class 'budgeted.problem.prices.per_feature.PerFeature'>
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, ClassVar

from budgeted.errors import BudgetedError, PriceListError
from budgeted.problem import money
from budgeted.problem.orders import CaseSoFar, Order, lines
from budgeted.problem.prices.base import PriceList, check_kind
from budgeted.problem.prices.per_feature import PerFeature
from budgeted.registry import Registry, make, parameter_names

if TYPE_CHECKING:
    from budgeted.problem.features import Feature

__all__ = [
    "PRICE_LISTS", "CaseSoFar", "NotInstalled", "Order", "PerFeature", "PriceList", "for_sale",
    "from_table", "lines", "parameter_names_of", "parameters_of", "price_list", "price_mistakes",
]  # fmt: skip

PRICE_LISTS: Registry[type[PriceList]] = Registry(
    "price list", "budgeted.price_lists", PriceListError, __name__, check_kind
)
"""Every price list by its name; `PRICE_LISTS.register` adds one."""


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
    made: PriceList = make(
        PRICE_LISTS, name, parameters, "price list", PriceListError, without=("features",)
    )
    return made


def from_table(table: object) -> PriceList:
    """Return the price list that a file describes: its name as ``list``, and its parameters.

    >>> from_table({"list": "per-feature"})
    PerFeature()
    """
    if not isinstance(table, Mapping) or not isinstance(table.get("list"), str):
        raise PriceListError(
            f'must be a table with list = "…" and its parameters; there are '
            f"{', '.join(PRICE_LISTS)}; got {table!r}"
        )
    return price_list(table["list"], **{key: table[key] for key in table if key != "list"})


def parameters_of(prices: PriceList) -> dict[str, Any]:
    """Return the parameters of a price list as JSON values, to be written down.

    >>> parameters_of(PerFeature())
    {}
    """
    if isinstance(prices, NotInstalled):
        return dict(prices.parameters)
    return {name: _plain(getattr(prices, name)) for name in parameter_names_of(type(prices))}


def for_sale(prices: PriceList, features: Sequence[Feature]) -> PriceList:
    """Return a price list that knows what is for sale, if it wants to know."""
    if not is_dataclass(prices) or isinstance(prices, type):
        return prices  # which is a mistake, said by `price_mistakes`
    if all(each.name != "features" for each in fields(prices)):
        return prices
    return replace(prices, features=tuple(features))


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
    """Return what a user may give: all but the features, which the problem fills in."""
    return [each for each in parameter_names(kind) if each != "features"]


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return money.show(value)
    return list(map(_plain, value)) if isinstance(value, list | tuple) else value
