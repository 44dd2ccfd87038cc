"""What is in a journal, in words and as rows for a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from budgeted import events, money
from budgeted.events import Entry, Event
from budgeted.state import State
from budgeted.study.file import safe_cell
from budgeted.study.standing import Requested

COLUMNS = (
    "number", "case", "label", "feature", "cost", "fate", "value", "asked_at", "asked_by",
    "settled_at", "settled_by", "settled_why", "corrections", "why",
)  # fmt: skip


def describe(event: Event) -> str:  # noqa: PLR0911 - one for each kind of event
    """Return an event in one line of plain words.

    >>> from decimal import Decimal
    >>> describe(events.Failed(4, Decimal("9.50"), usable=False, why="tube broken"))
    'request 4 failed: 9.50 charged, not to be asked of this case again (tube broken)'
    """
    match event:
        case events.Created() as new:
            features = len(new.features)
            return f"created: {features} features, {len(new.cases)} cases, budget {new.budget}"
        case events.Asked() as asked:
            return (
                f"request {asked.number}: {asked.feature} of {asked.case} ({asked.label}) for "
                f"{asked.cost}: {asked.reason}"
            )
        case events.Told(number, value, cost):
            return f"request {number} told: {_kept(value)}, {cost} charged"
        case events.Failed(number, charged, usable, why):
            bill = f"{charged} charged" if charged else "money back"
            again = "may be asked again" if usable else "not to be asked of this case again"
            return f"request {number} failed: {bill}, {again}{_because(why)}"
        case events.Cancelled(number, why):
            return f"request {number} cancelled: money back{_because(why)}"
        case events.Recorded() as given:
            return (
                f"recorded as {given.number}: {given.feature} of {given.case} ({given.label}) is "
                f"{_kept(given.value)}, {given.cost} charged"
            )
        case events.Corrected() as new:
            bill = f", {new.cost} instead of {new.old_cost} charged"
            if new.value is None and new.old_value is None and new.cost == new.old_cost:
                return f"number {new.number} corrected: {_kept(None)}{_because(new.why)}"
            return (
                f"number {new.number} corrected: {value_in_words(new.value)} instead of "
                f"{value_in_words(new.old_value)}{bill if new.cost != new.old_cost else ''}"
                f"{_because(new.why)}"
            )
        case events.Undone(number, fate, value, charged, cost, why):
            was = fate if value is None else f"{fate} {value}"
            back = f", {charged} back" if charged else ""
            return (
                f"request {number} pending again, {cost} reserved: that it was {was} is taken "
                f"back{back}{_because(why)}"
            )
        case events.Withdrawn(case, why, forget):
            gone = ", and its values forgotten" if forget else ""
            return f"case {case} withdrawn for good{gone}{_because(why)}"
        case events.BudgetChanged(old, budget, why):
            return f"budget changed from {old} to {budget}{_because(why)}"
        case events.Closed(why):
            return f"closed{_because(why)}"


def why_fewer(asked: Sequence[Requested], wanted: int, state: State) -> str:
    """Return why fewer requests than wanted were asked for; nothing if there are enough.

    Parameters
    ----------
    asked, wanted
        Those that were asked for, and how many should have been.
    state
        Of the study with them.
    """
    if len(asked) >= wanted:
        return ""
    begin = f"{wanted} were asked for; " if wanted > 1 else ""
    if state.affordable():
        return f"{begin}the policy wants no more now"
    nothing = why_nothing(state)
    if not asked:
        return f"{begin}{nothing}"
    if not (state.cases_left > 0).any():
        return f"{begin}{nothing}"
    free = state.free
    for each in asked:
        free = money.add(free, each.cost)
    return f"{begin}the free money ({money.show(free)}) pays for {len(asked)}"


def why_nothing(state: State) -> str:
    """Return why nothing can be asked for; nothing if something can."""
    if state.affordable():
        return ""
    if not (state.cases_left > 0).any():
        return "every value of every case was bought, asked for, or cannot be had"
    cheapest = min(
        feature.cost
        for feature, left in zip(state.problem.features, state.cases_left, strict=True)
        if (left > 0).any()
    )
    return f"{money.show(state.free)} are free, and the cheapest value costs {money.show(cheapest)}"


def ranking(request: Requested) -> tuple[tuple[str, str, float], ...]:
    """Return the best that were compared for a request: feature, label and score, best first."""
    return () if request.asked is None else request.asked.scores


def more_compared(request: Requested, shown: int) -> str:
    """Return in words what else was compared besides so many that are shown.

    >>> from decimal import Decimal
    >>> spread = events.Spread(number=2000, lowest=0.1, mean=0.25, highest=0.5)
    >>> asked = events.Asked(1, "P1", "crp", "ill", Decimal(1), (), spread, "", "", "", {}, "")
    >>> request = Requested(1, "P1", "crp", "ill", Decimal(1), "pending", None, asked, "", "")
    >>> more_compared(request, 12)
    '1988 more were compared; all 2000 are from 0.1 to 0.5, 0.25 on average'
    """
    found = None if request.asked is None else request.asked.compared
    if found is None or found.number <= shown:
        return ""
    return (
        f"{found.number - shown} more were compared; all {found.number} are from "
        f"{found.lowest:.6g} to {found.highest:.6g}, {found.mean:.6g} on average"
    )


def purchases(entries: Iterable[Entry], requests: Sequence[Requested]) -> list[dict[str, str]]:
    """Return a row for each request and recorded value: what it was and what became of it."""
    settled: dict[int, Entry] = {}
    corrections: dict[int, list[str]] = {}
    for entry in entries:
        match entry.event:
            case events.Told(number) | events.Failed(number) | events.Cancelled(number):
                settled[number] = entry
            case events.Undone(number, fate, old):
                settled.pop(number, None)
                line = f"{fate} {old or ''}".strip() + f" undone by {entry.by} at {entry.at}"
                corrections.setdefault(number, []).append(line)
            case events.Corrected(number, old, new):
                line = f"{value_in_words(old)} to {value_in_words(new)} by {entry.by} at {entry.at}"
                corrections.setdefault(number, []).append(line)
    rows = []
    for each in requests:
        end = settled.get(each.number)
        cells = (
            str(each.number), each.case, each.label, each.feature, str(each.cost), each.fate,
            each.value or "", each.at, each.by, end.at if end else "", end.by if end else "",
            getattr(end.event, "why", "") if end else "",
            "; ".join(corrections.get(each.number, [])), each.why,
        )  # fmt: skip
        rows.append(dict(zip(COLUMNS, cells, strict=True)))
    return rows


def as_csv(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a CSV text whose cells no spreadsheet takes for formulas."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for row in (header, *rows):
        writer.writerow([safe_cell(cell) for cell in row])
    return text.getvalue()


def _kept(value: str | None) -> str:
    return "a value that is forgotten" if value is None else value


def value_in_words(value: str | None) -> str:
    """Return a value, or that there is none."""
    return "no value" if value is None else value


def _because(why: str) -> str:
    return f" ({why})" if why else ""
