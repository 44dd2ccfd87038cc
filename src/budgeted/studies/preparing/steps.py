"""The steps in which a study is prepared, and at which of them a mistake is mended."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

STEPS = {
    "cases": "The cases",
    "columns": "The columns",
    "tests": "The tests",
    "prices": "Prices",
    "budget": "Budget and settings",
    "preview": "Look it over",
}
"""Their names in addresses, and their titles."""
_PLACES = {
    "name": "cases", "cases": "cases", "labels": "columns", "features": "tests",
    "feature": "tests", "prices": "prices", "panels": "prices",
}  # fmt: skip
_KEYS = {
    "cost": "the price", "values": "the values", "cuts": "the cuts", "unit": "the unit",
    "least": "the lowest number", "most": "the highest number", "name": "the name",
    "decimal": "the decimal mark", "kind": "the kind", "features": "the tests",
    "visit_fee": "the visit fee", "visit_days": "the days after which the fee is due again",
    "setup": "the set-up", "shared": "the shared part", "price": "the price",
    "days": "the days", "label": "the label", "group": "the group", "feature": "the test",
    "panel": "the panel", "amount": "the amount", "limit": "the limit", "rate": "the surcharge",
    "point_worth": "the worth of a percentage point", "seed": "the seed",
    "prior": "the shares of the labels", "budget": "the budget", "labels": "the labels",
    "policy": "the policy", "loss": "the loss", "case_rule": "which case is asked",
    "learner": "the learner",
}  # fmt: skip
_ENTRY = re.compile(r"^(features|panels|exceptions|changes)\[(\d+)\]\.?(.*)$", re.DOTALL)
_EMPTY = re.compile(r"""must be an amount of money such as 12 or "1\.50", got ''""")


class Placed(NamedTuple):
    """What is wrong, and the step at which it is mended."""

    step: str
    words: str


def placed(mistake: str, plain: Mapping[str, Any]) -> Placed:
    """Return a mistake of a study file in the words of the steps.

    >>> placed("features[0].cost: is missing", {"features": [{"name": "crp"}]})
    Placed(step='tests', words="test 'crp': the price is missing")
    >>> placed("prices: panels[0].days: must be …", {"prices": {"panels": [{"name": "blood"}]}})
    Placed(step='prices', words="panel 'blood': the days: must be …")
    >>> placed("budget.amount: must be 0 or more", {})
    Placed(step='budget', words='the amount: must be 0 or more')
    """
    words = _EMPTY.sub("is not there yet", mistake)
    key = re.split(r"[\[.: ]", words, maxsplit=1)[0]
    step = _PLACES.get(key, "budget")
    if key == "prices":
        words = words.removeprefix("prices:").strip()
    words = words.removeprefix("budget.")
    found = _ENTRY.match(words)
    if found is not None:
        kind, at, rest = found[1], int(found[2]), found[3]
        said = _in_words(rest.removeprefix(": "))
        return Placed(step, f"{_entry(kind, at, plain)}: {said}")
    if words.startswith("feature '"):
        return Placed("tests", f"test {words.removeprefix('feature ')}")
    return Placed(step, _in_words(words))


def _entry(kind: str, at: int, plain: Mapping[str, Any]) -> str:
    noun = {"features": "test", "panels": "panel", "exceptions": "special price",
            "changes": "price that changes"}[kind]  # fmt: skip
    prices = plain.get("prices", {})
    held = plain.get(kind) if kind == "features" else (
        prices.get(kind) if isinstance(prices, Mapping) else None)  # fmt: skip
    table = held[at] if isinstance(held, list) and at < len(held) else {}
    name = table.get("name") if isinstance(table, Mapping) else None
    return f"{noun} {name!r}" if name else f"{noun} {at + 1}"


def _in_words(words: str) -> str:
    key, mark, rest = words.partition(":")
    bare = re.sub(r"\[\d+\]", "", key)
    said = f"{_KEYS[bare]}{mark}{rest}" if bare in _KEYS else words
    return re.sub(r": is (missing|not there yet)$", r" is \1", said)
