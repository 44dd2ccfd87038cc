"""What it would cost to measure the rest of a case, fees included."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal

from budgeted.errors import BudgetedError
from budgeted.problem import CaseSoFar, Order
from budgeted.studies.case_records import CaseRecord
from budgeted.studies.snapshot import Snapshot


@dataclass(frozen=True)
class Remaining:
    """What is left to measure of a case."""

    features: tuple[str, ...]
    cost: Decimal | None


def remaining(study: Snapshot, record: CaseRecord, day: date) -> Remaining:
    """Return what is left to measure of a case, and what it would cost on a day."""
    problem = study.state.problem
    names = [each.name for each in problem.features]
    left = tuple(record.open(names))
    if not left:
        return Remaining((), Decimal(0))
    places = {name: at for at, name in enumerate(names)}
    # Who may not see the label of the case is told a price that holds for all of them.
    known = record.label in problem.labels
    labels = [problem.labels.index(record.label)] if known else range(len(problem.labels))
    quotes = set()
    for label in labels if problem.has_prices else ():
        fresh = CaseSoFar(
            frozenset(places[each] for each in record.held),
            label,
            record.name,
            (),
            record.group,
            frozenset(places[each] for each in record.unavailable if each not in record.held),
        )
        # Where fees are due once, the state knows what was paid for.
        so_far = replace(study.state.visited.get(record.name, fresh), label=label)
        order = Order(tuple(places[each] for each in left), label, record.name, day)
        try:
            quotes.add(problem.quote(order, so_far))
        except BudgetedError:  # a price list of another package may refuse it
            return Remaining(left, None)
    return Remaining(left, quotes.pop() if len(quotes) == 1 else None)
