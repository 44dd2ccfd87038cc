"""A study as tables to take away: a row per case, a row per value, or a row per event.

All are texts, amounts exact. Who must not know the labels of cases gets none: not in a column, and
not in a sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from budgeted.problem.money import show
from budgeted.studies import events
from budgeted.studies.availability import RuledOut
from budgeted.studies.event_columns import EventLine, is_labelled, lines_of
from budgeted.studies.events import CANCELLED, FAILED, PENDING, Entry
from budgeted.studies.log import as_csv
from budgeted.studies.projection import Requested
from budgeted.studies.snapshot import Snapshot

LONG = (
    "request", "order", "case", "label", "group", "feature", "value", "category", "fate", "price",
    "charged", "reserved", "requested_at", "requested_by", "settled_at", "settled_by", "reason",
    "why_failed", "corrected", "note",
)  # fmt: skip
EVENTS = (
    "event", "at", "by", "kind", "number", "case", "label", "feature", "value", "before", "amount",
    "amount_before", "reason", "what",
)  # fmt: skip
NOTED = "noted"
"""The kind of events that are notes."""
RULED_OUT = "ruled out"
"""What stands as the fate of a test that nobody asked for, and that cannot be had."""


@dataclass(frozen=True)
class Table:
    """Names of columns, and rows of as many texts."""

    columns: tuple[str, ...]
    rows: list[tuple[str, ...]]

    def to_csv(self) -> str:
        """Return it as CSV that is safe to open in a spreadsheet."""
        return as_csv(self.columns, self.rows)

    def to_plain(self) -> list[dict[str, str]]:
        """Return the rows as dictionaries."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


def wide_table(study: Snapshot, labels: bool = True) -> Table:
    """Return a row per case and a column per feature, values as they were told.

    Together with the labels it is a list of cases with known values, as a new study takes it.
    """
    names = [each.name for each in study.state.problem.features]
    records = study.case_records.values()
    grouped = any(each.group for each in records)
    own: list[tuple[str, Callable[[Any], str]]] = [("case", lambda each: each.name)]
    own += [("label", lambda each: each.label)] if labels else []
    own += [("group", lambda each: each.group)] if grouped else []
    own += [("withdrawn", lambda each: "yes" if each.withdrawn else "")]
    columns = [f"{name} of the case" if name in names else name for name, _ in own]
    rows = []
    for each in records:
        held = {name: request.value or "" for name, request in each.held.items()}
        cells = (cell(each) for _, cell in own)
        rows.append((*cells, *(held.get(name, "") for name in names)))
    return Table((*columns, *names), rows)


def long_table(study: Snapshot, labels: bool = True) -> Table:
    """Return a row per request, recorded value, and test that was ruled out.

    The columns ``charged`` and ``reserved`` add up to what is spent and reserved, exactly.
    """
    settled, corrected = _settled(study.entries)
    notes = _notes(study.entries)
    features = {each.name: each for each in study.state.problem.features}
    records = study.case_records
    columns = tuple(name for name in LONG if labels or name != "label")
    rows = []
    for each in study.requests():
        end, feature = settled.get(each.number), features[each.feature]
        category = "" if each.value is None else feature.values[feature.category(each.value)]
        cells = {
            "request": str(each.number),
            "order": "" if each.order is None else str(each.order),
            "case": each.case,
            "label": each.label,
            "group": records[each.case].group,
            "feature": each.feature,
            "value": each.value or "",
            "category": category,
            "fate": each.fate,
            "price": show(_price(each)),
            "charged": "" if each.fate == PENDING else show(each.cost),
            "reserved": show(each.cost) if each.fate == PENDING else "",
            "requested_at": each.at,
            "requested_by": each.by,
            "settled_at": end.at if end else "",
            "settled_by": end.by if end else "",
            "reason": each.why if labels or each.asked is None else "",
            "why_failed": str(getattr(end.event, "why", "")) if end else "",
            "corrected": str(corrected.get(each.number, "")),
            "note": "; ".join(notes.get(each.number, ())),
        }
        rows.append(tuple(cells.get(name, "") for name in columns))
    for record in records.values():
        for name, entry in record.unavailable.items():
            if isinstance(entry.event, RuledOut):
                cells = {
                    "case": record.name, "label": record.label, "group": record.group,
                    "feature": name, "fate": RULED_OUT, "settled_at": entry.at,
                    "settled_by": entry.by, "why_failed": entry.event.why,
                }  # fmt: skip
                rows.append(tuple(cells.get(key, "") for key in columns))
    return Table(columns, rows)


def event_table(
    study: Snapshot, labels: bool = True, entries: Sequence[Entry] | None = None
) -> Table:
    """Return a row per event, oldest first; of an order or a list of cases, a row for each line.

    The sentence of the log stands in the last column, beside the first line of an event.
    """
    columns = tuple(name for name in EVENTS if labels or name != "label")
    rows = []
    for entry in study.entries if entries is None else entries:
        for at, line in enumerate(lines_of(entry.event, study.numbered)):
            cells = {
                "event": str(entry.seq), "at": entry.at, "by": entry.by, "kind": entry.event.kind,
                **_texts(line if labels else blinded(line, entry)),
                "what": "" if at else sentence(entry, labels),
            }  # fmt: skip
            rows.append(tuple(cells[name] for name in columns))
    return Table(columns, rows)


def sentence(entry: Entry, labels: bool) -> str:
    """Return the words of an event; none where they would tell the label of a case."""
    return entry.event.words() if labels or not is_labelled(entry.event) else ""


def blinded(line: EventLine, entry: Entry) -> EventLine:
    """Return a line of an event without what tells the label of a case."""
    reason = "" if isinstance(entry.event, events.Asked) else line.reason
    return replace(line, label="", reason=reason)


TABLES: dict[str, Callable[[Snapshot, bool], Table]] = {
    "wide": wide_table,
    "long": long_table,
    "events": event_table,
}
"""Every table by its name."""


def _texts(line: EventLine) -> dict[str, str]:
    return {name: "" if cell is None else str(cell) for name, cell in vars(line).items()}


def _settled(entries: Iterable[Entry]) -> tuple[dict[int, Entry], dict[int, int]]:
    """The event that settled each request, if one did, and how often each was corrected."""
    settled: dict[int, Entry] = {}
    corrected: dict[int, int] = {}
    for entry in entries:
        match entry.event:
            case (
                events.Told(number=number)
                | events.Failed(number=number)
                | events.Cancelled(number=number)
                | events.Recorded(number=number)
            ):
                settled[number] = entry
            case events.Undone(number=number):
                settled.pop(number, None)
            case events.Corrected(number=number):
                corrected[number] = corrected.get(number, 0) + 1
    return settled, corrected


def _notes(entries: Iterable[Entry]) -> dict[int, list[str]]:
    """What people wrote beside values, where an event of that kind is known here."""
    found: dict[int, list[str]] = {}
    for entry in entries:
        if entry.event.kind == NOTED:
            number, text = getattr(entry.event, "about", None), getattr(entry.event, "text", None)
            if number is not None and text:
                found.setdefault(number, []).append(str(text))
    return found


def _price(request: Requested) -> Any:
    """What was agreed for a request: what was charged, unless that was another sum, or nothing."""
    asked = request.asked
    if asked is not None and request.fate in (FAILED, CANCELLED):
        return asked.cost_of(request.number)
    return request.list_price
