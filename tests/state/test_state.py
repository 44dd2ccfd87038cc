from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeted import Belief, Feature, Problem, Purchase, State
from budgeted.errors import BudgetedError, ObservationError, PurchaseError
from budgeted.policies import policy
from budgeted.state.revisions import with_budget
from tests.beliefs import Doubtful

PROBLEM = Problem(
    features=(Feature("fever", ("no", "yes"), "0.1"), Feature("scan", ("no", "yes"), "2")),
    labels=("well", "ill"),
    prior=(0.5, 0.5),
    budget="5",
)


def test_three_purchases_at_a_tenth_fit_in_three_tenths():
    problem = Problem(PROBLEM.features, PROBLEM.labels, PROBLEM.prior, budget=0.3)
    state = State.start(problem)
    for _ in range(3):
        assert state.depths()[0, 0] == 3 - len(state.history)
        state = state.after(Purchase(0, 0, 1, 0.1))
    assert state.free == 0
    with pytest.raises(PurchaseError, match=r"cost 0.1 is more than the free 0.0 of the budget"):
        state.after(Purchase(0, 0, 1, "0.1"))


def test_a_purchase_is_paid_observed_and_remembered():
    state = State.start(PROBLEM, cases=(3, 4)).after(Purchase(1, 1, 0, "2", case="P-7"))
    assert (state.spent, state.reserved, state.free) == (2, 0, 3)
    assert state.belief == Belief.prior(PROBLEM).observe(1, 1, 0)
    assert state.history[0].case == "P-7"
    assert state.history[0].number == 1
    assert state.cases_left.tolist() == [[3, 4], [3, 3]]
    assert state.last_purchase() is state.history[0]


def test_money_gone_without_a_value_teaches_nothing():
    state = State.start(PROBLEM).after(Purchase(1, 1, None, "2"))
    assert state.belief == Belief.prior(PROBLEM)
    assert state.spent == 2


def test_data_that_was_there_already_costs_nothing():
    state = State.start(PROBLEM).after(Purchase(1, 1, 0, 0))
    assert state.spent == 0
    assert state.belief != Belief.prior(PROBLEM)


def test_requests_reserve_money_and_cases():
    state = State.start(PROBLEM, cases=(1, 1)).reserve((1, 0)).reserve((0, 0))
    assert (state.spent, state.reserved, state.free) == (0, Decimal("2.1"), Decimal("2.9"))
    assert state.affordable() == ((0, 1), (1, 1))
    assert [request.number for request in state.pending] == [1, 2]
    assert state.under_way() == {(1, 0): 1, (0, 0): 1}
    assert state.last_purchase() is None
    released = state.release(1)
    assert released.free == Decimal("4.9")
    assert released.cases_left.tolist() == [[0, 1], [1, 1]]
    assert released.last_action == (0, 0)
    told = released.after(Purchase(0, 0, 1, "0.1", number=2))
    assert told.pending == ()
    assert told.last_purchase() == told.history[0]


def test_there_is_no_last_purchase_while_the_last_request_is_pending_or_cancelled():
    bought = State.start(PROBLEM).after(Purchase(0, 0, 1, "0.1"))
    asked = bought.reserve((1, 1)).reserve((0, 1))
    assert asked.last_purchase() is None
    assert asked.release(3).last_purchase() is None
    older = asked.after(Purchase(1, 1, 0, "2", number=2))
    assert older.last_purchase() is None
    newest = older.after(Purchase(0, 1, 0, "0.1", number=3))
    assert newest.last_purchase() == newest.history[-1]
    overtaken = asked.after(Purchase(0, 1, 0, "0.1", number=3)).after(
        Purchase(1, 1, 0, "2", number=2)
    )
    assert overtaken.last_purchase() == overtaken.history[-2]


def test_a_request_may_cost_less_or_more_than_the_list_says_within_the_budget():
    state = State.start(PROBLEM).reserve((1, 0))
    assert state.after(Purchase(1, 0, 1, "1.25", number=1)).spent == Decimal("1.25")
    assert state.after(Purchase(1, 0, 1, "5", number=1)).free == 0
    with pytest.raises(PurchaseError, match=r"cost 5\.01 is more than the free 5"):
        state.after(Purchase(1, 0, 1, "5.01", number=1))


@pytest.mark.parametrize(
    ("act", "says"),
    [
        (lambda s: s.after(Purchase(1, 0, 1, "2", number=9)), "request 9 is not pending; pending"),
        (lambda s: s.release(9), "request 9 is not pending; pending are: 1"),
        (lambda s: s.after(Purchase(0, 0, 1, "2", number=1)), "request 1 asked for feature 'scan'"),
        (lambda s: s.after(Purchase(1, 1, 1, "4")), "cost 4 is more than the free 3"),
        (lambda s: s.after(Purchase(1, 0, 1, "1")), "no case is left to buy feature 'scan'"),
        (lambda s: s.reserve((1, 0)), "no case is left"),
        (lambda s: s.reserve((1, 1)).reserve((1, 1)), "cost 2 is more than the free 1"),
        (lambda s: s.after(Purchase(1, 1, 2, "2")), "feature 'scan' has no value number 2"),
        (lambda s: s.after(Purchase(7, 1, 1, "2")), "there is no feature number 7"),
        (lambda s: s.after(Purchase(1, 7, 1, "2")), "there is no label number 7"),
        (lambda s: s.reserve((1, -1)), "there is no label number -1"),
        (lambda s: s.after(Purchase(1, 1, 1, "-2")), "cost: must be 0 or more, got -2"),
        (lambda s: s.after(Purchase(1, 1, 1, "NaN")), "cost: must be an amount of money"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_changes(act, says):
    state = State.start(PROBLEM, cases=(1, 1)).reserve((1, 0))
    before = (state.spent, state.reserved, state.history, state.pending, state.belief)
    cases_left = state.cases_left.copy()
    with pytest.raises(BudgetedError, match=says):
        act(state)
    assert before == (state.spent, state.reserved, state.history, state.pending, state.belief)
    assert (state.cases_left == cases_left).all()


@pytest.mark.parametrize("cases", [(1,), (1, -1), (1, 2.5), (1, True)])
def test_a_supply_is_a_whole_number_for_each_label(cases):
    with pytest.raises(PurchaseError, match="cases: must be a whole number from 0"):
        State.start(PROBLEM, cases=cases)


def test_a_belief_of_another_problem_is_refused():
    other = Problem(PROBLEM.features[:1], PROBLEM.labels, PROBLEM.prior, budget=5)
    with pytest.raises(PurchaseError, match="belief: is about another problem"):
        State.start(PROBLEM, belief=Belief.prior(other))
    known = Belief.prior(PROBLEM).observe(0, 0, 1)
    assert State.start(PROBLEM, belief=known).belief is known


@pytest.mark.parametrize("kind", [Belief, Doubtful])
def test_another_budget_leaves_the_kind_of_belief(kind):
    state = State.start(PROBLEM, belief=kind.prior(PROBLEM)).after(Purchase(0, 1, 1, "0.1"))
    more = with_budget(state, "99")
    assert type(state.belief) is type(more.belief) is kind
    assert more.belief.problem.budget == 99
    np.testing.assert_array_equal(more.belief.means, state.belief.means)


def test_a_state_cannot_be_changed():
    state = State.start(PROBLEM, cases=(1, 1))
    with pytest.raises(ValueError, match="read-only"):
        state.cases_left[0, 0] = 5
    with pytest.raises(AttributeError):
        state.remaining = Decimal(10)


@given(st.data())
def test_spent_reserved_and_free_always_make_the_budget(data):
    """Any sequence of requests, answers in any order, failures and releases."""
    state = State.start(PROBLEM, cases=(3, 2))
    sold = np.zeros((2, 2), dtype=int)
    for _ in range(data.draw(st.integers(0, 25))):
        if state.pending and data.draw(st.booleans()):
            request = data.draw(st.sampled_from(state.pending))
            value = data.draw(st.sampled_from([None, 0, 1, "back"]))
            if value == "back":
                state = state.release(request.number)
                sold[request.action] -= 1
            else:
                done = Purchase(*request.action, value, request.cost, number=request.number)
                state = state.after(done)
        elif state.affordable():
            action = data.draw(st.sampled_from(state.affordable()))
            state = state.reserve(action)
            sold[action] += 1
        assert state.spent + state.reserved + state.free == PROBLEM.budget
        assert min(state.spent, state.reserved, state.free) >= 0
        assert (state.cases_left == np.array([[3, 2]] * 2) - sold).all()
        assert state.spent == sum(each.cost for each in state.history)
    observed = sum(each.value is not None for each in state.history)
    assert state.belief.observed.sum() == observed


def test_an_observation_error_leaves_a_pending_request_pending():
    state = State.start(PROBLEM).reserve((0, 0))
    with pytest.raises(ObservationError):
        state.after(Purchase(0, 0, 5, "0.1", number=1))
    assert len(state.pending) == 1


@pytest.mark.parametrize("name", ["uniform-expenditure", "biased-robin", "sfl"])
def test_a_purchase_by_name_is_kept_by_position(name):
    state = State.start(PROBLEM).after(Purchase("scan", "ill", "yes", "2"))
    assert state.history[0] == Purchase(1, 1, 1, "2", number=1)
    assert policy(name).choose(state, np.random.default_rng(0)) is not None


def test_a_choice_is_not_an_action():
    state = State.start(PROBLEM)
    choice = policy("sfl").choose(state, np.random.default_rng(0))
    with pytest.raises(PurchaseError, match="action: must be a pair"):
        state.reserve(choice)


def test_a_state_is_shown_in_one_line():
    shown = repr(State.start(PROBLEM).reserve((1, 0)))
    assert shown == "State(0 purchases, 1 pending, spent 0, reserved 2, free 3)"
