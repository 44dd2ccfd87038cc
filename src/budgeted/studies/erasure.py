"""What it means that the values of a case are forgotten.

A journal is append-only and each event seals those before it, so nothing can be taken out of the
database without breaking the seal. What can be done is done here: the values are out of the belief
and the classifier, and nobody who looks at the study, by page, log, export or program, is shown
them again. What they cost, and that they were bought, stays. The database, and copies of it, still
hold them; docs/studies.md says how to get rid of those.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from budgeted.studies import events
from budgeted.studies.events import Entry, Event
from budgeted.studies.notes import Noted

STILL_THERE = (
    "The database itself still holds them, and so do its backups: nothing is ever taken out of the "
    "log. docs/studies.md says what to do where that must not be."
)


def without_values(
    entries: Iterable[Entry], numbers: Collection[int], cases: Collection[str] = ()
) -> tuple[Entry, ...]:
    """Return events with the values of some requests left out; folding them leads to the same.

    >>> from decimal import Decimal
    >>> told = Entry(3, "2026-01-02T03:04:05Z", "me", events.Told(1, "low", Decimal(4)))
    >>> without_values([told], {1})[0].event
    Told(number=1, value=None, cost=Decimal('4'), kind='told')
    >>> without_values([told], {2})[0] is told
    True
    """
    if not numbers and not cases:
        return tuple(entries)
    return tuple(
        replace(entry, event=_without(entry.event))
        if _is_about(entry.event, numbers, cases)
        else entry
        for entry in entries
    )


def _is_about(event: Event, numbers: Collection[int], cases: Collection[str]) -> bool:
    if isinstance(event, Noted):
        return event.case in cases
    return getattr(event, "number", None) in numbers


def _without(event: Event) -> Event:
    match event:
        case events.Told() | events.Recorded() | events.Undone():
            return replace(event, value=None)
        case events.Corrected():
            return replace(event, value=None, old_value=None)
        case Noted():
            return replace(event, text=None)
        case _:
            return event
