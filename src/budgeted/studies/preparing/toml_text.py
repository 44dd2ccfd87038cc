"""Plain values as TOML, which Python reads and does not write."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_ESCAPED = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def to_toml(plain: Mapping[str, Any]) -> str:
    r"""Return a document that `tomllib` reads as the same values; None is left out.

    >>> print(to_toml({"name": "flu", "policy": {"name": "auto"},
    ...                "features": [{"name": "fever", "values": ["no", "yes"]}]}), end="")
    name = "flu"
    <BLANKLINE>
    [policy]
    name = "auto"
    <BLANKLINE>
    [[features]]
    name = "fever"
    values = ["no", "yes"]
    """
    return "\n".join(_lines(plain, ())).lstrip("\n") + "\n"


def _lines(table: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    tables = {key: each for key, each in table.items() if _is_table(each) or _are_tables(each)}
    for key, each in table.items():
        if key not in tables and each is not None:
            yield f"{_key(key)} = {_value(each)}"
    for key, each in tables.items():
        inner = (*path, key)
        name = ".".join(map(_key, inner))
        for one in each if isinstance(each, list | tuple) else [each]:
            yield ""
            yield f"[[{name}]]" if isinstance(each, list | tuple) else f"[{name}]"
            yield from _lines(one, inner)


def _is_table(value: object) -> bool:
    return isinstance(value, Mapping)


def _are_tables(value: object) -> bool:
    return isinstance(value, list | tuple) and bool(value) and all(map(_is_table, value))


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _text(name)


def _value(value: Any) -> str:  # noqa: PLR0911 - one for each type
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value)  # inf and nan are written alike
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        pairs = (f"{_key(key)} = {_value(each)}" for key, each in value.items() if each is not None)
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    return str(value)


def _text(text: str) -> str:
    written = (
        _ESCAPED.get(each) or (each if each >= " " and each != "\x7f" else f"\\u{ord(each):04x}")
        for each in text
    )
    return f'"{"".join(written)}"'
