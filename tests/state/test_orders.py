"""Orders: one or more features of one case, at what the price list says."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeted import Feature, Problem, Purchase, State
from budgeted.errors import ObservationError, PurchaseError
from budgeted.problem import CaseSoFar, Order, money
from budgeted.problem.prices import lines
from tests.price_lists import PRICES, Setup, Visit

FEATURES = [
    Feature(f"f{at}", ("no", "yes"), cost) for at, cost in enumerate(("0.10", "1.50", "2", "0.7"))
]
BUDGET = 30


def start(prices=None, budget=BUDGET):
    problem = Problem(FEATURES, ("well", "ill"), (0.5, 0.5), budget, prices)
    return State.start(problem, cases=(3, 3))


def test_an_order_of_three_reserves_three_requests():
    state = start(Visit(Decimal(5))).reserve(Order((2, 0, 3), label=1, case="P1"))
    assert [(each.number, each.feature, each.label, str(each.cost)) for each in state.pending] == [
        (1, 2, 1, "7"), (2, 0, 1, "0.10"), (3, 3, 1, "0.70"),
    ]  # fmt: skip
    assert (state.reserved, state.next_number, state.last_action) == (Decimal("7.80"), 4, (3, 1))
    assert state.cases_left.tolist() == [[3, 2], [3, 3], [3, 2], [3, 2]]
    assert state.after(Purchase(0, 1, 1, "0.10", "P1", 2)).spent == Decimal("0.10")


def test_what_was_bought_of_the_case_before_counts():
    state = start(Visit(Decimal(5))).reserve((0, 0), CaseSoFar(frozenset({1}), 0, "P1"))
    assert state.reserved == Decimal("0.10")


def test_a_journal_knows_its_own_prices():
    state = start().reserve(Order((0, 1), 0), prices=[Decimal(1), Decimal(2)])
    assert [each.cost for each in state.pending] == [1, 2]


@pytest.mark.parametrize(
    ("order", "case", "says"),
    [
        (Order((), 0), None, "order: must have at least one feature"),
        (Order((1, 1), 0), None, "order: feature 'f1' is ordered twice of the same case"),
        (Order((1,), 0), CaseSoFar(frozenset({1})), "feature 'f1' is ordered twice"),
    ],
)
def test_what_is_no_order_is_refused(order, case, says):
    with pytest.raises(PurchaseError, match=says):
        start().reserve(order, case)


@pytest.mark.parametrize("order", [Order((4,), 0), Order((0, -1), 0), Order((0,), 2)])
def test_what_is_not_there_is_refused(order):
    with pytest.raises(ObservationError, match=r"there is no (feature|label) number"):
        start().reserve(order)


def test_an_order_is_paid_as_a_whole_or_not_at_all():
    state = start(budget="2.10")
    with pytest.raises(PurchaseError, match=r"cost 2\.20 is more than the free 2\.10"):
        state.reserve(Order((1, 3), 0))
    assert state.reserve((1, 0)).free == Decimal("0.60")


def test_labels_may_have_prices_of_their_own():
    state = start(Setup(Decimal(0), 0, Decimal(10)))
    assert [str(state.price((1, label))) for label in (0, 1)] == ["1.50", "11.50"]
    assert state.depths().tolist()[1] == [3, 2]
    assert state.problem.feature_prices[1] == Decimal("11.50")


def _fold(state, data, bought):  # noqa: PLR0911 - one for each kind of step
    """One random step: an order, an answer, a value that cost another amount, or nothing."""
    problem = state.problem
    step = data.draw(st.sampled_from(["order", "order", "tell", "other amount", "back"]))
    if step == "order":
        case = data.draw(st.integers(0, 3))
        label, had = case % 2, bought.setdefault(case, set())
        left = [each for each in range(len(FEATURES)) if each not in had]
        if not left:
            return state
        wanted = data.draw(st.permutations(left))[: data.draw(st.integers(1, 3))]
        order = Order(tuple(wanted), label, case)
        so_far = CaseSoFar(frozenset(had), label, case)
        quote = problem.prices.quote(order, so_far)
        assert money.total(lines(problem.prices, order, so_far)) == quote
        if quote > state.free:
            with pytest.raises(PurchaseError, match="is more than the free"):
                state.reserve(order, so_far)
            return state
        after = state.reserve(order, so_far)
        new = list(after.pending)[len(state.pending) :]
        assert tuple(each.feature for each in new) == order.features
        assert sum(each.cost for each in new) == quote == after.reserved - state.reserved
        had.update(wanted)
        return after
    if not state.pending:
        return state
    request = data.draw(st.sampled_from(list(state.pending)))
    if step == "back":
        return state.release(request.number)
    if step == "tell":  # what is reserved is what is charged
        after = state.after(Purchase(*request.action, 1, request.cost, number=request.number))
        assert after.spent - state.spent == request.cost == state.reserved - after.reserved
        return after
    told = data.draw(st.decimals(0, 4, places=2))
    if told > money.add(state.free, request.cost):
        return state
    after = state.after(Purchase(*request.action, None, told, number=request.number))
    assert after.spent - state.spent == told
    return after


@given(prices=PRICES, data=st.data())
def test_money_adds_up_whatever_the_prices_and_the_orders(prices, data):
    """Spent + reserved + free = budget after every step, and no step spends what is not there."""
    state = State.start(Problem(FEATURES, ("well", "ill"), (0.5, 0.5), BUDGET, prices))
    bought: dict[int, set[int]] = {}
    for _ in range(data.draw(st.integers(1, 20))):
        state = _fold(state, data, bought)
        assert state.spent + state.reserved + state.free == BUDGET
        assert min(state.spent, state.reserved, state.free) >= 0
        assert state.reserved == sum(each.cost for each in state.pending)
        assert state.spent == sum(each.cost for each in state.history)
