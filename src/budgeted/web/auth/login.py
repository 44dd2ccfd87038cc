"""Logging in and out, and choosing a name on one's own machine."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from fastapi.responses import JSONResponse, RedirectResponse, Response

from budgeted.errors import AccessError, BusyError
from budgeted.web.auth.access import cookie, local_target, session_cookie
from budgeted.web.auth.attempts import Attempts
from budgeted.web.auth.credential_files import CredentialFiles
from budgeted.web.auth.credentials import check_name
from budgeted.web.auth.roles import Role, needs, role_of
from budgeted.web.auth.sessions import Session, Sessions
from budgeted.web.logs import note
from budgeted.web.pages.login import login_page

router = APIRouter(include_in_schema=False)

Field = Annotated[str, Form(max_length=500)]
_YEAR = 365 * 24 * 3600


@router.get("/session")
async def session(request: Request) -> Response:
    """Say who is logged in and until when; 401 tells a page that it is not logged in any more."""
    found: Session | None = request.state.session
    until = None
    if found is not None and found.proved:
        until = datetime.fromtimestamp(found.until, UTC).isoformat().replace("+00:00", "Z")
    role = role_of(request).text
    return JSONResponse({"actor": request.state.actor, "role": role, "until": until})


@router.post("/login", dependencies=[needs(Role.LOOKS)])
async def log_in(
    request: Request, name: Field = "", secret: Field = "", next: Field = "/studies"
) -> Response:
    """Begin a session with a name and a password or token."""
    state = request.app.state
    attempts: Attempts = state.attempts
    files: CredentialFiles = state.credentials
    sessions: Sessions = state.sessions
    address = request.client.host if request.client else ""
    cookies = request.headers.getlist("cookie")
    browser = sessions.device_of(cookies, _device(request), name)
    try:
        line = await attempts.check(files.current, address, name, secret, browser)
    except BusyError as error:
        _tell(request, files, name, "too many")
        return login_page(request, str(error), local_target(next), name=name, status=429)
    _tell(request, files, name, "right" if line else "wrong")
    if not line:
        words = "this name and password do not belong together"
        return login_page(request, words, local_target(next), name=name, status=401)
    response = _session_for(request, name, local_target(next), proof=sessions.proof(line))
    if not browser:
        known = cookie(request.scope, _device(request), sessions.device(name), _YEAR)
        response.headers.append("set-cookie", known)
    return response


@router.post("/logout", dependencies=[needs(Role.LOOKS)])
async def log_out(request: Request) -> Response:
    """End a session."""
    session: Session | None = request.state.session
    sessions: Sessions = request.app.state.sessions
    note(event="log-out")
    if session is not None:
        sessions.end(session)
    response = RedirectResponse("/login", status_code=303)
    gone = cookie(request.scope, _name(request), "", 0)
    response.headers.append("set-cookie", gone)
    return response


@router.post("/actor", dependencies=[needs(Role.LOOKS)])
async def choose_name(request: Request, name: Field = "", next: Field = "/studies") -> Response:
    """Choose the name for the log, where nobody has to log in."""
    if request.app.state.settings.credentials_needed:
        raise AccessError("the name is that of the log-in")
    return _session_for(request, check_name(name.strip()), local_target(next))


def _session_for(request: Request, name: str, target: str, *, proof: str = "") -> Response:
    """A new session for every log-in: one from before must not become worth more."""
    state: Any = request.app.state
    old: Session | None = request.state.session
    if old is not None:
        state.sessions.end(old)
    response = RedirectResponse(target, status_code=303)
    fresh = state.sessions.begin(name, proof=proof)
    response.headers.append("set-cookie", session_cookie(request.scope, fresh))
    return response


def _tell(request: Request, files: CredentialFiles, name: str, result: str) -> None:
    """Have the log say who tried; a name that nobody has may be a password in the wrong field."""
    known = bool(files.current.lines_of(name))
    note(event="log-in", result=result, actor=name if known else "nobody known")
    request.app.state.metrics.logins.add(result=result)


def _name(request: Request) -> str:
    sessions: Sessions = request.app.state.sessions
    return sessions.cookie_name(request.scope["scheme"] == "https", request.state.root)


def _device(request: Request) -> str:
    return f"{_name(request)}-device"
