"""A list of tests that was copied from a spreadsheet."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from budgeted.studies.preparing.described import CATEGORIES, NUMBER, described_test

MOST = 5_000
_WORDS = {
    "name": "name", "test": "name", "feature": "name",
    "price": "cost", "cost": "cost", "costs": "cost",
    "values": "values", "categories": "values",
    "unit": "unit", "cuts": "cuts", "kind": "kind",
    "from": "least", "least": "least", "min": "least",
    "to": "most", "most": "most", "max": "most",
}  # fmt: skip
"""What a column may be called in the first line."""
_USUAL = ("name", "cost", "values", "unit")
_NUMBERS = re.compile(r"[0-9][0-9.,;\s]*")


def pasted_tests(text: str, decimal: str) -> tuple[list[dict[str, Any]], list[str]]:
    r"""Return the features of a pasted list, and what is wrong with it, line by line.

    A line has the name of a test, its price, its values (or cuts, if it is a number) and its unit,
    with tabs between them, or semicolons; or a first line says what is in which column.

    >>> found, wrong = pasted_tests("fever\t2\tno, yes\ncrp\t9,50\t5; 7,5\tmg/l\n\t3", "comma")
    >>> [(each["name"], each.get("kind"), each["cost"]) for each in found], wrong
    ([('fever', None, '2'), ('crp', 'number', '9.50')], ['line 3: the name of the test is missing'])
    """
    lines = [(at, line) for at, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not lines:
        return [], ["nothing was pasted"]
    if len(lines) > MOST:
        return [], [f"there are {len(lines):,} lines, and at most {MOST:,} are taken"]
    mark = "\t" if any("\t" in line for _, line in lines) else ";"
    keys: Sequence[str] = _USUAL
    first = [_WORDS.get(cell.strip().lower(), "") for cell in lines[0][1].split(mark)]
    if "name" in first:
        keys, lines = first, lines[1:]
    found, wrong, seen = [], [], dict[str, int]()
    for at, line in lines:
        cells = [cell.strip().strip('"') for cell in line.split(mark)]
        fields = {key: cell for key, cell in zip(keys, cells, strict=False) if key}
        name = fields.get("name", "")
        if not name:
            wrong.append(f"line {at}: the name of the test is missing")
        elif len(cells) > len(keys) and any(cells[len(keys) :]):
            wrong.append(f"line {at}: has {len(cells)} cells, and {len(keys)} are expected")
        elif name in seen:
            wrong.append(f"line {at}: {name!r} is in line {seen[name]} already")
        else:
            found.append(described_test(_with_kind(fields), decimal))
        seen.setdefault(name, at)
    return found, wrong


def _with_kind(fields: dict[str, str]) -> dict[str, str]:
    """Say whether it is a number: it has a unit or cuts."""
    kind = fields.pop("kind", "").lower()
    cuts, values = fields.get("cuts", ""), fields.get("values", "")
    numeric = bool(cuts or (fields.get("unit") and (not values or _NUMBERS.fullmatch(values))))
    if kind.startswith("num") or (not kind and numeric):
        return {**fields, "kind": NUMBER, "cuts": cuts or values}
    return {**fields, "kind": CATEGORIES}
