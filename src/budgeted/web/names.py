"""Names of studies and cases as parts of addresses: any text goes in, and comes back."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

from fastapi import Depends, Path


def segment(name: str) -> str:
    """Return a name as one part of an address.

    Servers and browsers undo ``%2F`` and ``..`` before anybody can see them; so those are quoted
    once more.

    >>> segment("flu 2026"), segment("a/b"), segment("100%"), segment("..")
    ('flu%202026', 'a%252Fb', '100%2525', '%252E%252E')
    """
    inner = name.replace("%", "%25").replace("/", "%2F").replace("\\", "%5C")
    if name in (".", ".."):
        inner = name.replace(".", "%2E")
    return quote(inner, safe="")


def name_of(part: str) -> str:
    """Return the name behind a part of an address, as the server hands it over.

    >>> from urllib.parse import unquote
    >>> all(name_of(unquote(segment(each))) == each for each in ("a/b", "%2F", "%", "..", "é?#"))
    True
    """
    for mark, character in (("%2F", "/"), ("%5C", "\\"), ("%2E", "."), ("%25", "%")):
        part = part.replace(mark, character)
    return part


async def _named(name: Annotated[str, Path(description="Name of the study.")]) -> str:
    return name_of(name)


async def _of_case(case: Annotated[str, Path(description="Name of the case.")]) -> str:
    return name_of(case)


StudyName = Annotated[str, Depends(_named)]
"""The name of a study in an address, for routes with ``{name}``."""

CaseName = Annotated[str, Depends(_of_case)]
"""The name of a case in an address, for routes with ``{case}``."""
