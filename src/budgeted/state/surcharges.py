"""What is paid on top of list prices where a budget is soft, and what is bought within it.

The amounts of a state, spent + reserved + free = budget, are at list price. The surcharge is a
function of how much of that lies beyond the amount of the budget, `budgeted.problem.budgets.Soft`;
so nothing is kept, and what fails or is cancelled takes its surcharge along.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from budgeted.problem import money
from budgeted.state.state import State


@dataclass(frozen=True)
class Surcharge:
    """The surcharge of a study."""

    so_far: Decimal  # on what is spent
    to_come: Decimal


def committed(state: State) -> Decimal:
    """Return what is spent or reserved, at list price."""
    return money.add(state.spent, state.reserved)


def surcharge_of(state: State) -> Surcharge | None:
    """Return the surcharge of a study so far; None where the budget is not soft.

    >>> from budgeted import Feature, Problem, Purchase, Soft
    >>> soft = Soft(2, limit=9, point_worth=5, rate="0.2")
    >>> problem = Problem([Feature("fever", ("no", "yes"), 2)], ("well", "ill"), (0.5, 0.5), soft)
    >>> state = State.start(problem)
    >>> state = state.after(Purchase(0, 0, 1, 2)).after(Purchase(0, 1, 0, 2)).reserve((0, 1))
    >>> surcharge_of(state)
    Surcharge(so_far=Decimal('0.4'), to_come=Decimal('0.4'))
    """
    soft = state.problem.soft
    if soft is None:
        return None
    now = soft.surcharge(state.spent)
    return Surcharge(now, money.subtract(soft.surcharge(committed(state)), now))


def added_by(state: State, price: Decimal) -> Decimal:
    """Return the surcharge that an order of this price adds, behind what is under way."""
    terms, before = state.problem.terms, committed(state)
    after = terms.surcharge(money.add(before, price))
    return money.tidied(money.subtract(after, terms.surcharge(before)), price)


def within_amount(state: State) -> Decimal | None:
    """Return what can be ordered without a surcharge; None where the budget is not soft."""
    soft = state.problem.soft
    if soft is None:
        return None
    return max(Decimal(0), money.subtract(soft.amount, committed(state)))
