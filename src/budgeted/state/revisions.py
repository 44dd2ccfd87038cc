"""What a study changes after the fact: values, prices, requests pending again, the problem, money.

Each function returns a new state; see `budgeted.state.state`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from budgeted.errors import PurchaseError
from budgeted.learners.belief import Belief, Integers
from budgeted.problem import Problem, money
from budgeted.problem.budgets import Terms
from budgeted.problem.money import MoneyLike
from budgeted.problem.orders import Purchase, Request
from budgeted.state.requests import History
from budgeted.state.state import State


def corrected(state: State, number: int, value: int | None, cost: MoneyLike | None = None) -> State:
    """Return the state had a purchase brought another value, or none, or cost another sum."""
    at = next((at for at in reversed(range(len(state.history)))
               if state.history[at].number == number), None)  # fmt: skip
    if at is None:
        raise PurchaseError(f"there is no purchase number {number} to correct")
    old = state.history[at]
    paid = old.cost if cost is None else cost
    new = Purchase(old.feature, old.label, value, paid, old.case, number)
    refunded = state.changed(remaining=money.add(state.remaining, old.cost))
    refunded.check_money(new.cost)
    belief = state.belief
    if value is not None:
        belief = belief.observe_at(old.feature, old.label, value)
    if old.value is not None:
        belief = belief.retract_at(old.feature, old.label, old.value)
    return state.changed(
        belief=belief,
        remaining=money.subtract(refunded.remaining, new.cost),
        history=History((*state.history[:at], new, *state.history[at + 1 :])),
    )


def reopened(state: State, request: Request) -> State:
    """Return the state as it would be had a request not come back: its money is reserved again.

    A purchase of its number leaves the history and the belief, and what it cost is free. Its
    case must be set aside; see `State.resupplied` for one that is not.
    """
    old = next((each for each in reversed(state.history) if each.number == request.number), None)
    if old is not None:
        belief = state.belief
        if old.value is not None:
            belief = belief.retract_at(old.feature, old.label, old.value)
        state = state.changed(
            belief=belief,
            remaining=money.add(state.remaining, old.cost),
            history=History(each for each in state.history if each is not old),
        )
    state.check_money(request.cost)
    return state.changed(
        pending=state.pending.with_one(request),
        reserved=money.add(state.reserved, request.cost),
    )


def repriced(state: State, amounts: Mapping[int, Decimal]) -> State:
    """Return the state with other amounts reserved, or charged, for requests and purchases.

    For a pending request it is what is reserved for it, for a purchase what was charged.
    """
    pending, reserved, remaining = state.pending, state.reserved, state.remaining
    for number, amount in amounts.items():
        request = pending.find(number)
        if request is not None:
            reserved = money.add(money.subtract(reserved, request.cost), amount)
            pending = pending.with_one(replace(request, cost=amount))
    settled = amounts.keys() - {each for each in amounts if state.pending.find(each)}
    charged = (
        {}
        if not settled
        else {
            at: replace(each, cost=amounts[each.number])
            for at, each in enumerate(state.history)
            if each.number is not None and each.number in amounts
        }
    )
    for at, each in charged.items():
        remaining = money.subtract(money.add(remaining, state.history[at].cost), each.cost)
    state.check_money(
        money.subtract(
            money.add(money.subtract(state.remaining, remaining), reserved), state.reserved
        )
    )
    history = state.history
    if charged:
        history = History(charged.get(at, each) for at, each in enumerate(history))
    return state.changed(pending=pending, reserved=reserved, remaining=remaining, history=history)


def of_problem(
    state: State,
    problem: Problem,
    values: Sequence[int | None] | None = None,
    cases_left: Integers | None = None,
) -> State:
    """Return the state as it would be had it been about another problem from the start.

    All purchases are folded again, so that the belief depends on nothing but the problem and
    the values: changed cuts that are changed back give the same belief, bit for bit.
    """
    history = state.history
    if values is not None:
        changed = zip(history, values, strict=True)
        history = History(replace(each, value=value) for each, value in changed)
    belief = Belief.prior(problem)
    for each in history:
        if each.value is not None:
            belief = belief.observe_at(each.feature, each.label, each.value)
    return state.changed(
        problem=problem,
        belief=belief,
        history=history,
        cases_left=state.cases_left if cases_left is None else cases_left,
    )


def with_budget(state: State, budget: MoneyLike | Terms) -> State:
    """Return the state with another budget, which must cover what is spent and reserved."""
    problem = state.problem.but(budget=budget)
    gone = money.add(state.spent, state.reserved)
    if problem.budget < gone:
        raise PurchaseError(
            f"budget: {problem.budget} is less than the {gone} that is gone already (spent "
            f"{state.spent}, reserved {state.reserved}); give at least that much"
        )
    return state.changed(
        problem=problem,
        belief=state.belief.of_problem(problem),
        remaining=money.subtract(problem.budget, state.spent),
    )
