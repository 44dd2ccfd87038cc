"""The contract of price lists: kept by all that are registered, and broken in many ways."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import ClassVar

import pytest

from budgeted import Feature, Problem
from budgeted.problem import money
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
        had = any(self.features[at].name in self.panel for at in case.features)
        wanted = any(each.name in self.panel for each in order.of(self.features))
        return money.add(own, money.parse(self.setup)) if wanted and not had else own


def test_a_good_one_keeps_it():
    check_price_list(Good())
    check_price_list(Good(panel=("crp",)), Problem(
        [Feature("crp", ("low", "high"), 4), Feature("esr", ("low", "high"), 2)],
        ("well", "ill"), (0.5, 0.5), 9,
    ))  # fmt: skip


class Floats(Good):
    def quote(self, order, case):
        return float(super().quote(order, case))


class Infinite(Good):
    def quote(self, order, case):
        return Decimal("Infinity")


class Negative(Good):
    def quote(self, order, case):
        return super().quote(order, case) - 100


class Fractions(Good):
    def quote(self, order, case):
        return super().quote(order, case) / 3


class Forgetful(Good):
    """Remembers how often it was asked."""

    asked: ClassVar[list[int]] = []

    def quote(self, order, case):
        self.asked.append(1)
        return super().quote(order, case) + len(self.asked)


class Rounding(Good):
    def quote(self, order, case):
        return super().quote(order, case) + Decimal("0.001") + Decimal("0.01")


class Sequence(Good):
    def quote(self, order, case):
        return money.add(super().quote(order, case), Decimal(order.features[0]))


class Rebate(Good):
    def quote(self, order, case):
        return Decimal(5 - len(order.features))


class Free(Good):
    def quote(self, order, case):
        order.of(self.features)
        return Decimal(0)


class Surcharge(Good):
    def quote(self, order, case):
        return money.add(super().quote(order, case), Decimal(9 * len(case.features)))


class Wrapping(Good):
    """A negative position counts from the end, and one too high is an IndexError."""

    def quote(self, order, case):
        return money.total(self.features[at].cost for at in order.features)


@dataclass(frozen=True)
class Unwritable(Good):
    setup: object = frozenset({"2.50"})

    def quote(self, order, case):
        return money.total(each.cost for each in order.of(self.features))


@dataclass(frozen=True)
class Changed(Good):
    """Made again of its parameters it is another."""

    def __post_init__(self):
        object.__setattr__(self, "setup", f"{self.setup}0"[-6:])


class Plain:
    name = summary = "plain"

    def quote(self, order, case):
        return Decimal(1)


class Nameless(Good):
    name = None


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (Floats, "must be an exact Decimal, got 4.0"),
        (Infinite, "must be a finite amount of money"),
        (Negative, "must be 0 or more"),
        (Fractions, "at most 6 decimals"),
        (Forgetful, "the same question, and another price"),
        (Rounding, "it rounds in the caller's decimal context"),
        (Sequence, "the sequence of the features matters"),
        (Rebate, "one more feature makes it cheaper"),
        (Free, "the first value of a case costs nothing"),
        (Surcharge, "a value costs more on a case of which others were bought"),
        (Wrapping, "feature number 4, which is not there, gives IndexError"),
        (Unwritable, "JSON cannot hold the parameters"),
        (Changed, "made again of its parameters it is another"),
        (Plain, "it must be a dataclass"),
        (Nameless, "it must have a name"),
    ],
)
def test_a_broken_one_is_told_in_words(broken, said):
    with pytest.raises(AssertionError, match=said):
        check_price_list(broken())


def test_a_class_is_not_an_object():
    with pytest.raises(AssertionError, match="give an object"):
        check_price_list(Good)
