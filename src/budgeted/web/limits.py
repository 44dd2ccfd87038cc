"""Requests that are too large are refused before they are read."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from budgeted.web.pages.errors import error_page
from budgeted.web.settings import Limits

_UPLOADS = ("/studies", "/plans")
_UPLOADED = (
    "/validation", "/add-cases", "/add-cases/preview", "/results", "/results/file",
    "/results/check", "/results/write",
)  # fmt: skip
_PREPARED = "/new"
_PATIENCE = 4
"""So many times the limit is read and thrown away, so that a browser gets to see the answer."""


class TooLargeError(Exception):
    """The body of a request is larger than it may be."""


class SizeLimit:
    """Refuses bodies that are larger than they may be, whether they say so or not.

    Parameters
    ----------
    app
        What is behind.
    limits
        Bytes of a plain request, and of one that brings files.
    """

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self._app = app
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what is small enough."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        most = self._most(scope["path"])
        said = dict(scope["headers"]).get(b"content-length", b"0")
        if not said.isdigit():
            await _refuse(scope, receive, send, 400, "the header content-length is no number")
            return
        if int(said) > most:
            await _throw_away(receive, min(int(said), _PATIENCE * most))
            await _refuse(scope, receive, send, 413, _words(most))
            return
        read, begun, over = 0, False, False

        async def counted() -> Message:
            nonlocal read, over
            message = await receive()
            read += len(message.get("body", b""))
            if read > most:
                over = True
                raise TooLargeError
            return message

        async def watched(message: Message) -> None:
            nonlocal begun
            if over and not begun:
                return  # whatever is made of half a body, it is not the answer
            begun = True
            await send(message)

        try:
            await self._app(scope, counted, watched)
        except TooLargeError:
            if begun:
                raise
        if over and not begun:
            await _throw_away(receive, _PATIENCE * most)
            await _refuse(scope, receive, send, 413, _words(most))

    def _most(self, path: str) -> int:
        plain = path.removeprefix("/api")
        upload = plain in _UPLOADS or plain.endswith(_UPLOADED) or plain.startswith(_PREPARED)
        return self._limits.upload if upload else self._limits.body


async def _throw_away(receive: Receive, most: int) -> None:
    read = 0
    while read < most:
        message = await receive()
        read += len(message.get("body", b""))
        if message["type"] == "http.disconnect" or not message.get("more_body", False):
            return


async def _refuse(scope: Scope, receive: Receive, send: Send, status: int, words: str) -> None:
    response: Response = JSONResponse({"error": words}, status)
    if not scope["path"].startswith("/api/"):
        response = error_page(Request(scope), status, words)
    response.headers["Connection"] = "close"
    await response(scope, receive, send)


def _words(most: int) -> str:
    return f"this is larger than the {most:,} bytes that this server takes; nothing was done"
