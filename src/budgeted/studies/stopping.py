"""What a soft budget adds: a surcharge, and why nothing more is asked though there is money."""

from __future__ import annotations

from decimal import Decimal

from budgeted.policies.stopping import weigh
from budgeted.problem import money
from budgeted.state import State
from budgeted.state.surcharges import added_by, surcharge_of
from budgeted.studies.beginning import learner_of
from budgeted.studies.created import Created


def why_stopped(state: State, created: Created) -> str:
    """Return why the policy buys nothing though something is affordable; else nothing."""
    if not state.problem.has_prices:
        return ""
    soft = state.problem.soft
    weighed = None if soft is None else weigh(state, learner_of(created))
    if soft is None or weighed is None or weighed.goes_on:
        return ""
    return (
        f"beyond {money.show(soft.amount)} a purchase must be worth its price, and "
        f"{weighed.words()}; raise the amount of the budget, or what a point is worth, to go on"
    )


def surcharge_words(state: State, price: Decimal) -> list[str]:
    """Return what an order pays where there is a surcharge on it."""
    added = added_by(state, price)
    if not added:
        return []
    paid = money.show(money.add(price, added))
    return [f"it pays {paid}: {money.show(price)} and {money.show(added)} surcharge"]


def surcharge_facts(state: State) -> dict[str, str]:
    """Return the surcharge by name; nothing for a firm budget."""
    surcharge = surcharge_of(state)
    if surcharge is None:
        return {}
    return {
        "surcharge": money.show(surcharge.so_far),
        "surcharge_reserved": money.show(surcharge.to_come),
    }
