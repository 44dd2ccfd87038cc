"""The terms of a budget, where it is more than a firm amount, as events of a study.

A study with a firm budget has none of these: its first event has the amount, and `BudgetChanged`
another one. What a soft one agrees on is written down beside that.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

from budgeted.problem.budgets import Firm, Terms, from_table
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
