"""Kinds of features, one file each: what a value is, how it is told and kept, its category.

>>> kind("categorical", values=["no", "yes"]).category("yes")
1
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from budgeted.errors import FeatureKindError
from budgeted.problem.feature_kinds.base import Kind, check_kind
from budgeted.registry import Registry

__all__ = ["FEATURE_KINDS", "USUAL", "Kind", "from_table", "kind", "parameters_of"]

USUAL = "categorical"
"""The kind of a feature of which nothing is said."""

FEATURE_KINDS: Registry[type[Kind]] = Registry(
    "feature kind", "budgeted.feature_kinds", FeatureKindError, __name__, check_kind
)
"""Every kind of feature by its name; `FEATURE_KINDS.register` adds one."""


def kind(name: str, **parameters: Any) -> Kind:
    """Return the kind of feature of that name with these parameters."""
    made: Kind = FEATURE_KINDS.make(name, parameters)
    return made


def from_table(table: Mapping[str, Any]) -> Kind:
    """Return the kind that a table of a file names, with the parameters that stand beside it.

    >>> from_table({"kind": "number", "cuts": [37.5], "unit": "°C"}).categories
    ('< 37.5', '≥ 37.5')
    """
    return kind(table.get("kind", USUAL), **{key: table[key] for key in table if key != "kind"})


def parameters_of(made: Kind) -> dict[str, Any]:
    """Return the parameters of a kind, to be written down.

    >>> parameters_of(kind("categorical", values=["no", "yes"]))
    {'values': ('no', 'yes')}
    >>> parameters_of(kind("categorical", values=["no", "yes"], ordered=True))
    {'values': ('no', 'yes'), 'ordered': True}
    """
    plain: dict[str, Any] = asdict(made)  # type: ignore[call-overload]  # checked when registered
    for each in fields(made):  # type: ignore[arg-type]
        if each.metadata.get("later") and plain[each.name] == each.default:
            del plain[each.name]
    return plain
