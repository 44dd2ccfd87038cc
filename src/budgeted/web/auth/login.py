"""Logging in and out, and choosing a name on one's own machine."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from fastapi.responses import JSONResponse, RedirectResponse, Response

from budgeted.errors import AccessError, BusyError
from budgeted.web.auth.access import cookie, local_target
from budgeted.web.auth.attempts import Attempts
from budgeted.web.auth.credentials import CredentialFiles, check_name
from budgeted.web.auth.roles import Role, needs, role_of
from budgeted.web.auth.sessions import Session, proof_of
from budgeted.web.logs import note
from budgeted.web.pages.templates import render

router = APIRouter(include_in_schema=False)

Field = Annotated[str, Form(max_length=500)]


@router.get("/session")
async def session(request: Request) -> Response:
    """Say who is logged in and until when; 401 tells a page that it is not logged in any more."""
    found: Session | None = request.state.session
    until = None
    if found is not None and found.proof:
        until = datetime.fromtimestamp(found.until, UTC).isoformat().replace("+00:00", "Z")
    role = role_of(request).text
    return JSONResponse({"actor": request.state.actor, "role": role, "until": until})


@router.api_route("/login", methods=["GET", "HEAD"])
async def login(request: Request, next: str = "/studies") -> Response:
    """Show the form."""
    return _page(request, "", next)


@router.post("/login", dependencies=[needs(Role.LOOKS)])
async def log_in(
    request: Request, name: Field = "", secret: Field = "", next: Field = "/studies"
) -> Response:
    """Begin a session with a name and a password or token."""
    attempts: Attempts = request.app.state.attempts
    files: CredentialFiles = request.app.state.credentials
    address = request.client.host if request.client else ""
    try:
        line = await attempts.check(files.current, address, name, secret)
    except BusyError as error:
        _tell(request, files, name, "too many")
        return _page(request, str(error), local_target(next), name=name, status=429)
    _tell(request, files, name, "right" if line else "wrong")
    if not line:
        words = "this name and password do not belong together"
        return _page(request, words, local_target(next), name=name, status=401)
    line = await asyncio.to_thread(files.upgraded, name, secret, line)
    return _session_for(request, name, local_target(next), proof=proof_of(line))


@router.post("/logout", dependencies=[needs(Role.LOOKS)])
async def log_out(request: Request) -> Response:
    """End a session."""
    session: Session | None = request.state.session
    note(event="log-out")
    if session is not None:
        request.app.state.sessions.end(session)
    response = RedirectResponse("/login", status_code=303)
    response.headers.append("set-cookie", cookie(request.scope, "", 0))
    return response


@router.post("/actor", dependencies=[needs(Role.LOOKS)])
async def choose_name(request: Request, name: Field = "", next: Field = "/studies") -> Response:
    """Choose the name for the log, where nobody has to log in."""
    if request.app.state.settings.credentials_needed:
        raise AccessError("the name is that of the log-in")
    return _session_for(request, check_name(name.strip()), local_target(next))


def _page(
    request: Request, message: str, after: str, *, name: str = "", status: int = 200
) -> Response:
    return render(
        request, "login.html", status=status, message=message, next=after, name=name, known=False
    )


def _session_for(request: Request, name: str, target: str, *, proof: str = "") -> Response:
    """A new session for every log-in: one from before must not become worth more."""
    state: Any = request.app.state
    old: Session | None = request.state.session
    if old is not None:
        state.sessions.end(old)
    response = RedirectResponse(target, status_code=303)
    text, fresh = state.sessions.begin(name, proof=proof)
    response.headers.append("set-cookie", cookie(request.scope, text, fresh.longest))
    return response


def _tell(request: Request, files: CredentialFiles, name: str, result: str) -> None:
    """Have the log say who tried; a name that nobody has may be a password in the wrong field."""
    known = bool(files.current.lines_of(name))
    note(event="log-in", result=result, actor=name if known else "nobody known")
    request.app.state.metrics.logins.labels(result).inc()
