"""Orders of several features in worlds: one case hands them over, at the list's price."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budgeted import Feature, Problem, simulate
from budgeted.errors import WorldError
from budgeted.problem import Order
from budgeted.simulation.worlds import ModelWorld, TableWorld
from budgeted.state.cases import RULES
from tests.price_lists import PRICES, Panel, Visit

FEATURES = [Feature(f"f{at}", ("no", "yes"), cost) for at, cost in enumerate((1, 2, "0.50", 3))]


def world(prices, budget=40, rule="fresh", cases=12):
    problem = Problem(FEATURES, ("well", "ill"), (0.5, 0.5), budget, prices)
    rng = np.random.default_rng(4)
    values = rng.integers(0, 2, (cases, len(FEATURES)))
    return TableWorld(problem, values, np.arange(cases) % 2, seed=1, case_rule=rule)


@pytest.mark.parametrize("rule", RULES)
def test_an_order_comes_from_one_case(rule):
    stock = world(Visit(Decimal(5)), rule=rule).open()
    first = stock.buy(Order((2, 0), label=1))
    assert len({each.case for each in first}) == 1
    assert [each.cost for each in first] == [Decimal("5.50"), Decimal(1)]
    second = stock.buy(Order((1, 3), label=1))
    assert second[0].case == first[0].case  # where the fee is paid already, whatever the rule
    assert [each.cost for each in second] == [2, 3]
    (third,) = stock.buy(Order((0,), label=1))
    assert (third.case, third.cost) != (first[0].case, 1)


def test_a_case_that_lacks_one_of_the_features_is_passed_over():
    stock = world(None, rule="overlap", cases=4).open()
    (one,) = stock.buy(Order((0,), label=0))
    three = stock.buy(Order((1, 0), label=0))
    assert {each.case for each in three} != {one.case}
    with pytest.raises(WorldError, match="no case left"):
        stock.buy(Order((0, 1), label=0))


def test_a_world_without_end_sells_orders_too():
    table = world(Visit())
    bought = ModelWorld(table.problem, np.full((2, 8), 0.5)).open().buy(Order((0, 1), 1))
    assert [each.cost for each in bought] == [Decimal("3.50"), 2]


def test_simulate_folds_all_of_an_order():
    found = world(Visit(Decimal(1)), budget="20")
    rows = list(simulate(found.problem, Panel(), found, loss=None))
    sizes = Counter(row.case for row in rows)
    assert max(sizes.values()) == 3
    assert [row.step for row in rows] == list(range(1, len(rows) + 1))
    assert rows[-1].spent == sum(row.cost for row in rows) <= 20
    for case in sizes:
        of_case = [row for row in rows if row.case == case]
        assert sum(row.cost for row in of_case) == 1 + sum(
            FEATURES[row.feature].cost for row in of_case
        ), "one fee for each case"


@settings(max_examples=40)
@given(prices=PRICES, rule=st.sampled_from(RULES), most=st.integers(1, 4))
def test_no_price_list_makes_a_run_spend_more_than_there_is(prices, rule, most):
    found = world(prices, budget=25, rule=rule)
    rows = list(simulate(found.problem, Panel(most), found, loss=None))
    assert sum(row.cost for row in rows) == (rows[-1].spent if rows else 0) <= 25
