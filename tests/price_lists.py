"""Price lists to try things with: a fee for a visit, and a set-up that features share."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from typing import ClassVar

import numpy as np
from hypothesis import strategies as st

from budgeted import Action, Feature
from budgeted.policies import POLICIES, Choice
from budgeted.problem import PerFeature, money
from budgeted.problem.prices import PRICE_LISTS


@dataclass(frozen=True)
class Visit:
    """A fee for the first value of a case."""

    name: ClassVar[str] = "visit"
    summary: ClassVar[str] = "a fee for the first value of a case"

    fee: Decimal = Decimal("2.50")
    features: tuple[Feature, ...] = field(default=(), repr=False, compare=False)

    def __post_init__(self):
        object.__setattr__(self, "fee", money.parse(self.fee))

    def quote(self, order, case):
        own = money.total(each.cost for each in order.of(self.features))
        return own if case.features else money.add(own, self.fee)


@dataclass(frozen=True)
class Setup:
    """A set-up that the first features share, once for each case; by label, the last pays more."""

    name: ClassVar[str] = "setup"
    summary: ClassVar[str] = "a set-up that the first features share"

    setup: Decimal = Decimal("1.25")
    share: int = 2
    by_label: Decimal = Decimal(0)
    features: tuple[Feature, ...] = field(default=(), repr=False, compare=False)

    def __post_init__(self):
        for name in ("setup", "by_label"):
            object.__setattr__(self, name, money.parse(getattr(self, name)))

    def quote(self, order, case):
        own = money.total(each.cost for each in order.of(self.features))
        more = money.times(self.by_label, order.label * len(order.features))
        due = any(at < self.share for at in order.features)
        due &= all(at >= self.share for at in case.features)
        return money.total([own, more, *([self.setup] if due else [])])


AMOUNTS = st.decimals(0, 3, places=2)
PRICES = st.one_of(
    st.just(PerFeature()),
    st.builds(Visit, AMOUNTS),
    st.builds(Setup, AMOUNTS, st.integers(0, 3), AMOUNTS),
)


@dataclass(frozen=True)
class Panel:
    """Orders as many features of one case as it may, of the label with the most cases left."""

    name: ClassVar[str] = "panel"
    summary: ClassVar[str] = "as many features of a case at once as it may"

    most: int = 3

    def choose(self, state, rng):
        cells = state.affordable()
        if not cells:
            return None
        label = int(np.argmax(state.cases_left.sum(axis=0)))
        chosen = [cell.feature for cell in cells if cell.label == label]
        if not chosen:
            return Choice(cells[0], reason="nothing else is left")
        wanted, paid = [chosen[0]], state.price((chosen[0], label))
        for feature in chosen[1 : self.most]:
            paid = money.add(paid, state.price((feature, label)))
            if paid <= state.free:
                wanted.append(feature)
        first, *others = wanted
        return Choice(Action(first, label), reason="all at once", together=tuple(others))


@contextmanager
def registered(*members):
    """Policies and price lists that are there, and gone afterwards."""
    kept = {each.name: POLICIES if hasattr(each, "choose") else PRICE_LISTS for each in members}
    for each in members:
        kept[each.name].register(each)
    try:
        yield
    finally:
        for name, registry in kept.items():
            registry.forget(name)
