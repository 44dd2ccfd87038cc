"""A test as people describe it in a row of fields, and as a feature of a study file.

Fields are texts. What was not touched stays as it was in the file, whatever it was, and so do keys
that the fields do not show.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from typing import Any

from budgeted.errors import BudgetedError
from budgeted.problem.numbers import number_of
from budgeted.simulation.tables.contents import by_number_then_text
from budgeted.studies.csv_rows import UNKNOWN
from budgeted.studies.preparing.amounts import (
    amount,
    joined,
    numbers,
    parts,
    shown_number,
    shown_numbers,
    written,
)
from budgeted.studies.preparing.columns import facts_of
from budgeted.studies.proposed_cuts import LABELS, WAYS, Found, found_cuts

CATEGORIES, NUMBER = "categorical", "number"
FIELDS = ("name", "kind", "values", "ordered", "unit", "least", "most", "cuts", "cost")
_FEW_NUMBERS = 5
_OF_NUMBERS = ("unit", "least", "most", "cuts", "decimal", "source")


def fields_of(table: Mapping[str, Any], decimal: str) -> dict[str, str]:
    """Return what stands in the fields of a test.

    >>> fields_of({"name": "crp", "kind": "number", "cuts": [7.5], "cost": "9.50"}, "comma")["cuts"]
    '7,5'
    """
    values = table.get("values", [])
    return {
        "name": str(table.get("name", "")),
        "kind": str(table.get("kind", CATEGORIES)),
        "values": joined(values) if isinstance(values, list | tuple) else str(values),
        "ordered": "yes" if table.get("ordered") is True else "",
        "unit": str(table.get("unit", "")),
        "least": shown_number(table.get("least"), decimal),
        "most": shown_number(table.get("most"), decimal),
        "cuts": shown_numbers(table.get("cuts"), decimal),
        "cost": written(table.get("cost"), decimal),
    }


def described_test(
    fields: Mapping[str, str], decimal: str, before: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the feature that the fields of a test describe.

    >>> described_test({"name": "crp", "kind": "number", "cuts": "5; 7,5", "cost": "9,5"}, "comma")
    {'name': 'crp', 'kind': 'number', 'cuts': ['5', '7,5'], 'cost': '9.5'}
    >>> described_test({"name": "fever", "values": "no, yes", "cost": "2"}, "point")
    {'name': 'fever', 'values': ['no', 'yes'], 'cost': '2'}
    """
    was = dict(before or {})
    shown = fields_of(was, decimal)
    typed = {key: fields[key].strip() for key in FIELDS if key in fields}
    changed = {key: text for key, text in typed.items() if text != shown[key] or before is None}
    made: dict[str, Any] = {"name": "", **was}
    readers: dict[str, Any] = {
        "values": parts,
        "ordered": bool,
        "cuts": lambda text: numbers(text, decimal),
        "cost": lambda text: amount(text, decimal),
    }
    for key, text in changed.items():
        made[key] = readers.get(key, str)(text)
        if not text and key not in ("name", "cost", "cuts", "values"):
            del made[key]
        if key == "cuts":
            made.pop("source", None)
    kind = made.get("kind", CATEGORIES)
    if kind == CATEGORIES:
        made = {key: each for key, each in made.items() if key not in (*_OF_NUMBERS, "kind")}
        made.setdefault("values", [])
    elif kind == NUMBER:
        made = {key: each for key, each in made.items() if key not in ("values", "ordered")}
        made.setdefault("cuts", [])
    cost = made.pop("cost", "")
    return made | {"cost": cost}


def proposed_test(
    name: str, cells: Sequence[str], decimal: str, labels: Sequence[str] = ()
) -> dict[str, Any]:
    """Return a feature for a column of the list: its categories, or numbers with cuts.

    >>> proposed_test("fever", ["yes", "no", "", "yes"], "point")
    {'name': 'fever', 'values': ['no', 'yes'], 'cost': ''}
    >>> made = proposed_test("crp (mg/l)", ["1,5", "3", "9", "4", "8", "7"], "comma")
    >>> made["unit"], made["cuts"]
    ('mg/l', [4, 8])
    """
    known = list(dict.fromkeys(each for each in cells if each not in UNKNOWN))
    facts = facts_of(cells)
    marked = any("," in each or "." in each for each in known)
    if facts.numbers and (facts.different > _FEW_NUMBERS or marked):
        made: dict[str, Any] = {"name": name, "kind": NUMBER}
        if name.endswith((")", "]")) and (at := max(name.rfind("("), name.rfind("["))) > 0:
            made["unit"] = name[at + 1 : -1].strip()
        for how in ("terciles", "median"):
            try:
                found = proposed_cuts(how, cells, labels, decimal)
                return made | {"cuts": list(found.cuts), "source": found.source, "cost": ""}
            except BudgetedError:
                continue
        return made | {"cuts": [], "cost": ""}
    return {"name": name, "values": sorted(known, key=by_number_then_text), "cost": ""}


def proposed_cuts(how: str, cells: Sequence[str], labels: Sequence[str], decimal: str) -> Found:
    """Return cuts by the known values of a column, or an error that says why there are none."""
    if how not in WAYS:
        raise BudgetedError(f"cuts can be found by {', '.join(WAYS)}, not by {how!r}")
    read: dict[str, Decimal] = {}
    for cell in {*cells}.difference(UNKNOWN):
        with suppress(ValueError):  # the preview names it with its line
            read[cell] = number_of(cell, decimal)
    places = [at for at, cell in enumerate(cells) if cell in read]
    kept = [labels[at] for at in places] if how == LABELS and labels else []
    return found_cuts(how, [read[cells[at]] for at in places], kept, "the list of cases")
