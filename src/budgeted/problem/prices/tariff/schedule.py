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
            for place in places.values()
        )
        self.starts = [start for start, _ in stated]
        self.periods = [_period(costs, panels, visit_fee, prices) for _, prices in stated]
        self._always = self.periods[0] if len(self.periods) == 1 else None
        self._has_fee = any(each.visit for each in self.periods)

    def at(self, day: int) -> Period:
        """Return the prices of a day."""
        return self._always or self.periods[bisect_right(self.starts, day) - 1]

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
        today = day.toordinal() if day is not None else 0
        prices = self.at(today)
        if not visits and len(features) == 1:
            return prices.fresh[features[0]]
        came = [(_number(each.day), each.features) for each in visits if each.features]
        due = [prices.own[feature] for feature in features]
        if self._has_fee:
            due.append(self._fee(0, today, [each for each, _ in came]))
        for panel in {panel for feature in features for panel in self._panels_of[feature]}:
            members = self._members[panel]
            before = [(each, had & members) for each, had in came if not had.isdisjoint(members)]
            if self._whole[panel]:
                due.append(self._rest(panel, today, members.intersection(features), before))
            else:
                due.append(self._fee(panel + 1, today, [each for each, _ in before]))
        return money.total(due)

    def _price(self, which: int, day: int) -> Decimal:
        """What a fee costs on a day: that of visits is number 0, those of panels follow."""
        prices = self.at(day)
        return prices.panels[which - 1] if which else prices.visit

    def _fee(self, which: int, today: int, days: list[int]) -> Decimal:
        """What a fee costs today, if it was paid on some days already."""
        price, reach = self._price(which, today), self._days[which]
        if not days:
            return price
        if today in days:
            return _NOTHING
        if reach is None or max(today, *days) - min(today, *days) <= reach:  # one fee for all
            if self._always is not None:
                return _NOTHING
            paid = max(self._price(which, day) for day in days)
            return money.subtract(price, paid) if price > paid else _NOTHING
        before, after = (
            covered(each, lambda day: self._price(which, day), reach)
            for each in (days, [*days, today])
        )
        return money.subtract(after, before)

    def _rest(
        self,
        panel: int,
        today: int,
        wanted: frozenset[int],
        before: list[tuple[int, frozenset[int]]],
    ) -> Decimal:
        """What features of a panel cost that is sold whole, if some were ordered already."""
        if not before:
            return self._price(panel + 1, today)
        paid, all_of_it = (
            bought_whole(each, lambda day: self._price(panel + 1, day))
            for each in (before, [*before, (today, wanted)])
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

    def without_shared(price: Decimal, members: Sequence[str]) -> Decimal:
        for panel, amount in zip(panels, amounts, strict=True):
            if panel.kind == "shared" and panel.features and members[0] in panel.features:
                price = money.subtract(price, amount)
        return price

    whole = {name for panel in panels if panel.whole for name in panel.features}
    own = [
        _NOTHING if name in whole else without_shared(stated.get(("feature", name), cost), [name])
        for name, cost in costs.items()
    ]
    due = [
        without_shared(amount, panel.features) if panel.whole else amount
        for panel, amount in zip(panels, amounts, strict=True)
    ]
    fresh = [
        money.total(
            [price, visit]
            + [amount for panel, amount in zip(panels, due, strict=True) if name in panel.features]
        )
        for name, price in zip(costs, own, strict=True)
    ]
    return Period(tuple(own), tuple(due), visit, tuple(fresh))
