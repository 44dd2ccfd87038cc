"""The door: who may come in, from where, and with which forms.

A pure ASGI middleware in front of everything. Without credentials only `OPEN` is answered when
people must log in. On loopback there is no log-in; there the danger is a page of another site that
reaches for this server through the browser of its user. So the name in the ``Host`` header must
be one of this machine (a site that points its own name at 127.0.0.1 gets nothing), and what
changes something must not come from another site (``Sec-Fetch-Site``, ``Origin``). Forms carry a
token besides.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from functools import lru_cache
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import quote, urlsplit

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from budgeted.errors import AccessError, BusyError
from budgeted.journal import user
from budgeted.web.credentials import Credentials
from budgeted.web.pages.errors import error_page
from budgeted.web.sessions import COOKIE, HOURS, Session, Sessions
from budgeted.web.settings import Settings, is_loopback

OPEN = ("/login", "/health", "/static/")
"""Answered without credentials: the form to log in, what it looks like, and that we are alive."""
_SAFE = ("GET", "HEAD", "OPTIONS")
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # none at all would make forms come from nowhere
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
_RAW_HEADERS = tuple((name.lower().encode(), text.encode()) for name, text in _HEADERS.items())
_MOST_FAILURES, _WHILE = 10, 60.0
_ONCE = (b"host", b"content-length", b"content-type", b"authorization", b"origin")
"""Headers that mean something to us and must not come twice."""


class Door:
    """Lets in who may come in; says who it is in ``request.state.actor``.

    Parameters
    ----------
    app
        What is behind the door.
    settings, credentials, sessions
        Of the server.
    """

    def __init__(
        self, app: ASGIApp, settings: Settings, credentials: Credentials, sessions: Sessions
    ) -> None:
        self._app = app
        self._settings = settings
        self._credentials = credentials
        self._sessions = sessions
        self._user = user()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on with the name of who acts."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        key = _cookie(headers.get("cookie", ""))
        session = self._sessions.find(key) if key else None
        refused = self._refusal(scope, headers)
        actor = None
        if refused is None:
            actor = self._actor(headers, session)
            if actor is None and not _is_open(scope["path"]):
                refused = self._ask_to_log_in(scope)
        fresh = None
        if refused is None and session is None and not _is_api(scope["path"]):
            # Everybody who gets a page gets a session, so that its forms can carry a token.
            fresh = session = self._sessions.begin(actor or "", proved=False)
        state = scope.setdefault("state", {})
        state["actor"] = actor or ""
        state["session"] = session
        state["csrf"] = self._sessions.form_token(session.key) if session else ""

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = [*message.get("headers", ()), *_RAW_HEADERS]
                names = {name for name, _ in given}
                if b"cache-control" not in names and not scope["path"].startswith("/static/"):
                    given.append((b"cache-control", b"no-store"))
                if fresh is not None and b"set-cookie" not in names:
                    cookie = cookie_for(fresh, scope["scheme"] == "https")
                    given.append((b"set-cookie", cookie.encode()))
                message["headers"] = given
            await send(message)

        if refused is not None:
            response = refused
            if refused.status_code != 303 and not _is_api(scope["path"]):
                response = error_page(Request(scope), refused.status_code, _words(refused))
            await response(scope, receive, answer)
        else:
            await self._app(scope, receive, answer)

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        """What speaks against a request, whoever sends it."""
        path = scope["path"]
        names = [name for name, _ in scope["headers"]]
        for name in _ONCE:
            if names.count(name) > 1:
                return _say(400, f"the header {name.decode()} comes twice")
        if "\0" in path or not _is_text(path):
            return _say(400, "the address holds characters that mean nothing")
        host = headers.get("host", "")
        if not self._settings.credentials_needed and not self._is_ours(host):
            return _say(400, f"this server does not go by the name {host[:100]!r}")
        if scope["method"] not in _SAFE and _from_elsewhere(headers, host):
            return _say(403, "this was sent from the page of another site; nothing was done")
        return None

    def _is_ours(self, host: str) -> bool:
        name = _host_name(host)
        return is_loopback(name) or name == self._settings.host

    def _actor(self, headers: Headers, session: Session | None) -> str | None:
        """Who acts, or None if that was not proved."""
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            # A wrong token is refused even where none would be needed.
            return self._credentials.holder(token.strip())
        if not self._settings.credentials_needed:
            return session.actor if session is not None and session.actor else self._user
        return session.actor if session is not None and session.proved else None

    def _ask_to_log_in(self, scope: Scope) -> Response:
        path = scope["path"]
        if _is_api(path) or scope["method"] not in _SAFE:
            response = _say(401, "log in first, or send a token: Authorization: Bearer …")
            response.headers["WWW-Authenticate"] = 'Bearer realm="budgeted"'
            return response
        query = scope.get("query_string", b"").decode("latin-1")
        wanted = f"{path}?{query}" if query else path
        return RedirectResponse(f"/login?next={quote(wanted, safe='')}", status_code=303)


class Attempts:
    """Failed log-ins of the last minute by address, so that nobody can try passwords for long."""

    def __init__(self) -> None:
        self._failed: dict[str, list[float]] = {}
        self._at_once = asyncio.Semaphore(2)

    async def admits(self, credentials: Credentials, address: str, name: str, secret: str) -> bool:
        """Tell whether the secret is right; raise an error after too many wrong ones."""
        now = time.monotonic()
        self._failed = {
            each: recent
            for each, times in self._failed.items()
            if (recent := [at for at in times if at > now - _WHILE])
        }
        failed = self._failed.setdefault(address, [])
        if len(failed) >= _MOST_FAILURES:
            raise BusyError("too many wrong passwords from this address; wait a minute")
        failed.append(now)  # at once, so that attempts side by side count too
        async with self._at_once:
            right = await asyncio.to_thread(credentials.admits, name, secret)
        if right:
            self._failed.pop(address, None)
        return right


async def checked_form(request: Request) -> AsyncIterator[None]:
    """Raise an error unless a form, or htmx, carries the token of this browser.

    A dependency of every route that answers to forms; uploaded files are closed in the end.
    """
    try:
        await _check_form(request)
        yield
    finally:
        await request.close()


async def _check_form(request: Request) -> None:
    if request.method in _SAFE:
        return
    session: Session | None = request.state.session
    sessions: Sessions = request.app.state.sessions
    token: Any = request.headers.get("x-csrf-token")
    if token is None:
        token = (await request.form()).get("csrf")
    if session is None or not isinstance(token, str) or not sessions.form_fits(session.key, token):
        raise AccessError("this form is too old or was not made here; load the page again")


def cookie_for(session: Session, secure: bool) -> str:
    """Return the header that gives a browser its session."""
    parts = [f"{COOKIE}={session.key}", "Path=/", "HttpOnly", "SameSite=Strict",
             f"Max-Age={HOURS * 3600}"]  # fmt: skip
    return "; ".join([*parts, "Secure"] if secure else parts)


def local_target(given: str) -> str:
    r"""Return where to go after the log-in: within this server, whatever was asked for.

    >>> local_target("/studies/a?b=c"), local_target("//evil.example"), local_target("/\\evil")
    ('/studies/a?b=c', '/studies', '/studies')
    """
    inside = given.startswith("/") and not given.startswith(("//", "/\\")) and given.isprintable()
    return given if inside and "\\" not in given else "/studies"


def _cookie(header: str) -> str:
    if not header:
        return ""
    try:
        found = SimpleCookie(header).get(COOKIE)
    except CookieError:
        return ""
    return "" if found is None else found.value


@lru_cache(maxsize=64)
def _host_name(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_open(path: str) -> bool:
    return path in OPEN or any(path.startswith(each) for each in OPEN if each.endswith("/"))


def _is_api(path: str) -> bool:
    return path.startswith("/api/")


def _from_elsewhere(headers: Headers, host: str) -> bool:
    """Tell whether the page of another site sends this; programs send neither header."""
    if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
        return True
    origin = headers.get("origin")
    return origin is not None and urlsplit(origin).netloc != host


def _say(status: int, message: str) -> Response:
    return JSONResponse({"error": message}, status)


def _words(refused: Response) -> str:
    said: str = json.loads(bytes(refused.body))["error"]
    return said
