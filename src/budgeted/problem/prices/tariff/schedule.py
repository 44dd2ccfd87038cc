"""The prices of the cases of one label and group, worked out once and quoted from often."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from budgeted.problem import money
from budgeted.problem.orders import Visit
from budgeted.problem.prices.tariff.covering import bought_whole, covered
from budgeted.problem.prices.tariff.panels import Panel
from budgeted.problem.prices.tariff.statements import VISIT, Subject

_NOTHING = Decimal(0)


@dataclass(frozen=True)
class Period:
    """What everything costs from one day on, to the next.

    Attributes
    ----------
    own
        What is due for each feature alone, by position, without what it shares with others.
    panels
        What is due for each panel: the set-up, or the whole of it.
    visit
        The fee for a visit.
    fresh
        What one value of each feature costs on a case of which nothing was bought.
    """

    own: tuple[Decimal, ...]
    panels: tuple[Decimal, ...]
    visit: Decimal
    fresh: tuple[Decimal, ...]


class Schedule:
    """All prices of the cases of one label and group, by the day.

    Parameters
    ----------
    costs
        Of each feature by name, in the sequence of their positions.
    panels
        As they are stated.
    visit_fee, visit_days
        What a visit costs, and for how many days after it.
    stated
        What is stated besides, period by period; see `statements.holding`.
    """

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
        """Return what features of a case cost, of which there are.

        Parameters
        ----------
        features
            Their positions, each once.
        day
            Of the order; one without a day counts as before all others.
        visits
            What was paid for so far.
        """
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
