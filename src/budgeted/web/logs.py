"""The log of a server: what happened and who did it, a line each, without secrets.

A line tells when, who, from which address, which study and operation, and how it ended. It never
holds what people typed: no cookies, tokens, passwords, values, reasons or searches. JSON, so that
programs can read it; a file that was moved away (by logrotate, say) is opened anew.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import traceback
from contextvars import ContextVar
from datetime import UTC, datetime
from logging.handlers import WatchedFileHandler
from typing import Any, TextIO

from budgeted.errors import AccessError
from budgeted.web.settings import Settings

_facts: ContextVar[dict[str, Any] | None] = ContextVar("facts", default=None)


def note(**facts: Any) -> None:
    """Add to the line of the request that is being answered.

    Parameters
    ----------
    facts
        What happened. Nothing that people typed, but names of studies and numbers of requests.
    """
    if (known := _facts.get()) is not None:
        known |= facts


def begin_line() -> dict[str, Any]:
    """Return what will be known about the request that begins; see `note`."""
    facts: dict[str, Any] = {}
    _facts.set(facts)
    return facts


class Log:
    """Writes lines.

    Parameters
    ----------
    handler
        Where to.
    everything
        Whether to write all, or only what is worth a look.
    as_json
        Whether a line is JSON, or made for people.
    """

    def __init__(self, handler: logging.Handler, *, everything: bool, as_json: bool) -> None:
        handler.setFormatter(logging.Formatter("%(message)s"))
        self._handler = handler
        self._everything = everything
        self._as_json = as_json

    @classmethod
    def of(cls, settings: Settings) -> Log:
        """Return the log that the settings want."""
        if settings.log in ("", "-"):
            handler: logging.Handler = _Errors()
        else:
            try:
                handler = _File(settings.log)
            except OSError as error:
                raise AccessError(
                    f"--log {settings.log}: cannot be written ({error.strerror or error})"
                ) from None
        as_json = settings.log_format == "json" and bool(settings.log)
        return cls(handler, everything=bool(settings.log), as_json=as_json)

    def write(self, event: str, *, notable: bool = False, **facts: Any) -> None:
        """Write a line, unless it is not worth one.

        Parameters
        ----------
        event
            What kind of thing happened.
        notable
            Whether whoever looks after the server should see it.
        facts
            What is known about it.
        """
        if not (notable or self._everything):
            return
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        line = {"time": now, "event": event, **facts}
        text = json.dumps(line) if self._as_json else _text(line)
        record = logging.LogRecord("budgeted", logging.INFO, "", 0, text, None, None)
        self._handler.handle(record)

    def close(self) -> None:
        """Let go of the file."""
        self._handler.close()


class Bridge(logging.Handler):
    """Brings what modules say with `logging` into the log.

    Parameters
    ----------
    log
        Of the server.
    """

    def __init__(self, log: Log) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record as a line."""
        facts = trace(record.exc_info[1]) if record.exc_info and record.exc_info[1] else {}
        self._log.write("warning", notable=True, words=record.getMessage(), **facts)


def trace(error: BaseException) -> dict[str, Any]:
    """Return where an error was raised, without its message, which can hold what people typed."""
    lines = traceback.format_tb(error.__traceback__)
    return {"error": type(error).__name__, "trace": "".join(lines[-12:])}


class _Errors(logging.StreamHandler[TextIO]):
    """Standard error, whatever it is at the moment."""

    def __init__(self) -> None:
        super().__init__(sys.stderr)

    def emit(self, record: logging.LogRecord) -> None:
        self.stream = sys.stderr
        super().emit(record)

    def handleError(self, record: logging.LogRecord) -> None:
        """Go on: that nobody reads standard error is no reason to stop."""


class _File(WatchedFileHandler):
    """A file that only its owner and group can read."""

    def __init__(self, path: str) -> None:
        super().__init__(path, encoding="utf-8")

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
