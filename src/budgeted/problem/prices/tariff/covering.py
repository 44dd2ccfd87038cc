"""What several visits cost together: fees that cover some days, and panels that are sold whole.

Both are functions of the visits as a set. A price list whose quotes are the differences of such a
function charges the same in whatever sequence orders are made and taken back. And both are the
least sum of some ways to pay, each of which also pays for any part of the visits; so fewer visits
never cost more, even where a price changes in between.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from decimal import Decimal

from budgeted.problem import money

Price = Callable[[int], Decimal]
"""From a day, as a number, to what is asked on it."""


def covered(days: Iterable[int], price: Price, reach: int | None) -> Decimal:
    """Return what a fee costs that covers the day it is paid for and some days that follow.

    The days are divided into stretches, from one day to at most `reach` days later, so that their
    sum is least. A stretch costs the highest price on one of its days: where the fee has risen, the
    difference is due; where it has fallen, nothing.

    Parameters
    ----------
    days
        On which the case came; each counts once.
    price
        Of the fee on a day.
    reach
        How many days after the first one a stretch may last; None: for ever.

    Examples
    --------
    >>> covered([1, 20, 31, 40], lambda day: Decimal(50), reach=30)
    Decimal('100')
    >>> covered([1, 20], lambda day: Decimal(50 if day < 10 else 55), reach=30)
    Decimal('55')
    """
    known = sorted(set(days))
    asked = [price(day) for day in known]
    # Of two stretches that overlap, the dearer one can take over the days that both reach; so the
    # least sum is found among stretches one after the other.
    least = [Decimal(0)]
    for last, day in enumerate(known):
        highest = asked[last]
        lowest = money.add(least[last], highest)
        for first in range(last - 1, -1, -1):
            if reach is not None and day - known[first] > reach:
                break
            highest = max(highest, asked[first])
            lowest = min(lowest, money.add(least[first], highest))
        least.append(lowest)
    return least[-1]


def bought_whole(orders: Collection[tuple[int, Collection[int]]], price: Price) -> Decimal:
    """Return what a panel costs that is sold whole, for all orders of its features.

    Who pays for it has every feature of it once. A feature that is ordered a second time, since it
    was paid for in vain, needs the panel a second time. The n-th panel costs the highest price on a
    day of what is had from it, and the dearest days share one.

    Parameters
    ----------
    orders
        The day of each, and which features of the panel are wanted.
    price
        Of the panel on a day.

    Examples
    --------
    >>> bought_whole([(1, {0}), (2, {1, 2})], lambda day: Decimal(20))
    Decimal('20')
    >>> bought_whole([(1, {0, 1}), (2, {1}), (3, {0})], lambda day: Decimal(20))
    Decimal('40')
    """
    paid: dict[int, list[Decimal]] = {}
    for day, features in orders:
        for feature in features:
            paid.setdefault(feature, []).append(price(day))
    ranked = [sorted(each, reverse=True) for each in paid.values()]
    most = max(map(len, ranked), default=0)
    return money.total(
        max(each[turn] for each in ranked if turn < len(each)) for turn in range(most)
    )
