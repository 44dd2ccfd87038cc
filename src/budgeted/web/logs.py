"""What a server keeps of each request: a line of the log, without secrets, and counts.

A line tells when, who, from which address, which study and operation, and how it ended. It never
holds what people typed: no cookies, tokens, passwords, values, reasons or searches. JSON, so that
programs can read it; a file that was moved away (by logrotate, say) is opened anew.
"""

from __future__ import annotations

import json
import logging
import os
import re
import secrets
import sys
import time
import traceback
from collections.abc import Callable
from contextvars import ContextVar
from datetime import UTC, datetime
from logging.handlers import WatchedFileHandler
from typing import Any

import prometheus_client
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from budgeted.addresses import name_of
from budgeted.errors import AccessError, JournalError
from budgeted.web.settings import Settings

_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
_CHANGE = re.compile(r"(?:/api)?/studies/[^/]+/(?:requests/([0-9]{1,15})/)?([a-z-]+)")
_NOTABLE = (401, 403, 413, 429)
"""Refusals that tell of somebody who tries."""
_LONGEST = 200
_facts: ContextVar[dict[str, Any] | None] = ContextVar("facts", default=None)
prometheus_client.disable_created_metrics()  # type: ignore[no-untyped-call]


def note(**facts: Any) -> None:
    """Add to the line of the request that is being answered."""
    if (known := _facts.get()) is not None:
        known |= facts


def trace(error: BaseException) -> dict[str, Any]:
    """Return where an error was raised, without its message, which can hold what people typed."""
    lines = traceback.format_tb(error.__traceback__)
    return {"error": type(error).__name__, "trace": "".join(lines[-12:])}


def handler(settings: Settings) -> logging.Handler:
    """Return what writes the log that the settings want: all, or only what is worth a look."""
    made: logging.Handler
    if settings.log in ("", "-"):
        made = logging.StreamHandler(sys.stderr)
    else:
        try:
            made = _File(settings.log, encoding="utf-8")
        except OSError as error:
            raise AccessError(
                f"--log {settings.log}: cannot be written ({error.strerror or error})"
            ) from None
    made.setFormatter(_Formatter(as_json=settings.log_format == "json" and bool(settings.log)))
    made.setLevel(logging.INFO if settings.log else logging.WARNING)
    return made


class _Formatter(logging.Formatter):
    """A line for programs, or one for people; of other modules, what they warn of."""

    def __init__(self, *, as_json: bool) -> None:
        super().__init__()
        self._as_json = as_json

    def format(self, record: logging.LogRecord) -> str:
        facts = getattr(record, "facts", None)
        if facts is None:
            facts = {"event": "warning", "words": record.getMessage()}
            if record.exc_info and record.exc_info[1]:
                facts |= trace(record.exc_info[1])
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line = {"time": at.replace("+00:00", "Z"), **facts}
        return json.dumps(line) if self._as_json else _text(line)


class _File(WatchedFileHandler):
    """A file that only its owner and group can read."""

    def _open(self) -> Any:
        return open(
            self.baseFilename,
            "a",
            encoding="utf-8",
            opener=lambda path, flags: os.open(path, flags, 0o640),
        )

    def handleError(self, record: logging.LogRecord) -> None:
        """Say once that the disk is full, and go on."""
        if not getattr(self, "_said", False):
            self._said = True
            sys.stderr.write(f"{self.baseFilename}: the log cannot be written\n")


def _text(line: dict[str, Any]) -> str:
    """A line for people.

    >>> _text({"time": "2026-01-05T09:30:00.000Z", "event": "log-in", "result": "wrong"})
    '2026-01-05T09:30:00.000Z log-in result=wrong'
    """
    facts = {key: each for key, each in line.items() if key not in ("time", "event", "trace")}
    shown = (f"{key}={_shown(each)}" for key, each in facts.items())
    more = f"\n{line['trace'].rstrip()}" if line.get("trace") else ""
    return " ".join([line["time"], line["event"], *shown]) + more


def _shown(value: Any) -> str:
    plain = isinstance(value, str) and value.isprintable() and " " not in value and '"' not in value
    return value if plain else json.dumps(value)


class Metrics:
    """What a server counts, by labels from fixed sets, so that strangers cannot add to them."""

    def __init__(self, connections: Callable[[], float], streams: Callable[[], float]) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        for name, words, now in (
            ("connections", "Open connections.", connections),
            ("streams", "Browsers and programs that watch.", streams),
        ):
            Gauge(f"budgeted_{name}", words, registry=self.registry).set_function(now)
        self.requests = Counter(
            "budgeted_http_requests", "Requests that were answered.",
            ["method", "route", "status"], registry=self.registry,
        )  # fmt: skip
        self.seconds = Histogram(
            "budgeted_http_request_duration_seconds", "How long answers took, without streams.",
            ["route"], registry=self.registry,
        )  # fmt: skip
        self.logins = Counter(
            "budgeted_logins", "Attempts to log in.", ["result"], registry=self.registry
        )
        self.changes = Counter(
            "budgeted_changes", "Changes to studies that were made.", ["operation"],
            registry=self.registry,
        )  # fmt: skip


class RequestLog:
    """A middleware around everything: writes a line for each request, and counts it.

    Every answer carries the id of its line in ``X-Request-Id``.
    """

    def __init__(self, app: ASGIApp, log: logging.Logger, metrics: Metrics) -> None:
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
        facts: dict[str, Any] = {}
        _facts.set(facts)

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
        self._metrics.requests.labels(method, route, str(status or "gone")).inc()
        if seconds is not None:
            self._metrics.seconds.labels(route).observe(seconds)

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
            self._metrics.changes.labels(line.get("operation", "other")).inc()
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
        level = logging.WARNING if notable else logging.INFO
        self._log.log(level, event, extra={"facts": {"event": event, **line}})


def _route(scope: Scope) -> str:
    """The pattern of an address: there are few of them, whatever is asked for."""
    found = getattr(scope.get("route"), "path", "")
    if scope["path"].startswith("/static/"):
        return "/static"
    api = scope["path"].startswith("/api/") and not found.startswith("/api")
    return f"/api{found}" if found and api else found or "other"
