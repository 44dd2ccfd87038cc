"""The two calls that are made all day, asking and telling, by the shortest way.

A framework that finds a route, solves its dependencies and checks its answer takes longer than
writing an event does. So these two are recognised before it. Whatever is unusual about a request
(no JSON, a wrong type, a name that needs thought) goes the ordinary way, and is answered there.
"""

from __future__ import annotations

import re

from fastapi import FastAPI
from pydantic import ValidationError
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from budgeted.errors import BudgetedError
from budgeted.web.api.changes import Ask, Tell, changed
from budgeted.web.failures import printable, status_of
from budgeted.web.names import name_of
from budgeted.web.office import Office

_PATH = re.compile(r"/api/studies/([^/]+)/(?:(ask)|requests/([1-9][0-9]{0,14})/tell)")
_JSON = (b"application/json", b"application/json; charset=utf-8")


class Express:
    """Answers asking and telling itself, and passes on everything else.

    Parameters
    ----------
    app
        The ordinary way.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or pass on."""
        found = None
        if scope["type"] == "http" and scope["method"] == "POST":
            found = _PATH.fullmatch(scope["path"])
        if found is None or not any(
            name == b"content-type" and value in _JSON for name, value in scope["headers"]
        ):
            await self._app(scope, receive, send)
            return
        body = await _whole(receive)
        response = await _answer(scope, found, body)
        if response is None:
            await self._app(scope, _again(body, receive), send)
        else:
            await response(scope, receive, send)


async def _answer(scope: Scope, found: re.Match[str], body: bytes) -> Response | None:
    """Carry out a call; None if there is something to be said about it."""
    name, asks, number = found.groups()
    app: FastAPI = scope["app"]
    office: Office = app.state.office
    actor: str = scope["state"]["actor"]
    try:
        asked = Ask.model_validate_json(body or b"{}") if asks else None
        told = None if asks else Tell.model_validate_json(body)
    except ValidationError:
        return None
    try:
        desk = await office.desk(name_of(name))
        if asked is not None:
            return changed(await desk.ask(asked.n, by=actor))
        assert told is not None
        return changed(await desk.tell(int(number), told.value, told.cost, by=actor))
    except BudgetedError as error:
        mistakes = [printable(str(each)) for each in getattr(error, "mistakes", ())]
        said = {"error": printable(str(error)), "mistakes": mistakes}
        return JSONResponse(said, status_of(error))


async def _whole(receive: Receive) -> bytes:
    parts = []
    while True:
        message = await receive()
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(parts)


def _again(body: bytes, receive: Receive) -> Receive:
    """What hands a body over that was read already, and then goes on as before."""
    given = False

    async def replay() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
