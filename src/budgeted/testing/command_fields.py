"""What the fields of every command must be, so that each surface can be made from them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import FrozenInstanceError
from decimal import Decimal
from typing import get_args, get_origin, get_type_hints

from budgeted.studies.commands import Command
from budgeted.studies.commands.base import Field, check_kind, fields_of

RESERVED = ("name", "by", "database", "as_json", "key")
"""What the command line takes besides the fields of a command."""
_TYPES = {int, bool, str, float, Decimal, type(None)}


def check_fields(kind: type[Command]) -> None:
    """Raise an error in words unless the class is frozen, and JSON and a terminal can fill it in.

    >>> from budgeted.studies.commands import Tell
    >>> check_fields(Tell)
    """
    check_kind(kind)
    _check_class(kind)
    for each in fields_of(kind):
        _check_field(each)


def _check_class(kind: type[Command]) -> None:
    assert isinstance(kind.name, str), f"its name must be text, got {kind.name!r}"
    assert isinstance(kind.late, bool), f"late must be true or false, got {kind.late!r}"
    numbers = [each.name for each in fields_of(kind) if each.may_be(int)]
    for size in kind.sized_by:
        assert size in numbers, f"sized_by: no field {size!r} is a number"
    try:
        object.__new__(kind).name = "another"  # type: ignore[misc]
    except FrozenInstanceError:
        return
    raise AssertionError("it must be a frozen dataclass: dataclass(frozen=True)")


def _check_field(each: Field) -> None:
    where = f"field {each.name}"
    assert each.about.help.strip(), f"{where}: must say what it is: parameter('…')"
    assert each.name not in RESERVED, f"{where}: the command line has such an option already"
    if get_origin(each.hint) is Sequence:
        (part,) = get_args(each.hint)
        hints = get_type_hints(part) if hasattr(part, "_fields") else {"": part}
        texts = [hint is bool or str in (get_args(hint) or (hint,)) for hint in hints.values()]
        assert all(texts), f"{where}: must be of texts, or named tuples of texts"
    elif not each.is_table:
        types = set(get_args(each.hint) or (each.hint,))
        assert types <= _TYPES, f"{where}: JSON and the command line have no {each.hint}"
    if each.name == "number":
        assert each.hint is int, f"{where}: that of a request is a whole number"
    if each.hint is bool or each.about.hidden:
        assert not each.required, f"{where}: must have a default; the command line leaves it out"
    if not each.required:
        try:
            json.dumps(each.default, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise AssertionError(f"{where}: JSON cannot hold its default: {error}") from error
