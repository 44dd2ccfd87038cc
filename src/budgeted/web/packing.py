"""Answers are sent packed to browsers that take that: a page or a chart is a fifth of its size.

Packing text that holds a secret beside what an attacker chose tells, by its length, how much they
are alike (BREACH). Here the attacker cannot have the browser of somebody else ask: its cookie is
``SameSite=Strict``, so that no request that another site brings about is answered with a page of
that person; and pages hold no secret.
Streams of events are not packed: each event must leave at once.
"""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from budgeted.web.static_files import takes_gzip

_SMALLEST = 1_000
"""Bytes: less fits into one packet anyway."""
_LEVEL = 5
"""Level 9 takes three times as long for one hundredth less."""


class Packing:
    """Sends text as gzip to those who take it.

    Parameters
    ----------
    app
        Whose answers.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._plain = app
        self._packed = GZipMiddleware(app, minimum_size=_SMALLEST, compresslevel=_LEVEL)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer."""
        packs = scope["type"] == "http" and takes_gzip(
            Headers(scope=scope).get("accept-encoding", "")
        )
        await (self._packed if packs else self._plain)(scope, receive, send)
