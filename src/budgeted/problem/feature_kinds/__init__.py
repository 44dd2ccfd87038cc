"""Kinds of features, one file each: what a value is, how it is told and kept, its category.

>>> kind("categorical", values=["no", "yes"]).category("yes")
1
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from budgeted.errors import FeatureKindError
from budgeted.problem.feature_kinds.base import Kind, check_kind
from budgeted.registry import Registry

__all__ = ["FEATURE_KINDS", "Kind", "kind", "parameters_of"]

FEATURE_KINDS: Registry[type[Kind]] = Registry(
    "feature kind", "budgeted.feature_kinds", FeatureKindError, __name__, check_kind
)
"""Every kind of feature by its name; `FEATURE_KINDS.register` adds one."""


def kind(name: str, **parameters: Any) -> Kind:
    """Return the kind of feature of that name with these parameters."""
    made: Kind = FEATURE_KINDS.make(name, parameters)
    return made


def parameters_of(made: Kind) -> dict[str, Any]:
    """Return the parameters of a kind, to be written down.

    >>> parameters_of(kind("categorical", values=["no", "yes"]))
    {'values': ('no', 'yes')}
    """
    return asdict(made)  # type: ignore[call-overload, no-any-return]  # checked when registered
