"""What the default orders together where patients who are there anyway cost less."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budgeted import Feature, Problem, Purchase, State
from budgeted.policies import policy
from budgeted.policies.base import choose
from budgeted.problem import Order
from budgeted.problem.prices.tariff import Tariff
from budgeted.simulation.worlds import ModelWorld, TableWorld
from budgeted.state.offers import NO_LIMIT

NAMES = [f"test {at}" for at in range(13)]
TREADMILL = {"name": "treadmill", "features": NAMES[:4], "whole": True, "price": 6}
BLOOD = {"name": "blood", "features": NAMES[4:9], "setup": 3}
"""The example of the issue: thirteen tests, a fee for the visit and two panels."""


def clinic(fee=10, budget=600, features=13, panels=(TREADMILL, BLOOD)):
    sold = [Feature(name, ("no", "yes"), 1 + at % 3) for at, name in enumerate(NAMES[:features])]
    prices = Tariff(fee, panels=panels)
    return Problem(sold, ("well", "ill"), (0.6, 0.4), budget, prices)


def world(problem, seed, cases=200):
    """Some tests tell the labels apart well, some a little, some not at all."""
    rng = np.random.default_rng(seed)
    strength = rng.permutation(np.linspace(0, 0.4, len(problem.features)))
    labels = (rng.random(cases) < 0.4).astype(np.int64)
    chance = 0.5 + np.where(labels[:, None] == 1, strength, -strength)
    values = (rng.random((cases, len(problem.features))) < chance).astype(np.int64)
    return TableWorld(problem, values, labels, seed, "settle")


def play(problem, found, name="auto", seed=0):
    """Return the final state and the number of features of each order."""
    stock, state, sizes = found.open(), State.start(problem, found.cases), []
    chooser = policy(name)
    while (choice := choose(chooser, state, np.random.default_rng(seed), name)) is not None:
        bought = stock.buy(choice.order, state.free)
        sizes.append(len(bought))
        for each in bought:
            state = state.after(each)
    return state, sizes


@pytest.mark.parametrize("seed", range(3))
def test_a_visit_brings_at_least_three_values(seed):
    problem = clinic()
    state, _ = play(problem, world(problem, seed), seed=seed)
    visits = {each.case for each in state.history}
    assert len(state.history) >= 3 * len(visits)
    assert len({(each.case, each.feature) for each in state.history}) == len(state.history)


def test_a_panel_that_is_sold_whole_is_bought_whole():
    problem = clinic()
    state, _ = play(problem, world(problem, 1))
    treadmill = Counter(each.case for each in state.history if each.feature < 4)
    assert treadmill
    assert set(treadmill.values()) == {4}


def test_a_feature_that_is_there_anyway_is_cheaper_than_a_new_patient():
    """One patient was here for one test: another test of hers is the best use of the money."""
    problem = clinic(fee=50, features=2, panels=())
    state = State.start(problem, (20, 20))
    for label in (0, 1):
        state = state.after(Purchase(0, label, label, "51", case=f"P{label}"))
    choice = policy("auto").choose(state, np.random.default_rng(0))
    assert choice.action.feature == 1
    assert state.price(choice.action) == 2
    assert state.reserve(choice.order).reserved == 2


def test_prices_of_cells_count_open_visits_first():
    problem = clinic(fee=50, features=2, panels=(), budget=200)
    state = State.start(problem).after(Purchase(0, 0, 1, "51", case="P0"))
    assert (state.price((1, 0)), state.price((1, 1))) == (2, 52)
    assert state.free == 149
    # One at 2 where the patient is, and two at 52; of the other label two at 52.
    assert state.depths()[1].tolist() == [3, 2]
    assert state.offers.fresh[1, 1] == NO_LIMIT


def slow_depth(state, cell):
    """Buy as often as the money goes, each time of whoever costs least."""
    feature, label = cell
    asked = 0
    while True:
        found = state.offers.cheapest((feature,), label)
        if found is None or found[0] > state.free:
            return asked
        state = state.reserve(cell)
        asked += 1


@settings(deadline=None, max_examples=40)
@given(
    fee=st.integers(0, 9),
    setup=st.integers(0, 4),
    bought=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1), st.integers(0, 2)), max_size=8),
    budget=st.integers(0, 40),
)
def test_depths_are_what_buying_one_by_one_gives(fee, setup, bought, budget):
    """`Offers.depths` sums over steps of a ladder; here every purchase is made."""
    panel = {"name": "both", "features": NAMES[:2], "setup": setup}
    sold = [Feature(name, ("no", "yes"), 1 + at) for at, name in enumerate(NAMES[:4])]
    problem = Problem(sold, ("well", "ill"), (0.5, 0.5), 400, Tariff(fee, panels=[panel]))
    state = State.start(problem, (5, 5))
    for feature, label, place in bought:
        case = f"{label} {place}"
        before = state.visited.get(case)
        if before is None or feature not in before.features:
            state = state.after(Purchase(feature, label, 0, 0, case=case))
    state = state.changed(remaining=Decimal(budget), at_most=None)
    found = state.depths()
    for cell in problem.actions:
        assert found[cell] == slow_depth(state, cell), cell


def test_a_world_without_end_knows_who_was_there():
    problem = clinic(fee=50, features=3, panels=())
    stock = ModelWorld(problem, np.full((2, 6), 0.5), seed=3).open()
    (first,) = stock.buy(Order((0,), 1))
    (again,) = stock.buy(Order((1,), 1))
    assert (again.case, again.cost) == (first.case, 2)
    (other,) = stock.buy(Order((1,), 1))
    assert other.case != first.case
    assert other.cost == 52
