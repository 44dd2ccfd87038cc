"""Whole numbers that come from forms and addresses, where anything may stand."""

from __future__ import annotations

_MOST_DIGITS = 40
"""More than anything here needs, a seed of 128 bits among them; Python reads no thousands."""


def whole_number(text: str) -> int | None:
    """Return the whole number that a text holds; None if it holds none, or an endless one.

    >>> whole_number(" 12 "), whole_number("-1"), whole_number("²"), whole_number("1" * 5000)
    (12, None, None, None)
    """
    text = text.strip()
    if not (text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS):
        return None
    return int(text)


def clipped(text: str) -> str:
    """Return the beginning of what somebody typed, to be shown in a message.

    >>> clipped("many"), len(clipped("1" * 5000))
    ('many', 41)
    """
    return text if len(text) <= _MOST_DIGITS else f"{text[:_MOST_DIGITS]}…"
