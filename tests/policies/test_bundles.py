"""Orders are weighed with what the rest of the money would bring."""

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budgeted import Action, Feature, Problem, Purchase, State
from budgeted.policies import bundles, policy
from budgeted.problem import CaseSoFar, Order
from budgeted.problem.prices import Tariff


def clinic(costs, budget, **tariff):
    features = [Feature(f"x{at}", ("no", "yes"), cost) for at, cost in enumerate(costs)]
    return State.start(Problem(features, ("well", "ill"), (0.5, 0.5), budget, Tariff(**tariff)))


def ordered(state, worths):
    """What is ordered if values of each feature are worth so much, of either label."""
    values = np.repeat(np.array(worths, dtype=float)[:, None], 2, axis=1)
    return bundles.choose(
        state, state.depths(), values, np.random.default_rng(0), lambda at: f"{at} so far"
    )


@pytest.mark.parametrize(
    ("budget", "features"),
    [
        ("600", {0, 1}),  # 1.3 for 6 is more than 1 for 5
        ("12", {0, 1}),
        ("10", {0}),  # two visits for the better feature, instead of one for both
        ("9", {0, 1}),  # one visit is all
        ("5.50", {0}),
    ],
)
def test_no_fee_is_paid_that_leaves_too_little_for_the_rest(budget, features):
    choice = ordered(clinic(("1", "1"), budget, visit_fee="4"), (1.0, 0.3))
    assert set(choice.order.features) == features


def test_a_panel_is_worth_its_set_up_only_together():
    panels = [{"name": "blood", "features": ["x1", "x2", "x3"], "setup": "4"}]
    state = clinic(("1",) * 4, "900", panels=panels)
    # Alone each of the panel costs 5, together they cost 7.
    assert set(ordered(state, (1, 2, 2, 2)).order.features) == {0}
    assert {1, 2, 3} <= set(ordered(state, (1, 3, 3, 3)).order.features)


def test_each_of_two_panels_can_be_found():
    panels = [{"name": "blood", "features": ["x0", "x1"], "setup": "6"},
              {"name": "urine", "features": ["x2", "x3"], "setup": "6"}]  # fmt: skip
    for better in ((3, 3, 1, 1), (1, 1, 3, 3), (3.1, 0.1, 3, 3)):
        best = {at for at in range(4) if better[at] == 3}
        order = ordered(clinic(("1",) * 4, "960", panels=panels), better).order
        assert set(order.features) == best


def test_visited_cases_are_topped_up_where_that_is_cheap():
    state = clinic(("1", "1"), "60", visit_fee="9")
    first = state.reserve(Order((0,), 1, case="P1"))
    state = first.after(Purchase(0, 1, 1, first.pending[0].cost, "P1", 1))
    choice = ordered(state, (1.0, 0.4))
    assert choice.order == Order((1,), 1)
    # There is one such case: what else is bought must be worth its fee.
    after = state.reserve(choice.order)
    assert set(ordered(after, (1.0, 0.4)).order.features) == {0, 1}


@st.composite
def states(draw):
    """Prices that look at the case, some values bought, some under way, and little money."""
    number = draw(st.integers(1, 4))
    amounts = st.decimals("0.25", 3, places=2)
    costs = draw(st.lists(amounts, min_size=number, max_size=number))
    panels = []
    if number > 1:
        whole = draw(st.booleans())
        kind = {"price": draw(amounts), "whole": True} if whole else {"setup": draw(amounts)}
        panels = [{"name": "panel", "features": ["x0", "x1"], **kind}]
    state = clinic(costs, draw(st.decimals(0, 25, places=2)), panels=panels,
                   visit_fee=draw(st.decimals(0, 4, places=2)))  # fmt: skip
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    for _ in range(draw(st.integers(0, 6))):
        cells = state.affordable()
        if cells:
            state = state.reserve(cells[int(rng.integers(len(cells)))])
            if rng.random() < 0.7:
                each = state.pending[-1]
                value = int(rng.integers(2))
                told = Purchase(*each.action, value, each.cost, each.case, each.number)
                state = state.after(told)
    return state


@given(states(), st.none() | st.decimals(0, 8, places=2))
@settings(max_examples=150, deadline=None)
def test_an_order_can_be_placed_for_the_money_that_is_allowed(state, at_most):
    state = state.changed(at_most=at_most)
    choice = policy("auto").choose(state, np.random.default_rng(0))
    cells = state.affordable()
    if choice is None:
        assert not cells
        return
    assert choice.action in cells
    assert set(choice.scores) == set(cells)
    after = state.reserve(choice.order)
    paid = after.reserved - state.reserved
    assert paid <= state.free
    assert at_most is None or paid <= at_most


def test_prices_and_budget_times_a_number_leave_the_order_as_it_is():
    for times in (Decimal("0.01"), 1, 700):
        state = clinic([str(times), str(2 * times)], 40 * times, visit_fee=3 * times)
        choice = policy("auto").choose(state, np.random.default_rng(4))
        assert choice.order == Order((0, 1), choice.action.label)


def test_labels_are_weighed_by_what_they_bring_alone():
    """Of one label much is known, of the other nothing: no round is needed to see which to buy."""
    state = clinic(("1", "1"), "90", visit_fee="2")
    for at in range(12):
        for feature in (0, 1):
            state = state.after(Purchase(feature, 0, at % 2, 0, f"P{at}"))
    choice = policy("auto").choose(state, np.random.default_rng(0))
    assert choice.action.label == 1
    assert isinstance(choice.action, Action)
    assert state.problem.quote(choice.order, CaseSoFar(label=1)) == 4
