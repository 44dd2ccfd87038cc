"""Prices and the budget as people fill them in, and as a study file has them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from budgeted.studies.preparing.amounts import amount, joined, parts, written

PANEL_FIELDS = ("name", "features", "how", "amount", "days")
HOW = {
    "setup": "a set-up, on top of the prices of its tests",
    "shared": "a part of the prices that is due only once",
    "price": "one price, sold whole",
}
"""What a panel may cost, and how people are told."""
BUDGET_FIELDS = ("kind", "amount", "limit", "rate", "point_worth")
_TERMS = {
    "firm": ("amount",),
    "soft": ("amount", "limit", "rate", "point_worth"),
}


def panel_of(fields: Mapping[str, str], decimal: str) -> dict[str, Any]:
    """Return the panel that some fields describe.

    >>> panel_of({"name": "blood", "features": "ferritin, crp", "how": "shared",
    ...           "amount": "2,10", "days": ""}, "comma")
    {'name': 'blood', 'features': ['ferritin', 'crp'], 'shared': '2.10'}
    """
    how = fields.get("how", "setup")
    made: dict[str, Any] = {
        "name": fields.get("name", "").strip(),
        "features": parts(fields.get("features", "")),
        how if how in HOW else "setup": amount(fields.get("amount", ""), decimal),
    }
    if how == "price":
        made["whole"] = True
    if fields.get("days", "").strip():
        made["days"] = whole(fields["days"])
    return made


def panel_fields(table: Mapping[str, Any], decimal: str) -> dict[str, str]:
    """Return what stands in the fields of a panel."""
    how = next((each for each in HOW if each in table), "setup")
    members = table.get("features", [])
    return {
        "name": str(table.get("name", "")),
        "features": joined(members) if isinstance(members, list | tuple) else str(members),
        "how": how,
        "amount": written(table.get(how), decimal),
        "days": written(table.get("days")),
    }


def prices_of(
    before: Mapping[str, Any],
    fee: str,
    days: str,
    panels: Iterable[Mapping[str, Any]],
    decimal: str,
) -> dict[str, Any] | None:
    """Return the price list; None where each test just has its price.

    >>> prices_of({}, "50", "30", [], "point")
    {'list': 'tariff', 'visit_fee': '50', 'visit_days': 30}
    >>> prices_of({}, "", "", [], "point") is None
    True
    """
    own = {key: each for key, each in before.items()
           if key not in ("list", "visit_fee", "visit_days", "panels")}  # fmt: skip
    if fee.strip():
        own["visit_fee"] = amount(fee, decimal)
    if days.strip():
        own["visit_days"] = whole(days)
    if tables := list(panels):
        own["panels"] = tables
    return {"list": "tariff", **own} if own else None


def budget_of(fields: Mapping[str, str], decimal: str, before: Any = None) -> Any:
    """Return the budget that some fields describe: an amount, or a table with its terms.

    >>> budget_of({"kind": "firm", "amount": "400,00"}, "comma")
    '400.00'
    """
    kind = fields.get("kind", "firm")
    if kind not in _TERMS or kind == "firm":
        return amount(fields.get("amount", ""), decimal)
    kept = (
        before if isinstance(before, Mapping) and fields == budget_fields(before, decimal) else None
    )
    if kept is not None:  # steps of a soft budget, for which there are no fields
        return dict(kept)
    made: dict[str, Any] = {}
    for key in _TERMS[kind]:
        text = fields.get(key, "").strip()
        made[key] = rate_of(text, decimal) if key == "rate" else amount(text, decimal)
    return made


def budget_fields(budget: Any, decimal: str) -> dict[str, str]:
    """Return what stands in the fields of a budget."""
    table = budget if isinstance(budget, Mapping) else {"amount": budget}
    kind = "soft" if "limit" in table else "firm"
    rate = table.get("rate")
    texts = {key: written(table.get(key), decimal) for key in BUDGET_FIELDS}
    return texts | {
        "kind": kind,
        "rate": written(rate, decimal) if rate is not None else "",
    }


def rate_of(typed: str, decimal: str) -> str:
    """Return a rate; 20 % is 0.2.

    >>> rate_of("20 %", "point"), rate_of("0,2", "comma"), rate_of("12,5%", "comma")
    ('0.20', '0.2', '0.125')
    """
    text = typed.strip()
    if not text.endswith("%"):
        return amount(text, decimal)
    plain = amount(text.removesuffix("%"), decimal)
    first, _, rest = plain.partition(".")
    if not (first.isascii() and first.isdecimal()) or (rest and not rest.isdecimal()):
        return text
    digits = first.rjust(3, "0")
    return f"{digits[:-2].lstrip('0') or '0'}.{digits[-2:]}{rest}"


def whole(text: str) -> int | str:
    """Return a whole number; anything else as it was typed, for the check to refuse."""
    plain = text.strip()
    return int(plain) if plain.isascii() and plain.isdecimal() and len(plain) < 10 else plain
