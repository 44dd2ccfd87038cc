"""Forms that begin something: one that comes twice with the same key begins it once.

What changes a study has its key in the journal (`budgeted.studies.drafts`). A new study has
no journal yet when the form comes, so the server remembers which address each key led to, and who
sent what with it: a form that was changed since begins something else.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable

from starlette.datastructures import FormData, UploadFile

_MOST = 1_000


class Once:
    """Remembers where the last forms led.

    Examples
    --------
    >>> begun = []
    >>> async def begin():
    ...     begun.append("a study")
    ...     return "/studies/flu"
    >>> async def twice():
    ...     once = Once()
    ...     return [await once.lead("key", "anna, flu", begin) for _ in range(2)]
    >>> asyncio.run(twice()), len(begun)
    (['/studies/flu', '/studies/flu'], 1)
    """

    def __init__(self) -> None:
        self._led: dict[tuple[str, str], asyncio.Future[str]] = {}

    async def lead(self, key: str, held: str, begin: Callable[[], Awaitable[str]]) -> str:
        """Return the address that a form leads to: begin it, unless that was done before.

        Parameters
        ----------
        key, held
            Of the form, and who sent what, see `held_in`.
        begin
            Begins it and returns its address.
        """
        if not key:
            return await begin()
        place = (key, held)
        found = self._led.get(place)
        if found is None:
            while len(self._led) >= _MOST:
                del self._led[next(iter(self._led))]
            found = self._led[place] = asyncio.ensure_future(begin())
        try:
            return await asyncio.shield(found)
        except Exception:
            self._led.pop(place, None)  # nothing began: it may be tried again
            raise


async def held_in(form: FormData, by: str) -> str:
    """Return a digest of who sends a form and of all that it holds, its files among it."""
    held: list[tuple[str, str]] = []
    for name, given in form.multi_items():
        if isinstance(given, UploadFile):
            await given.seek(0)
            held.append((name, hashlib.sha256(await given.read()).hexdigest()))
            await given.seek(0)
        elif name != "key":
            held.append((name, given))
    return hashlib.sha256(json.dumps([by, held]).encode()).hexdigest()
