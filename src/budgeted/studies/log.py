"""What is in a journal, in words and as rows for a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from decimal import Decimal

from budgeted.problem import Soft, money
from budgeted.studies import events
from budgeted.studies.events import Entry, value_in_words
from budgeted.studies.files import safe_cell
from budgeted.studies.projection import Requested

COLUMNS = (
    "number", "case", "label", "feature", "cost", "fate", "value", "asked_at", "asked_by",
    "settled_at", "settled_by", "settled_why", "corrections", "why",
)  # fmt: skip


def ranking(request: Requested) -> tuple[tuple[str, str, float], ...]:
    """Return the best that were compared for a request: feature, label and score, best first."""
    return () if request.asked is None else request.asked.scores


def more_compared(request: Requested, shown: int) -> str:
    """Return in words what else was compared besides so many that are shown.

    >>> from decimal import Decimal
    >>> spread = events.Spread(number=2000, lowest=0.1, mean=0.25, highest=0.5)
    >>> line = events.Line(1, "crp", Decimal(1))
    >>> asked = events.Asked("P1", "ill", (line,), (), spread, "", "", "", {}, "")
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


def purchases(
    entries: Iterable[Entry], requests: Sequence[Requested], soft: Soft | None = None
) -> list[dict[str, str]]:
    """Return a row for each request and recorded value: what it was and what became of it.

    Parameters
    ----------
    entries, requests
        The events, and what became of every number, in their order.
    soft
        The terms of a soft budget: then there is also what each adds to the surcharge, in their
        order, so that the last column adds up to all of it.
    """
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
    if soft is not None:
        before = Decimal(0)
        for row, each in zip(rows, requests, strict=True):
            after = money.add(before, each.cost)
            added = money.subtract(soft.surcharge(after), soft.surcharge(before))
            row["surcharge"], before = money.show(money.tidied(added, each.cost)), after
    return rows


def as_csv(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a CSV text whose cells no spreadsheet takes for formulas."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for row in (header, *rows):
        writer.writerow([safe_cell(cell) for cell in row])
    return text.getvalue()
