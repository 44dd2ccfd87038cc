"""Errors in the words of HTTP: which status each has, and how it is told."""

from __future__ import annotations

import errno
import logging
from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, Response

from budgeted.errors import (
    AccessError,
    BudgetedError,
    BusyError,
    ConflictError,
    ForeignHistoryError,
    JournalError,
    PurchaseError,
    StudyError,
    UnknownError,
    UnknownFateError,
    UnwritableError,
)
from budgeted.web.hints import words
from budgeted.web.pages.errors import UNKNOWN_FATE, error_page

_log = logging.getLogger(__name__)
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)


TOO_LARGE = "this is larger than what this server takes; nothing was done"


class Failure(BaseModel):
    """What every refusal says."""

    error: str = Field(description="what is wrong and what to do, in words")
    mistakes: list[str] = Field(default=[], description="all of them, where there are several")


WORDS = {
    400: "The request cannot be understood: a header twice, a foreign host name, no JSON.",
    401: "Log in, or send a token.",
    403: "Not for who has this role; or sent from the page of another site, or by a form of one.",
    404: "There is no such study, request, case, chart or plan.",
    405: "The address does not take this method.",
    409: "The study, as it is now, does not allow it.",
    413: "Larger than this server takes.",
    422: "Something in it makes no sense; the message says what.",
    429: "Too much at once; wait a moment.",
    503: "The database, or the folder of the server, cannot be read or written.",
}


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the entries of the OpenAPI document for refusals.

    All routes can refuse a request as such, so some statuses are always among them.
    """
    every = sorted({400, 401, 503, *statuses})
    return {status: {"model": Failure, "description": WORDS[status]} for status in every}


_STATUS: Mapping[type[BudgetedError], int] = {
    UnknownError: 404,
    UnwritableError: 422,
    ConflictError: 409,
    ForeignHistoryError: 409,
    JournalError: 503,
    StudyError: 409,
    PurchaseError: 409,
    AccessError: 403,
    BusyError: 429,
}


def status_of(error: BudgetedError) -> int:
    """Return the status of an error: that of its nearest kind, 422 for what makes no sense.

    >>> status_of(UnknownError("there is no study 'x'")), status_of(BudgetedError("no"))
    (404, 422)
    """
    for kind in type(error).__mro__:
        if kind in _STATUS:
            return _STATUS[kind]
    return 422


def words_of(error: OSError) -> str:
    """Return what an error of a file of the server means for people, without paths.

    >>> words_of(OSError(errno.ENOSPC, "No space left on device", "/srv/studies.db-web"))
    'the disk of the server is full: free some room, or ask whoever runs it to'
    """
    if error.errno in _FULL:
        return "the disk of the server is full: free some room, or ask whoever runs it to"
    if error.errno in _FORBIDDEN:
        return "the server may not write to its folder; whoever runs it can allow it"
    return f"the server cannot write to its folder: {error.strerror or type(error).__name__}"


def refuse(request: Request, status: int, message: str, mistakes: list[str]) -> Response:
    """Return a refusal: JSON for programs, a page for people."""
    if is_for_people(request):
        return error_page(request, status, message)
    return JSONResponse({"error": message, "mistakes": mistakes}, status)


def is_for_people(request: Request) -> bool:
    """Tell whether a page is wanted."""
    return not request.url.path.startswith("/api/") and request.url.path != "/health"


def install(app: FastAPI) -> None:
    """Have an application tell errors this way."""

    @app.exception_handler(BudgetedError)
    async def _ours(request: Request, error: Exception) -> Response:
        assert isinstance(error, BudgetedError)
        request.state.cause = error
        if isinstance(error, UnknownFateError) and is_for_people(request):
            return error_page(request, status_of(error), UNKNOWN_FATE, not_done=False)
        told = words(error)
        several = told if getattr(error, "mistakes", ()) else []
        return refuse(request, status_of(error), printable(_whole(error, told)), several)

    @app.exception_handler(OSError)
    async def _storage(request: Request, error: Exception) -> Response:
        """A full disk: of the data folder, or of the temporary files of a large upload."""
        assert isinstance(error, OSError)
        request.state.cause = error
        _log.exception("%s %s", request.method, request.url.path)
        return refuse(request, 503, f"{words_of(error)}; nothing was done", [])

    @app.exception_handler(RequestValidationError)
    async def _invalid(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        mistakes = [
            f"{'.'.join(str(part) for part in each['loc'][1:]) or 'body'}: {each['msg']}"
            for each in error.errors()[:20]
        ]
        of_body = any(each["loc"][0] == "body" for each in error.errors())
        kind = request.headers.get("content-type", "")
        if of_body and request.url.path.startswith("/api/") and "json" not in kind:
            mistakes = ["send JSON, and say so with the header Content-Type: application/json"]
        no_json = any(each["type"] == "json_invalid" for each in error.errors())
        status = 400 if no_json else 422
        return refuse(
            request, status, printable("; ".join(mistakes)), list(map(printable, mistakes))
        )

    @app.exception_handler(HTTPException)
    async def _http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        said = TOO_LARGE if error.status_code == 413 else printable(str(error.detail))
        response = refuse(request, error.status_code, said, [])
        response.headers.update(error.headers or {})
        return response

    @app.exception_handler(ClientDisconnect)
    async def _broken_off(request: Request, error: Exception) -> Response:
        return refuse(request, 400, "the request broke off; nothing was done", [])


def _whole(error: BudgetedError, told: list[str]) -> str:
    """Return all that is wrong as one text."""
    if not getattr(error, "mistakes", ()):
        return told[0]
    first, mark, _ = str(error).partition("\n")
    return "\n  ".join([first, *told]) if mark else "; ".join(told)


def printable(text: str) -> str:
    """Return a text without halves of characters, which no answer can carry."""
    return text.encode(errors="replace").decode()
