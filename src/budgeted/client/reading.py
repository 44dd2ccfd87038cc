"""From the JSON of an answer to a frozen dataclass, by the types of its fields.

What an answer holds beyond the fields is passed over, so that a server may say more than this
client knows; what is missing or of another type is an error, so that nothing is taken for what it
is not.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import datetime
from decimal import Decimal, InvalidOperation
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from budgeted.errors import ServerError

T = TypeVar("T")


def read(kind: type[T], data: object) -> T:
    """Return what an answer holds.

    >>> from budgeted.client.answers import Outlook
    >>> found = read(Outlook, {"error": 0.2, "low": 0.1, "high": 0.3, "confidence": 0.9,
    ...                        "majority": "ill", "majority_error": 0.4, "news": True})
    >>> found.error, found.majority
    (0.2, 'ill')
    >>> read(Outlook, {"error": "a fifth"})
    Traceback (most recent call last):
    ...
    budgeted.errors.ServerError: the answer is not one that this client understands: error: is 'a \
fifth' instead of a number
    """
    try:
        found: T = _read(kind, data, "")
    except _Unexpected as error:
        raise ServerError(f"the answer is not one that this client understands: {error}") from None
    return found


class _Unexpected(Exception):
    """Something that is not of the type of its field, and where it stands."""


_PLAIN: Mapping[Any, tuple[tuple[type, ...], str]] = {
    str: ((str,), "a text"),
    bool: ((bool,), "true or false"),
    int: ((int,), "a whole number"),
    float: ((int, float), "a number"),
}


def _read(hint: Any, data: object, place: str) -> Any:
    origin = get_origin(hint)
    if hint in _PLAIN:
        expected, words = _PLAIN[hint]
        if not isinstance(data, expected) or (hint is not bool and isinstance(data, bool)):
            raise _Unexpected(f"{place}: is {data!r} instead of {words}")
        return float(data) if hint is float else data  # type: ignore[arg-type]
    if origin in (Union, types.UnionType):
        others = [each for each in get_args(hint) if each is not type(None)]
        absent = data is None or (others == [Decimal] and data == "")
        return None if absent else _read(others[0], data, place)
    if origin is tuple:
        return tuple(
            _read(get_args(hint)[0], each, f"{place}[{at}]")
            for at, each in enumerate(_list(data, place))
        )
    if origin is dict:
        if not isinstance(data, dict):
            raise _Unexpected(f"{place}: is {data!r} instead of an object")
        return {key: _read(get_args(hint)[1], each, f"{place}.{key}") for key, each in data.items()}
    if hint in (Decimal, datetime):
        return _exact(hint, data, place)
    assert is_dataclass(hint), hint
    return _members(hint, data, place)


def _list(data: object, place: str) -> list[object]:
    if not isinstance(data, list):
        raise _Unexpected(f"{place}: is {data!r} instead of a list")
    return data


def _exact(hint: Any, data: object, place: str) -> Any:
    words = "an amount" if hint is Decimal else "a time"
    try:
        return Decimal(_read(str, data, place)) if hint is Decimal else _time(data, place)
    except (InvalidOperation, ValueError):
        raise _Unexpected(f"{place}: is {data!r} instead of {words}") from None


def _time(data: object, place: str) -> datetime:
    return datetime.fromisoformat(_read(str, data, place))


def _members(kind: Any, data: object, place: str) -> Any:
    if not isinstance(data, dict):
        raise _Unexpected(f"{place or 'it'}: is no object")
    hints = hints_of(kind)
    made = {}
    for each in fields(kind):
        within = f"{place}.{each.name}".strip(".")
        if each.name in data:
            made[each.name] = _read(hints[each.name], data[each.name], within)
        elif each.default is MISSING and each.default_factory is MISSING:
            raise _Unexpected(f"{within}: is missing")
    return kind(**made)


@cache
def hints_of(kind: Any) -> Mapping[str, Any]:
    """Return the types of the fields of a dataclass."""
    return get_type_hints(kind)
