"""The terms of a budget, where it is more than a firm amount, as events of a study.

A study with a firm budget has none of these: its first event has the amount, and `BudgetChanged`
another one. What a soft one agrees on is written down beside that.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

from budgeted.policies.stopping import weigh
from budgeted.problem import money
from budgeted.problem.budgets import Firm, Terms, from_table
from budgeted.state import State
from budgeted.state.surcharges import added_by, surcharge_of
from budgeted.studies.beginning import learner_of
from budgeted.studies.created import Created
from budgeted.studies.events import Event


@dataclass(frozen=True, eq=False)
class BudgetTerms(Event):
    """The budget is on these terms from now on."""

    budget: Decimal  # the most that all orders together may cost
    terms: dict[str, Any]  # as a study file has them, amounts and days as text
    old_terms: dict[str, Any] | None = None  # those of before; None where the study begins
    why: str = ""
    kind: Literal["budget_terms"] = "budget_terms"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BudgetTerms):
            return NotImplemented
        return self._facts == other._facts  # 2.5 and 2.50 are the same amount

    def __hash__(self) -> int:
        return hash(self._facts)

    @property
    def _facts(self) -> tuple[object, ...]:
        before = None if self.old_terms is None else from_table(self.old_terms)
        return self.budget, self.agreed(), before, self.why

    def agreed(self) -> Terms:
        """Return the terms."""
        return from_table(self.terms)

    def words(self) -> str:
        """Return it in one line."""
        now = f"budget: {self.agreed().words()}"
        before = f"; before: {from_table(self.old_terms).words()}" if self.old_terms else ""
        return f"{now}{before}{f' ({self.why})' if self.why else ''}"


def first_terms(terms: Terms) -> list[Event]:
    """Return what a study with these terms begins with, behind its first event."""
    return [] if isinstance(terms, Firm) else [BudgetTerms(terms.limit, terms.to_table())]


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
