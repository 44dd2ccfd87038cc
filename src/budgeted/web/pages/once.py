"""Forms that begin something: one that comes twice with the same key begins it once.

What changes a study has its key in the journal (`budgeted.study.keys`). A new study and a rehearsal
have no journal yet when the form comes, so the server remembers which address each key led to.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

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
    ...     return [await once.lead("key", begin) for _ in range(2)]
    >>> asyncio.run(twice()), len(begun)
    (['/studies/flu', '/studies/flu'], 1)
    """

    def __init__(self) -> None:
        self._led: dict[str, asyncio.Future[str]] = {}

    async def lead(self, key: str, begin: Callable[[], Awaitable[str]]) -> str:
        """Return the address that a form leads to: begin it, unless its key did so before."""
        if not key:
            return await begin()
        found = self._led.get(key)
        if found is None:
            while len(self._led) >= _MOST:
                del self._led[next(iter(self._led))]
            found = self._led[key] = asyncio.ensure_future(begin())
        try:
            return await asyncio.shield(found)
        except Exception:
            self._led.pop(key, None)  # nothing began: it may be tried again
            raise
