"""Price lists: what an order costs."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import ClassVar

import pytest

from budgeted import Feature, Problem, State
from budgeted.errors import PriceListError, ProblemError
from budgeted.problem import CaseSoFar, Order, PerFeature, money
from budgeted.problem.prices import (
    NotInstalled,
    lines,
    parameters_of,
    price_list,
)
from budgeted.state.revisions import with_budget

FEATURES = (
    Feature("fever", ("no", "yes"), "1.50"),
    Feature("culture", ("neg", "pos"), "40"),
    Feature("scan", ("clear", "shadow"), "0.05"),
)


@dataclass(frozen=True)
class Visit:
    """A fee for the first value of a case."""

    name: ClassVar[str] = "visit"
    summary: ClassVar[str] = "a fee for the first value of a case"

    fee: Decimal = Decimal(10)
    features: tuple[Feature, ...] = field(default=(), repr=False, compare=False)

    def quote(self, order, case):
        own = money.total(each.cost for each in order.of(self.features))
        return own if case.features else money.add(own, self.fee)


def problem(prices=None, budget=100):
    return Problem(FEATURES, ("well", "ill"), (0.5, 0.5), budget, prices)


def test_without_a_list_each_feature_has_its_cost():
    made = problem()
    assert made.prices == PerFeature()
    assert made.prices.quote(Order((0, 2), 1), CaseSoFar(frozenset({1}), 1)) == Decimal("1.55")
    state = State.start(made)
    assert [state.price(cell) for cell in made.actions[::2]] == [each.cost for each in FEATURES]


def test_a_list_learns_what_is_for_sale():
    made = problem(Visit())
    assert made.fresh_prices == tuple((each.cost + 10,) * 2 for each in FEATURES)
    assert State.start(made).price(made.action("scan", "ill")) == Decimal("10.05")


def test_another_budget_keeps_the_prices():
    state = with_budget(State.start(problem(Visit(Decimal(3)))), 200)
    assert state.problem.prices == Visit(Decimal(3))
    assert state.price((0, 0)) == Decimal("4.50")


def test_lines_add_up_to_the_quote():
    prices = problem(Visit()).prices
    order = Order((2, 0, 1), label=0)
    assert lines(prices, order, CaseSoFar()) == (Decimal("10.05"), Decimal("1.50"), Decimal("40"))
    used = CaseSoFar(frozenset({1}))
    assert lines(prices, Order((2, 0), 0), used) == (Decimal("0.05"), Decimal("1.50"))


@pytest.mark.parametrize(
    ("quoted", "said"),
    [
        (1.5, "must be a Decimal, got 1.5"),
        (Decimal("NaN"), "must be a finite amount of money"),
        (Decimal("Infinity"), "must be a finite amount of money"),
        (Decimal(-1), "must be 0 or more, got -1"),
        (Decimal("0.1234567"), "at most 6 decimals"),
        (Decimal(0), "'fever' costs nothing; the first value of a case must cost more than 0"),
    ],
)
def test_what_is_no_price_is_refused_by_the_problem(quoted, said):
    @dataclass(frozen=True)
    class Odd:
        name: ClassVar[str] = "odd"

        def quote(self, order, case):
            return quoted

    with pytest.raises(ProblemError, match="prices: .*" + said):
        problem(Odd())


def test_one_more_feature_must_not_be_cheaper():
    @dataclass(frozen=True)
    class Rebate:
        name: ClassVar[str] = "rebate"

        def quote(self, order, case):
            return Decimal(9 - len(order.features))

    with pytest.raises(PriceListError, match="7 for 2 features of a case is less than the 8 for 1"):
        lines(Rebate(), Order((0, 1), 0), CaseSoFar())


@pytest.mark.parametrize("given", ["per-feature", PerFeature, 3])
def test_what_is_no_price_list_is_refused(given):
    with pytest.raises(ProblemError, match="prices: must be a price list"):
        problem(given)


def test_parameters_are_written_down_as_json_values():
    assert parameters_of(Visit(Decimal("2.50"))) == {"fee": "2.50"}


def test_a_name_that_is_none_is_refused_with_the_nearest():
    with pytest.raises(PriceListError, match="no price list 'per-featur'; did you mean 'per-feat"):
        price_list("per-featur")


def test_one_that_is_not_installed_says_so():
    made = problem(NotInstalled("weekend", {"fee": "3"}))
    assert parameters_of(made.prices) == {"fee": "3"}
    with pytest.raises(PriceListError, match=r"'weekend' is not installed here.*There are"):
        State.start(made).price((0, 0))


def test_a_price_list_that_raises_is_said_in_words():
    @dataclass(frozen=True)
    class Broken:
        name: ClassVar[str] = "broken"
        summary: ClassVar[str] = "raises"

        def quote(self, order, case):
            return {}["no such key"]

    features = [Feature("a", ("no", "yes"), 1)]
    with pytest.raises(ProblemError, match="price list 'broken': quote raised KeyError"):
        Problem(features, ("x", "y"), (0.5, 0.5), 3, prices=Broken())
