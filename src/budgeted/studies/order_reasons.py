"""Why these features are ordered of this case: what they would cost apart, or of somebody else."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from budgeted.listing import listed
from budgeted.problem import CaseSoFar, Order, money
from budgeted.studies.accounts import so_far

if TYPE_CHECKING:
    from budgeted.studies.drafts import Draft


def why_together(draft: Draft, order: Order, wanted: set[int]) -> list[str]:
    """Return what speaks for an order as it is, where prices depend on the case."""
    problem, case = draft.state.problem, str(order.case)
    before = so_far(draft, case)
    names = [problem.features[at].name for at in order.features]
    terms = replace(before, name=None)
    price = problem.quote(replace(order, case=None), terms)
    fresh = CaseSoFar(label=before.label, group=before.group)
    elsewhere = problem.quote(replace(order, case=None), fresh)
    words = []
    if price < elsewhere:
        verb = "costs" if len(names) == 1 else "cost"
        words.append(
            f"{case} is here anyway: {listed(names)} {verb} {money.show(price)} instead of "
            f"{money.show(elsewhere)}"
        )
    apart = money.total([
        problem.quote(Order((at,), order.label, None, order.day), terms) for at in order.features
    ])  # fmt: skip
    if len(names) > 1 and price < apart:
        words.append(f"{money.show(price)} together instead of {money.show(apart)} one by one")
    gifts = [problem.features[at].name for at in order.features if at not in wanted]
    if gifts:
        come = "comes" if len(gifts) == 1 else "come"
        words.append(f"{listed(gifts)} {come} along at no cost")
    return words
