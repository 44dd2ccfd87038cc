"""Change the budget, or the terms that it is on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from budgeted.errors import ProblemError, StudyError
from budgeted.studies import events
from budgeted.studies.commands.base import (
    Amount,
    Command,
    amount,
    parameter,
    reason,
)

if TYPE_CHECKING:
    from budgeted.problem.budgets import Terms
    from budgeted.studies.drafts import Draft


@dataclass(frozen=True)
class SetBudget(Command):
    """Change the budget, or its terms; it must cover what is spent and reserved.

    What is not given stays as it is. A budget that was firm becomes a soft one if limit,
    point-worth and a rate, or steps, are given.
    """

    name: ClassVar[str] = "budget"
    budget: Amount = parameter(
        "All the money of the study; of a soft budget what is not soft.",
        metavar="AMOUNT",
    )
    why: str = reason()
    firm: bool = parameter("Make it firm: this amount, and no other terms.", False)
    limit: Amount | None = parameter("Soft: what all orders may cost at most.", None)
    rate: Amount | None = parameter(
        "Soft: the surcharge on each unit beyond the amount, such as 0.2.", None
    )
    steps: Sequence[str] = parameter(
        "Soft, instead of a rate: BEYOND:RATE, from so much beyond the amount on; can be given "
        "several times, with rates that rise.",
        (),
        option=(
            "--step",
            "Soft, instead of a rate: BEYOND:RATE, from so much beyond the amount on; can be given "
            "several times, with rates that rise.",
        ),
    )
    point_worth: Amount | None = parameter(
        "Soft: what a percentage point less error is worth.", None
    )

    def __post_init__(self) -> None:
        if isinstance(self.steps, str):
            raise StudyError(f"steps: must be a list such as ['0:0.2'], got {self.steps!r}")
        object.__setattr__(self, "steps", tuple(self.steps))

    def decide(self, draft: Draft) -> list[events.Event]:
        """Return that there is more money, or less, or that it is on other terms."""
        from budgeted.problem import Firm
        from budgeted.studies.budget_terms import BudgetTerms

        old = draft.state.problem.terms
        new = self.terms_after(old)
        if new == old:
            raise StudyError(f"the budget is {new.words()} already")
        if isinstance(old, Firm) and isinstance(new, Firm):
            return [events.BudgetChanged(old.amount, new.amount, self.why)]
        return [BudgetTerms(new.limit, new.to_table(), old.to_table(), self.why)]

    def terms_after(self, old: Terms) -> Terms:
        """Return the new terms: what is given, and else what there is."""
        from budgeted.problem import money
        from budgeted.problem.budgets import from_table, kind_of

        sum_ = amount("budget", self.budget)
        given = self._given()
        table = old.to_table()
        if self.firm:
            if given:
                raise StudyError(f"firm: a firm budget has no {', '.join(given)}; leave it out")
            table = {}
        elif given and kind_of(given) != kind_of(table):
            table = {}
        for one, other in (("rate", "steps"), ("steps", "rate")):
            if one in given and other not in given:
                table.pop(other, None)
        try:
            return from_table({**table, **given, "amount": money.show(sum_)})
        except ProblemError as error:
            raise StudyError(str(error)) from None

    def _given(self) -> dict[str, Any]:
        given: dict[str, Any] = {
            name: getattr(self, name)
            for name in ("limit", "rate", "point_worth")
            if getattr(self, name) is not None
        }
        if self.steps:
            given["steps"] = [_step(each) for each in self.steps]
        return given


def _step(text: str) -> tuple[str, str]:
    beyond, mark, rate = text.partition(":")
    if not mark:
        raise StudyError(f"steps: must be BEYOND:RATE, such as 100:0.5, got {text!r}")
    return beyond.strip(), rate.strip()
