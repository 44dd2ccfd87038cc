"""An event as columns: which case, which feature, which value, how much money, and why.

The log says what happened in sentences; a spreadsheet wants one thing in each column. An event that
is about several things, such as an order for two tests, is several lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from budgeted.problem.money import show
from budgeted.problem.values import Number
from budgeted.studies import events
from budgeted.studies.availability import Allowed, RuledOut
from budgeted.studies.budget_terms import BudgetTerms
from budgeted.studies.created import Created
from budgeted.studies.events import Event, value_in_words
from budgeted.studies.growth import CasesAdded, CutsChanged, FeatureAdded, ValueAdded
from budgeted.studies.projection import Requested


@dataclass(frozen=True)
class EventLine:
    """One line of an event; what it has nothing to say about is empty."""

    number: int | None = None  # of the request or recorded value
    case: str = ""
    label: str = ""
    feature: str = ""
    value: str = ""
    before: str = ""
    amount: str = ""
    amount_before: str = ""
    reason: str = ""  # what the policy or the person gave as the reason


def lines_of(event: Event, numbered: Mapping[int, Requested]) -> list[EventLine]:
    """Return an event as lines, at least one.

    >>> lines_of(events.Withdrawn("P1", "moved away"), {})[0].case
    'P1'
    """
    return [_with_request(line, numbered) for line in _lines(event)] or [EventLine()]


def is_labelled(event: Event) -> bool:
    """Tell whether the words of an event, or its reason, tell the label of a case."""
    return isinstance(event, events.Asked | events.Recorded)


def _with_request(line: EventLine, numbered: Mapping[int, Requested]) -> EventLine:
    found = None if line.number is None else numbered.get(line.number)
    if found is None:
        return line
    named = {"case": found.case, "label": found.label, "feature": found.feature}
    return EventLine(**{**vars(line), **named})  # faster than `replace`


def _lines(event: Event) -> Iterator[EventLine]:  # noqa: PLR0912 - one for each kind
    why = str(getattr(event, "why", ""))
    match event:
        case Created(budget=budget):
            yield EventLine(amount=show(budget))
        case events.Asked(lines=lines, reason=reason):
            for line in lines:
                yield EventLine(line.number, amount=show(line.cost), reason=reason)
        case (
            events.Told(number, value, cost)
            | events.Recorded(number=number, value=value, cost=cost)
        ):
            yield EventLine(number, value=value or "", amount=show(cost))
        case events.Failed(number, charged, usable):
            again = "" if usable else "not to be asked of this case again"
            yield EventLine(number, value=again, amount=show(charged), reason=why)
        case events.Corrected(number, old, value, old_cost, cost):
            forgotten = old is None and value is None
            yield EventLine(
                number,
                value="" if forgotten else value_in_words(value),
                before="" if forgotten else value_in_words(old),
                amount=show(cost),
                amount_before=show(old_cost),
                reason=why,
            )
        case events.Undone(number, fate, value, charged, cost):
            was = fate if value is None else f"{fate} {value}"
            yield EventLine(
                number,
                before=was,
                amount=show(cost),
                amount_before=show(charged),
                reason=why,
            )
        case events.Repriced(amounts):
            for number, amount in amounts:
                yield EventLine(number, amount=show(amount))
        case events.BudgetChanged(old, new):
            yield EventLine(amount=show(new), amount_before=show(old), reason=why)
        case BudgetTerms(budget=budget):
            yield EventLine(value=event.agreed().words(), amount=show(budget), reason=why)
        case CasesAdded(cases=cases, groups=groups):
            for case, label in cases:
                yield EventLine(case=case, label=label, value=groups.get(case, ""))
        case FeatureAdded(feature=added):
            yield EventLine(feature=added.name, value=added.kind, amount=show(added.cost))
        case ValueAdded(feature=feature, value=value):
            yield EventLine(feature=feature, value=value)
        case CutsChanged(feature=feature, cuts=new_cuts, old_cuts=old_cuts, decimal=decimal):
            both = [
                Number(cuts=each, decimal=decimal).written_cuts for each in (new_cuts, old_cuts)
            ]
            yield EventLine(feature=feature, value=both[0], before=both[1], reason=why)
        case RuledOut(case, feature) | Allowed(case, feature):
            yield EventLine(case=case, feature=feature, reason=why)
        case _:
            yield _of_another(event, why)


def _of_another(event: Event, why: str) -> EventLine:
    """A line of an event without columns of its own, as those of other packages may be."""
    number = getattr(event, "number", getattr(event, "about", None))
    why = why or str(getattr(event, "text", None) or "")  # of a note
    texts = {name: getattr(event, name, "") for name in ("case", "feature", "value")}
    kept = {name: text for name, text in texts.items() if isinstance(text, str)}
    return EventLine(number if isinstance(number, int) else None, **kept, reason=why)
