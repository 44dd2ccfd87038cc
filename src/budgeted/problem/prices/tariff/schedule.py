"""The prices of the cases of one label and group, worked out once and quoted from often.

What several visits cost together is a function of the visits as a set, so it is the same in
whatever sequence orders are made and taken back.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from budgeted.problem import money
from budgeted.problem.orders import Visit
from budgeted.problem.prices.tariff.statements import VISIT, Panel, Subject

_NOTHING = Decimal(0)


@dataclass(frozen=True)
class Period:
    """What everything costs from one day on, to the next."""

    own: tuple[Decimal, ...]
    panels: tuple[Decimal, ...]  # what is due for each panel: the set-up, or the whole of it
    visit: Decimal  # the fee for a visit
    fresh: tuple[Decimal, ...]


class Schedule:
    """All prices of the cases of one label and group, by the day."""

    def __init__(
        self,
        costs: Mapping[str, Decimal],
        panels: Sequence[Panel],
        visit_fee: Decimal,
        visit_days: int | None,
        stated: Sequence[tuple[int, Mapping[Subject, Decimal]]],
    ) -> None:
        places = {name: at for at, name in enumerate(costs)}
        self._days = (visit_days, *(each.days for each in panels))
        self._members = tuple(frozenset(places[name] for name in each.features) for each in panels)
        self._whole = tuple(each.whole for each in panels)
        self._panels_of = tuple(
            tuple(at for at, members in enumerate(self._members) if place in members)
            for place in range(len(costs))
        )
        self.first_days = [start for start, _ in stated]
        self.periods = [_period(costs, panels, visit_fee, prices) for _, prices in stated]
        self._always = self.periods[0] if len(self.periods) == 1 else None
        self._has_fee = any(each.visit for each in self.periods)

    def at(self, day: int) -> Period:
        """Return the prices of a day."""
        return self._always or self.periods[bisect_right(self.first_days, day) - 1]

    def quote(
        self, features: tuple[int, ...], day: date | None, visits: Sequence[Visit]
    ) -> Decimal:
        """Return what features of a case cost, of which there are."""
        today = _number(day)
        prices = self.at(today)
        if not visits and len(features) == 1:  # as policies ask most often
            return prices.fresh[features[0]]
        came = [each for each in visits if each.features]
        due = [prices.own[feature] for feature in features]
        if self._has_fee:
            due.append(self._fee(0, prices.visit, day, came))
        touched = [panel for feature in features for panel in self._panels_of[feature]]
        for panel in set(touched) if len(touched) > 1 else touched:
            members, amount = self._members[panel], prices.panels[panel]
            before = [each for each in came if not members.isdisjoint(each.features)]
            if self._whole[panel]:
                wanted = Visit(members.intersection(features), day)
                due.append(self._rest(panel, amount, wanted, before))
            else:
                due.append(self._fee(panel + 1, amount, day, before))
        return money.total(due)

    def _price(self, which: int, day: int) -> Decimal:
        """What a fee costs on a day: that of visits is number 0, those of panels follow."""
        prices = self.at(day)
        return prices.panels[which - 1] if which else prices.visit

    def _fee(
        self, which: int, price: Decimal, day: date | None, before: Sequence[Visit]
    ) -> Decimal:
        """What a fee of this price is today, if it was paid for some visits already."""
        if not before:
            return price
        for each in before:
            if each.day == day:
                return _NOTHING
        today, days = _number(day), [_number(each.day) for each in before]
        reach = self._days[which]
        if reach is None or max(today, *days) - min(today, *days) <= reach:  # one fee for all
            paid = max([self._price(which, each) for each in days])
            return money.subtract(price, paid) if price > paid else _NOTHING
        earlier, later = (
            covered(each, lambda day: self._price(which, day), reach)
            for each in (days, [*days, today])
        )
        return money.subtract(later, earlier)

    def _rest(self, panel: int, price: Decimal, wanted: Visit, before: Sequence[Visit]) -> Decimal:
        """What features of a panel cost that is sold whole, if some were ordered already."""
        if not before:
            return price
        members = self._members[panel]
        orders = [(_number(each.day), each.features & members) for each in (*before, wanted)]
        paid, all_of_it = (
            bought_whole(each, lambda day: self._price(panel + 1, day))
            for each in (orders[:-1], orders)
        )
        return money.subtract(all_of_it, paid)


def _number(day: date | None) -> int:
    return 0 if day is None else day.toordinal()


def _period(
    costs: Mapping[str, Decimal],
    panels: Sequence[Panel],
    visit_fee: Decimal,
    stated: Mapping[Subject, Decimal],
) -> Period:
    """Work out what is due for what; what panels share is taken out of what it is a part of."""
    amounts = [stated.get(("panel", each.name), each.amount) for each in panels]
    visit = stated.get(VISIT, visit_fee)
    shared: dict[str, Decimal] = {}
    for panel, amount in zip(panels, amounts, strict=True):
        if panel.kind == "shared":
            for name in panel.features:
                shared[name] = money.add(shared.get(name, _NOTHING), amount)
    due = [
        money.subtract(amount, shared.get(panel.features[0], _NOTHING)) if panel.whole else amount
        for panel, amount in zip(panels, amounts, strict=True)
    ]
    own = {
        name: money.subtract(stated.get(("feature", name), cost), shared.get(name, _NOTHING))
        for name, cost in costs.items()
    }
    own |= {name: _NOTHING for panel in panels if panel.whole for name in panel.features}
    fresh = {name: money.add(price, visit) for name, price in own.items()}
    for panel, amount in zip(panels, due, strict=True):
        for name in panel.features:
            fresh[name] = money.add(fresh[name], amount)
    return Period(tuple(own.values()), tuple(due), visit, tuple(fresh.values()))


Price = Callable[[int], Decimal]
"""From a day, as a number, to what is asked on it."""


def covered(days: Iterable[int], price: Price, reach: int | None) -> Decimal:
    """Return what a fee costs that covers the day it is paid for and `reach` days that follow.

    The days are divided into stretches from one day to at most `reach` days later (None: for ever),
    so that their sum is least. A stretch costs the highest price on one of its days: where the fee
    has risen, the difference is due; where it has fallen, nothing. So fewer days never cost more,
    even where a price changes in between, and what was reserved for a case pays for what is left
    of it. (Of two stretches that overlap, the dearer one can take over the days that both reach.)

    >>> covered([1, 20, 31, 40], lambda day: Decimal(50), reach=30)
    Decimal('100')
    >>> covered([1, 20], lambda day: Decimal(50 if day < 10 else 55), reach=30)
    Decimal('55')
    """
    known = sorted(set(days))
    asked = [price(day) for day in known]
    least = [Decimal(0)]
    for last, day in enumerate(known):
        firsts = [at for at in range(last + 1) if reach is None or day - known[at] <= reach]
        least.append(min(money.add(least[first], max(asked[first : last + 1])) for first in firsts))
    return least[-1]


def bought_whole(orders: Collection[tuple[int, Collection[int]]], price: Price) -> Decimal:
    """Return what a panel costs that is sold whole, for all orders of its features.

    Who pays for it has every feature of it once. A feature that is ordered a second time, since it
    was paid for in vain, needs the panel a second time; the n-th one costs the highest price on a
    day of what is had from it. An order is a day and some features.

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


def shared_mistakes(
    schedule: Schedule,
    features: Sequence[str],
    panels: Sequence[Panel],
    label: str | None,
    group: str,
) -> Iterator[str]:
    """Yield in words what would cost less than nothing."""
    whole = [(at, each) for at, each in enumerate(panels) if each.whole]
    for start, prices in zip(schedule.first_days, schedule.periods, strict=True):
        due = [(repr(name), name, prices.own[at]) for at, name in enumerate(features)]
        due += [(f"the panel {each.name!r}", each.features[0], prices.panels[at])
                for at, each in whole]  # fmt: skip
        for said, member, price in due:
            if price < 0:
                at = next(
                    at
                    for at, each in enumerate(panels)
                    if each.kind == "shared" and member in each.features
                )
                yield (
                    f"panels[{at}].shared: is more than the price of {said}, which it is a part "
                    f"of{_when(label, group, start)}"
                )


def _when(label: str | None, group: str, start: int) -> str:
    """For which cases and from when on, if not for all and always."""
    said = [f"of the label {label!r}"] if label is not None else []
    said += [f"of the group {group!r}"] if group else []
    cases = f", for cases {' and '.join(said)}" if said else ""
    return cases + (f", from {date.fromordinal(start)} on" if start else "")
