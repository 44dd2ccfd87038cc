"""What stands in the fields of a form, and in addresses, where anything may stand."""

from __future__ import annotations

from starlette.datastructures import FormData, UploadFile

_MOST_DIGITS = 40
"""More than anything here needs, a seed of 128 bits among them; Python reads no thousands."""


def text_of(form: FormData, key: str) -> str:
    """Return what was typed into a field, without blanks around it; empty if there is no such."""
    given = form.get(key, "")
    return given.strip() if isinstance(given, str) else ""


def parts_of(text: str) -> list[str]:
    """Return what stands between commas.

    >>> parts_of("no, yes,, ")
    ['no', 'yes']
    """
    return [each.strip() for each in text.split(",") if each.strip()]


async def content_of(form: FormData, key: str) -> bytes | None:
    """Return the bytes of a file; None if none was chosen. Its name is never used."""
    given = form.get(key)
    if not isinstance(given, UploadFile) or not given.filename:
        return None
    return await given.read()


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
