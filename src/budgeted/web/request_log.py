"""A middleware around everything: what was asked, how it ended, and how long it took."""

from __future__ import annotations

import re
import secrets
import time
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from budgeted.errors import JournalError
from budgeted.web.logs import Log, begin_line, trace
from budgeted.web.metrics import Metrics
from budgeted.web.names import name_of

_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
_CHANGE = re.compile(r"(?:/api)?/studies/[^/]+/(?:requests/([0-9]{1,15})/)?([a-z-]+)")
_NOTABLE = (401, 403, 413, 429)
"""Refusals that tell of somebody who tries."""
_LONGEST = 200


class Recorder:
    """Writes a line of the log for each request, and counts it.

    Every answer carries the id of its line in ``X-Request-Id``.

    Parameters
    ----------
    app
        What is inside.
    log, metrics
        Of the server.
    """

    def __init__(self, app: ASGIApp, log: Log, metrics: Metrics) -> None:
        self._app = app
        self._log = log
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, and record it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, status, id = time.perf_counter(), 0, secrets.token_hex(8)
        is_stream = written = False
        facts = begin_line()

        def record() -> None:
            nonlocal written
            written = True
            seconds = time.perf_counter() - begun
            self._count(scope, status, None if is_stream else seconds)
            self._write(scope, status, seconds, {"id": id} | facts)

        async def watched(message: Message) -> None:
            nonlocal status, is_stream
            if message["type"] == "http.response.start":
                status = message["status"]
                given = message.get("headers", [])
                is_stream = any(value.startswith(b"text/event-stream") for _, value in given)
                message["headers"] = [*given, (b"x-request-id", id.encode())]
            elif not message.get("more_body", False):
                record()  # before the end is sent: no answer without its line
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except Exception as error:
            status = 500
            facts |= trace(error)
            written = False
            raise
        finally:
            if not written:
                record()

    def _count(self, scope: Scope, status: int, seconds: float | None) -> None:
        method = scope["method"] if scope["method"] in _METHODS else "other"
        route = _route(scope)
        self._metrics.requests.add(method=method, route=route, status=str(status or "gone"))
        if seconds is not None:
            self._metrics.seconds.observe(seconds, route=route)

    def _write(self, scope: Scope, status: int, seconds: float, facts: dict[str, Any]) -> None:
        state, client = scope.get("state", {}), scope.get("client")
        path = scope["path"]
        line: dict[str, Any] = {
            "id": facts.pop("id"),
            "client": client[0] if client else None,
            "actor": state.get("actor", ""),
            **({"role": role.text} if (role := state.get("role")) and state.get("actor") else {}),
            "method": scope["method"][:20],
            "path": path[:_LONGEST],
            "status": status or None,  # none if who asked has gone away
            "ms": round(seconds * 1000, 1),
        }
        event = facts.pop("event", "request")
        found = _CHANGE.fullmatch(path) if scope["method"] == "POST" else None
        if found is not None:
            line["operation"] = found[2]
            if found[1] is not None:
                line["request"] = int(found[1])
        if (done := state.get("done")) is not None:  # said by who answers
            facts["study"] = name_of(scope["path_params"]["name"])
            facts["requests"] = [each.number for each in done.requests]
            facts["repeated"] = done.repeated
        line |= facts
        if "study" in facts and status < 400:
            event = "change"
            self._metrics.changes.add(operation=line.get("operation", "other"))
        if (cause := state.get("cause")) is not None:
            line["error"] = type(cause).__name__
            if isinstance(cause, JournalError) and status >= 500:
                line["cause"] = str(cause)  # which database, and what is wrong with it
        notable = (
            event == "log-in"
            or facts.get("operation") == "delete"
            or status >= 500
            or status in _NOTABLE
        )
        self._log.write(event, notable=notable, **line)


def _route(scope: Scope) -> str:
    """The pattern of an address: there are few of them, whatever is asked for."""
    found = getattr(scope.get("route"), "path", "")
    if scope["path"].startswith("/static/"):
        return "/static"
    api = scope["path"].startswith("/api/") and not found.startswith("/api")
    return f"/api{found}" if found and api else found or "other"
