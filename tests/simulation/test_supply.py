"""Cells that yield the same whatever else is bought; missing values that are not sold."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budgeted import Feature, Problem, State, simulate
from budgeted.errors import PurchaseError, TableError, WorldError
from budgeted.policies import policy
from budgeted.problem import Order
from budgeted.simulation.datasets import load, split
from budgeted.simulation.worlds import TableWorld
from tests.price_lists import Visit

FEATURES = 3


def a_problem(budget=200, prices=None):
    features = [Feature(f"f{at}", ("a", "b", "c"), 1) for at in range(FEATURES)]
    return Problem(features, ("well", "ill"), (0.5, 0.5), budget, prices)


def a_world(rule="per cell", seed=1, cases=14, missing=0.0, sells_missing=True):
    """Every case is told from others by its number, which `yields` looks at."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 3, (cases, FEATURES))
    values[rng.random(values.shape) < missing] = -1
    labels = np.arange(cases) % 2
    return TableWorld(a_problem(), values, labels, seed, rule, sells_missing)


def yields(world, wanted):
    """The cases that each cell was bought from, in the order in which they were."""
    stock, found = world.open(), defaultdict(list)
    for cell in wanted:
        (bought,) = stock.buy(Order((cell[0],), cell[1]))
        found[cell].append((bought.case, bought.value))
    return found


CELLS = st.lists(st.tuples(st.integers(0, FEATURES - 1), st.integers(0, 1)), max_size=30).map(
    lambda cells: [cell for at, cell in enumerate(cells) if cells[:at].count(cell) < 7]
)


@settings(max_examples=60)
@given(one=CELLS, other=CELLS, seed=st.integers(0, 5))
def test_what_a_cell_yields_is_the_same_whatever_else_was_bought(one, other, seed):
    world = a_world(seed=seed)
    first, second = yields(world, one), yields(world, other)
    for cell in set(first) & set(second):
        both = min(len(first[cell]), len(second[cell]))
        assert first[cell][:both] == second[cell][:both]
    for bought in first.values():
        assert len(set(bought)) == len(bought), "no value is sold twice"


def test_the_orders_of_cells_are_drawn_apart():
    world = a_world(cases=60)
    orders = [tuple(world.order_of(feature, 0).tolist()) for feature in range(FEATURES)]
    assert len(set(orders)) == FEATURES
    assert {frozenset(each) for each in orders} == {frozenset(world.order[0].tolist())}


def test_several_features_still_come_from_one_whole_case():
    world = a_world(cases=10)
    rows = list(simulate(world.problem, policy("round-robin", over="cases"), world, loss=None))
    assert len(rows) == 30
    for at in range(0, len(rows), FEATURES):
        whole = rows[at : at + FEATURES]
        assert [each.feature for each in whole] == [0, 1, 2]
        assert len({each.case for each in whole}) == 1
    cases = [each.case for each in rows[::FEATURES]]
    for label in (0, 1):
        of_label = [each for each in cases if each % 2 == label]
        assert of_label == world.order[label].tolist(), "cases are used in the order of the world"


@settings(max_examples=40)
@given(
    seed=st.integers(0, 20),
    rule=st.sampled_from(["fresh", "overlap", "settle", "per cell"]),
    name=st.sampled_from(["greedy", "biased-robin", "round-robin", "whole-cases"]),
    budget=st.integers(0, 45),
)
def test_a_missing_value_that_is_not_sold_costs_nothing(seed, rule, name, budget):
    """Every purchase brings a value; and all values there are can be bought, not one more."""
    world = a_world(rule, seed=seed, missing=0.3, sells_missing=False)
    problem = a_problem(budget)
    world = TableWorld(problem, world.values, world.labels, seed, rule, sells_missing=False)
    chosen = policy("round-robin", over="cases") if name == "whole-cases" else policy(name)
    rows = list(simulate(problem, chosen, world, loss=None))
    assert all(each.value == world.values[each.case, each.feature] >= 0 for each in rows)
    assert len({(each.case, each.feature) for each in rows}) == len(rows)
    there = int((world.values >= 0).sum())
    assert len(rows) == min(budget, there)
    assert int(world.supply.sum()) == there


def test_whole_cases_that_lack_something_are_not_passed_over():
    values = np.array([[0, -1, 2], [1, 1, 1], [2, -1, -1], [-1, -1, -1]])
    world = TableWorld(a_problem(), values, np.zeros(4, dtype=int), 3, sells_missing=False)
    rows = list(simulate(world.problem, policy("round-robin", over="cases"), world, loss=None))
    in_order = [each for each in world.order[0].tolist() if each != 3]
    assert list(dict.fromkeys(each.case for each in rows)) == in_order
    assert len(rows) == 6


def test_a_table_is_read_so():
    sold = split(load("votes"), seed=1, budget=50)
    not_sold = split(load("votes"), seed=1, budget=50, missing="not sold")
    assert (sold.world.values == not_sold.world.values).all()
    assert (sold.world.supply == np.array(sold.world.cases)).all()
    gaps = int((sold.world.values < 0).sum())
    assert gaps > 0
    assert int(sold.world.supply.sum() - not_sold.world.supply.sum()) == gaps
    with pytest.raises(TableError, match="'no value', 'own value' or 'not sold', got 'unsold'"):
        split(load("votes"), seed=1, budget=50, missing="unsold")


def test_where_prices_depend_on_the_case_a_missing_value_must_be_for_sale():
    with pytest.raises(WorldError, match="say 'no value' or 'own value' in place of 'not sold'"):
        TableWorld(a_problem(prices=Visit()), np.zeros((2, 3), dtype=int), np.arange(2),
                   sells_missing=False)  # fmt: skip


def test_a_state_may_know_the_supply_of_each_cell():
    supply = np.array([[2, 1], [0, 3], [1, 1]])
    state = State.start(a_problem(), supply)
    assert state.depths().tolist() == supply.tolist()
    assert State.start(a_problem(), (4, 2)).depths().tolist() == [[4, 2]] * 3
    for wrong in (supply.T, supply - 1, supply / 2, [[1, 2]] * 3):
        with pytest.raises(PurchaseError, match="3 features × 2 labels, got"):
            State.start(a_problem(), wrong)
