"""A tariff: a price for each feature, a fee for visits, panels, and prices that change.

What a case costs is a function of all that was paid for of it (formulas: docs/prices.md), and a
quote is what an order adds to that. The sum is therefore the same in whatever sequence orders were
made, and taking one back never makes the others dearer. Nothing is rounded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar

from budgeted.errors import PriceListError
from budgeted.problem.money import MoneyLike
from budgeted.problem.orders import CaseSoFar, Order
from budgeted.problem.prices.tariff.schedule import Schedule, shared_mistakes
from budgeted.problem.prices.tariff.statements import (
    Entry,
    Names,
    Panel,
    Statement,
    holding,
    panel_mistakes,
    panel_of,
    statement_mistakes,
    statement_of,
)
from budgeted.registry import stated

if TYPE_CHECKING:
    from budgeted.problem.features import Feature

__all__ = ["Panel", "Statement", "Tariff"]

Table = Mapping[str, Any]


@dataclass(frozen=True, init=False)
class Tariff:
    """A price for each feature, its `Feature.cost`, and what is due besides.

    Parameters
    ----------
    visit_fee
        Due with the first value of a case.
    visit_days
        For how many days after it was paid the fee is not due again; 0: the same day only, None:
        for ever. Where there is no calendar, as in a simulation, no time passes.
    panels
        Features that are measured together: `Panel`, or a table with the same keys.
    changes
        Prices that hold from a ``day`` on: `Statement`, or a table with the same keys.
    exceptions
        Prices for the cases of a ``label``, of a ``group``, or both; the same.

    Examples
    --------
    The paper's clinic: 50 to have a patient come, after which each test costs 10.

    >>> from budgeted import Feature, Problem
    >>> features = [Feature(name, ("normal", "high"), 10) for name in ("glucose", "insulin")]
    >>> problem = Problem(features, ("well", "ill"), (0.5, 0.5), 500, Tariff(visit_fee=50))
    >>> problem.prices.quote(Order((0, 1), label=1), CaseSoFar())
    Decimal('70')
    >>> problem.prices.quote(Order((1,), label=1), CaseSoFar(frozenset({0})))
    Decimal('10')

    Blood is drawn once, and 2.10 of the price of each of the two tests is for that:

    >>> drawn = {"name": "blood", "features": ["glucose", "insulin"], "shared": "2.10"}
    >>> prices = Problem(features, ("well", "ill"), (0.5, 0.5), 500, Tariff(panels=[drawn])).prices
    >>> prices.quote(Order((0,), label=1), CaseSoFar())
    Decimal('10.00')
    >>> prices.quote(Order((0, 1), label=1), CaseSoFar())
    Decimal('17.90')
    """

    name: ClassVar[str] = "tariff"
    summary: ClassVar[str] = (
        "a price for each feature, a visit fee, panels, and prices by day, label and group"
    )

    visit_fee: Decimal = Decimal(0)
    visit_days: int | None = None
    panels: tuple[Panel, ...] = ()
    changes: tuple[Statement, ...] = ()
    exceptions: tuple[Statement, ...] = ()
    features: tuple[Feature, ...] = field(default=(), repr=False, compare=False)
    labels: tuple[str, ...] = field(default=(), repr=False, compare=False)

    def __init__(
        self,
        visit_fee: MoneyLike = Decimal(0),
        visit_days: int | None = None,
        panels: Sequence[Panel | Table] = (),
        changes: Sequence[Statement | Table] = (),
        exceptions: Sequence[Statement | Table] = (),
        features: Sequence[Feature] = (),
        labels: Sequence[str] = (),
    ) -> None:
        mistakes: list[str] = []
        own = {"visit_fee": visit_fee, "visit_days": visit_days}
        entry = Entry(own, "", tuple(own), mistakes)
        fee, days = entry.amount("visit_fee"), entry.days("visit_days")
        sold = dict.fromkeys(each.name for each in features) or None
        read = [
            panel_of(each, where, sold, mistakes)
            for where, each in _tables("panels", panels, mistakes)
        ]
        names = Names(sold, _names(panels), labels or None)
        changed = {
            where: statement_of(each, where, ("day",), names, mistakes)
            for where, each in _tables("changes", changes, mistakes)
        }
        excepted = {
            where: statement_of(each, where, ("label", "group"), names, mistakes)
            for where, each in _tables("exceptions", exceptions, mistakes)
        }
        for key, value in {
            "visit_fee": fee,
            "visit_days": days,
            "panels": tuple(read),
            "changes": tuple(changed.values()),
            "exceptions": tuple(excepted.values()),
            "features": tuple(features),
            "labels": tuple(labels),
        }.items():
            object.__setattr__(self, key, value)
        mistakes += panel_mistakes(read)
        mistakes += statement_mistakes(changed | excepted, read)
        if not mistakes and days is not None and not any(self._fees):
            mistakes.append("visit_days: there is no visit_fee that could be due again")
        if not mistakes:
            mistakes += self._shared_mistakes()
        if mistakes:
            raise PriceListError(mistakes)

    @cached_property
    def separable(self) -> bool:
        """Whether it comes down to a price for each feature and label."""
        plain = all(
            each.feature and (each.day, each.group) == (None, None) for each in self._stated
        )
        return not self.visit_fee and not self.panels and plain

    def quote(self, order: Order, case: CaseSoFar) -> Decimal:
        """Return what the order adds to what the case costs."""
        wanted, features = order.features, self.features
        for at in wanted:
            if not 0 <= at < len(features):
                order.of(features)  # which says it in words
        key = (order.label, case.group if case.group in self._groups else "")
        schedule = self._known.get(key)
        if schedule is None:
            name = self.labels[key[0]] if 0 <= key[0] < len(self.labels) else None
            schedule = self._known[key] = self._schedule(name, key[1])
        return schedule.quote(wanted, order.day, case.paid_for)

    @cached_property
    def _known(self) -> dict[tuple[int, str], Schedule]:
        """The prices of each label and group that was asked for."""
        return {}

    @cached_property
    def _groups(self) -> frozenset[str]:
        """The groups of which something is said; all others pay what everybody pays."""
        return frozenset(each.group for each in self._stated if each.group is not None)

    @property
    def _stated(self) -> tuple[Statement, ...]:
        return (*self.changes, *self.exceptions)

    def _schedule(self, label: str | None, group: str) -> Schedule:
        return Schedule(
            {each.name: each.cost for each in self.features},
            self.panels,
            self.visit_fee,
            self.visit_days,
            holding(self._stated, label, group),
        )

    @property
    def _fees(self) -> tuple[Decimal | None, ...]:
        return (self.visit_fee, *(each.visit_fee for each in self._stated))

    def _shared_mistakes(self) -> list[str]:
        """Return where a panel shares more than the price that it is a part of."""
        if not self.features or all(each.shared is None for each in self.panels):
            return []
        names = [each.name for each in self.features]
        labels = [None, *dict.fromkeys(each.label for each in self._stated if each.label)]
        found: dict[str, None] = {}
        for label, group in product(labels, ["", *sorted(self._groups)]):
            schedule = self._schedule(label, group)
            found |= dict.fromkeys(shared_mistakes(schedule, names, self.panels, label, group))
        return list(found)


def _tables(key: str, given: object, mistakes: list[str]) -> list[tuple[str, object]]:
    """Return the entries of a list, each with its place."""
    if isinstance(given, list | tuple):
        return [(f"{key}[{at}]", each) for at, each in enumerate(given)]
    mistakes.append(f"{key}: must be a list of tables, each under [[prices.{key}]], got {given!r}")
    return []


def _names(panels: object) -> list[str] | None:
    """Return what panels are called, also those that make no sense; None if that is not known."""
    if not isinstance(panels, list | tuple):
        return None
    tables = [stated(each) if isinstance(each, Panel) else each for each in panels]
    found = [each.get("name") for each in tables if isinstance(each, Mapping)]
    return list(dict.fromkeys(each for each in found if isinstance(each, str)))
