"""Budgets, prices and seeds, as they are given to an estimator."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from numbers import Integral
from typing import Any

from sklearn.utils import check_random_state

from budgeted.errors import ProblemError
from budgeted.problem import Feature, PriceList
from budgeted.problem import money as amounts
from budgeted.problem.budgets import Terms, from_table
from budgeted.problem.prices import from_table as listed_prices
from budgeted.sklearn.columns import place_of

_LARGEST_SEED = 2**31 - 1
"""A seed that is drawn; any whole number from 0 can be given."""


def terms_of(budget: Any) -> Terms:
    """Return the terms of a budget, which must be given."""
    if budget is None:
        raise ValueError("budget: how much may be spent? Give an amount, such as budget=100")
    try:
        return from_table(int(budget) if isinstance(budget, Integral) else budget)
    except ProblemError as error:
        raise ValueError(str(error)) from error


def costs_of(prices: Any, names: Sequence[str], for_sale: Collection[int]) -> list[Decimal]:
    """Return what a value of each column costs; those that are not for sale need no price.

    >>> costs_of("1.50", ["fever", "age"], {0, 1})
    [Decimal('1.50'), Decimal('1.50')]
    >>> costs_of({"age": 1, "fever": "40"}, ["fever", "age"], {0, 1})
    [Decimal('40'), Decimal('1')]
    >>> costs_of({"age": 1}, ["fever", "age"], {0, 1})
    Traceback (most recent call last):
    ...
    ValueError: prices: no price for 'fever'
    """
    if isinstance(prices, Mapping):
        given = {place_of(name, names, "prices"): each for name, each in prices.items()}
    elif isinstance(prices, Iterable) and not isinstance(prices, str):
        listed = list(prices)
        if len(listed) != len(names):
            raise ValueError(
                f"prices: there must be one per column ({len(names)}), got {len(listed)}"
            )
        given = dict(enumerate(listed))
    else:
        given = dict.fromkeys(range(len(names)), prices)
    without = [name for at, name in enumerate(names) if at in for_sale and at not in given]
    if without:
        raise ValueError(f"prices: no price for {', '.join(map(repr, without))}")
    found = [Decimal(1)] * len(names)
    for at, price in given.items():
        try:
            found[at] = amounts.parse(price, above_zero=True)
        except ValueError as error:
            raise ValueError(f"prices: {names[at]!r} {error}") from None
    return found


def price_list_of(
    given: str | Mapping[str, Any] | PriceList | None,
    features: Sequence[Feature],
    labels: Sequence[str],
) -> PriceList | None:
    """Return the price list that is meant: by its name, as a table, or as it is."""
    if isinstance(given, str):
        given = {"list": given}
    return listed_prices(given, features, labels) if isinstance(given, Mapping) else given


def seed_of(random_state: Any) -> int:
    """Return the seed that a random state stands for; one is drawn where it is no whole number.

    >>> seed_of(7)
    7
    """
    if isinstance(random_state, Integral) and not isinstance(random_state, bool):
        if random_state < 0:
            raise ValueError(f"random_state: must be a whole number from 0, got {random_state!r}")
        return int(random_state)
    return int(check_random_state(random_state).randint(_LARGEST_SEED))
