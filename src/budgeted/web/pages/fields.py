"""What stands in the fields of a form."""

from __future__ import annotations

from starlette.datastructures import FormData, UploadFile


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
