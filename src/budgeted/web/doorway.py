"""Logging in and out, choosing a name on one's own machine, and a sign of life."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import JSONResponse, RedirectResponse, Response

from budgeted.errors import AccessError, BusyError
from budgeted.web.access import Attempts, checked_form, cookie_for, local_target
from budgeted.web.credentials import Credentials, check_name
from budgeted.web.pages.login import login_page
from budgeted.web.sessions import COOKIE, Session, Sessions

router = APIRouter(include_in_schema=False)

Field = Annotated[str, Form(max_length=500)]


@router.get("/health")
async def health() -> Response:
    """Say that the server is alive, and nothing else."""
    return JSONResponse({"alive": True})


@router.post("/login", dependencies=[Depends(checked_form)])
async def log_in(
    request: Request, name: Field = "", secret: Field = "", next: Field = "/studies"
) -> Response:
    """Begin a session with a name and a password or token."""
    state = request.app.state
    attempts: Attempts = state.attempts
    credentials: Credentials = state.credentials
    address = request.client.host if request.client else ""
    try:
        right = await attempts.admits(credentials, address, name, secret)
    except BusyError as error:
        return login_page(request, str(error), local_target(next), name=name, status=429)
    if not right:
        words = "this name and password do not belong together"
        return login_page(request, words, local_target(next), name=name, status=401)
    return _session_for(request, name, local_target(next), proved=True)


@router.post("/logout", dependencies=[Depends(checked_form)])
async def log_out(request: Request) -> Response:
    """End a session."""
    session: Session | None = request.state.session
    if session is not None:
        sessions: Sessions = request.app.state.sessions
        sessions.end(session.key)
    response = RedirectResponse("/login", status_code=303)
    response.delete_cookie(COOKIE, httponly=True, samesite="strict")
    return response


@router.post("/actor", dependencies=[Depends(checked_form)])
async def choose_name(request: Request, name: Field = "", next: Field = "/studies") -> Response:
    """Choose the name for the log, where nobody has to log in."""
    if request.app.state.settings.credentials_needed:
        raise AccessError("the name is that of the log-in")
    return _session_for(request, check_name(name.strip()), local_target(next), proved=False)


def _session_for(request: Request, name: str, target: str, *, proved: bool) -> Response:
    """A new session for every log-in: a key from before must not become worth more."""
    state: Any = request.app.state
    old: Session | None = request.state.session
    if old is not None:
        state.sessions.end(old.key)
    session = state.sessions.begin(name, proved=proved)
    response = RedirectResponse(target, status_code=303)
    response.headers.append("set-cookie", cookie_for(session, request.url.scheme == "https"))
    return response
