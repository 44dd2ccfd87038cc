"""What is in a journal, in words and as rows for a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from decimal import Decimal

from budgeted.problem import Feature, Problem, money
from budgeted.studies import events
from budgeted.studies.csv_rows import safe_cell
from budgeted.studies.events import Entry, value_in_words
from budgeted.studies.projection import Requested

COLUMNS = (
    "number", "case", "label", "feature", "cost", "fate", "value", "asked_at", "asked_by",
    "settled_at", "settled_by", "settled_why", "corrections", "why",
)  # fmt: skip

MORE = ("category", "scale")
"""Of studies with numbers or ordered values: what a value counts as, and what there is."""
SURCHARGE = "surcharge"
"""Of studies with a soft budget: what a purchase adds to it, in the order of their numbers, so that
the column adds up to all of it."""


def columns(problem: Problem) -> tuple[str, ...]:
    """Return the columns of an export of purchases."""
    scaled = any(each.scale for each in problem.features)
    soft = problem.soft is not None
    return (*COLUMNS, *(MORE if scaled else ()), *((SURCHARGE,) if soft else ()))


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
    entries: Iterable[Entry], requests: Sequence[Requested], problem: Problem | None = None
) -> list[dict[str, str]]:
    """Return a row for each request and recorded value: what it was and what became of it.

    With the problem of the study as it is now, also what numbers count as, and what each adds to
    the surcharge of a soft budget.
    """
    features = {} if problem is None else {each.name: each for each in problem.features}
    names = COLUMNS if problem is None else columns(problem)
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
        more = _more(features[each.feature], each.value) if MORE[0] in names else ()
        rows.append(dict(zip(names, (*cells, *more), strict=False)))
    if problem is not None and problem.soft is not None:
        before = Decimal(0)
        for row, each in zip(rows, requests, strict=True):
            after = money.add(before, each.cost)
            added = money.subtract(problem.soft.surcharge(after), problem.soft.surcharge(before))
            row[SURCHARGE], before = money.show(money.tidied(added, each.cost)), after
    return rows


def _more(feature: Feature, value: str | None) -> tuple[str, str]:
    """What a value counts as by the cuts of today, and the scale of its feature."""
    return "" if value is None else feature.values[feature.category(value)], feature.scale


def as_csv(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a CSV text whose cells no spreadsheet takes for formulas."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for row in (header, *rows):
        writer.writerow([safe_cell(cell) for cell in row])
    return text.getvalue()
