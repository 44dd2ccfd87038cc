"""The contract of price lists: kept by all that are registered, and broken in many ways."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from typing import ClassVar

import pytest

from budgeted import Feature, Problem
from budgeted.problem import Tariff, money
from budgeted.problem.prices import PRICE_LISTS
from budgeted.testing import check_price_list


@pytest.mark.parametrize("name", PRICE_LISTS)
def test_every_registered_list_keeps_the_contract(name):
    check_price_list(PRICE_LISTS[name]())


@dataclass(frozen=True)
class Good:
    """A set-up that some features share, once for each case."""

    name: ClassVar[str] = "good"
    summary: ClassVar[str] = "a set-up that some features share"

    setup: str = "2.50"
    panel: tuple[str, ...] = ("f0", "f2")
    features: tuple[Feature, ...] = field(default=(), repr=False, compare=False)

    def quote(self, order, case):
        own = money.total(each.cost for each in order.of(self.features))
        paid = [at for visit in case.paid_for for at in visit.features]
        had = any(self.features[at].name in self.panel for at in paid)
        wanted = any(each.name in self.panel for each in order.of(self.features))
        return money.add(own, money.parse(self.setup)) if wanted and not had else own


EVERYTHING = {
    "visit_fee": 3,
    "visit_days": 30,
    "panels": [
        {"name": "draw", "features": ["f0", "f1"], "shared": "1.50", "days": 10},
        {"name": "kit", "features": ["f2", "f3"], "price": 2, "whole": True},
        {"name": "room", "features": ["f1", "f2", "f3"], "setup": 4},
    ],
    "changes": [
        {"day": "2026-01-20", "visit_fee": 4},
        {"day": "2026-02-01", "panel": "kit", "price": "2.50"},
        {"day": "2026-02-01", "label": "label 1", "feature": "f0", "price": 9},
    ],
    "exceptions": [{"group": "a group", "visit_fee": 2}, {"label": "label 0", "panel": "room",
                                                          "setup": 0}],
}  # fmt: skip


def test_a_good_one_keeps_it():
    check_price_list(Good())
    check_price_list(Tariff(**EVERYTHING))
    check_price_list(Tariff(exceptions=[{"label": "label 1", "feature": "f2", "price": 7}]))
    check_price_list(Good(panel=("crp",)), Problem(
        [Feature("crp", ("low", "high"), 4), Feature("esr", ("low", "high"), 2)],
        ("well", "ill"), (0.5, 0.5), 9,
    ))  # fmt: skip


class Forgetful(Good):
    """Remembers how often it was asked."""

    asked: ClassVar[list[int]] = []

    def quote(self, order, case):
        self.asked.append(1)
        return super().quote(order, case) + len(self.asked)


class Sequence(Good):
    def quote(self, order, case):
        return money.add(super().quote(order, case), Decimal(order.features[0]))


class Rebate(Good):
    def quote(self, order, case):
        return Decimal(5 - len(order.features))


class Surcharge(Good):
    def quote(self, order, case):
        return money.add(super().quote(order, case), Decimal(9 * len(case.paid_for)))


@dataclass(frozen=True)
class Fee(Good):
    """A fee, due as a function of the days on which the case came before says."""

    def due(self, days, day):
        raise NotImplementedError

    def quote(self, order, case):
        own = money.total(each.cost for each in order.of(self.features))
        days = [date.min if each.day is None else each.day for each in case.paid_for]
        return money.add(own, Decimal(self.due(days, order.day or date.min)))


class Sliding(Fee):
    """Each visit within 30 days of the last one is free, and goes on for 30 days more."""

    def due(self, days, day):
        return 0 if days and day - max(days) <= timedelta(days=30) else 5


class ClaimsMuch(Good):
    separable: ClassVar[bool] = True


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (Forgetful, "the same question, and another price"),
        (Sequence, "the sequence of the features matters"),
        (Rebate, "one more feature makes it cheaper"),
        (Surcharge, "a value costs more on a case of which others were bought"),
        (Sliding, "what is left costs more in all"),
        (ClaimsMuch, "it says that it is separable, and"),
    ],
)
def test_a_broken_one_is_told_in_words(broken, said):
    with pytest.raises(AssertionError, match=said):
        check_price_list(broken())


def test_a_class_is_not_an_object():
    with pytest.raises(AssertionError, match="give an object"):
        check_price_list(Good)
