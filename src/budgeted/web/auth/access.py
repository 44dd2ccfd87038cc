"""Who may come in: a middleware in front of everything that knows who acts.

Without credentials only `OPEN` is answered when people must log in; where a request comes from is
looked at before (`budgeted.web.auth.origins`).
"""

from __future__ import annotations

import ipaddress
from typing import Any
from urllib.parse import quote

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from budgeted.studies.journal import user
from budgeted.web.auth.credentials import CredentialFiles
from budgeted.web.auth.origins import SAFE, refusal
from budgeted.web.auth.roles import Role
from budgeted.web.auth.sessions import Session, Sessions, proof_of
from budgeted.web.logs import note, trace
from budgeted.web.pages.errors import error_page
from budgeted.web.settings import Settings

OPEN = ("/login", "/health", "/ready", "/static/")
"""Answered without credentials: the form to log in, what it looks like, and that we are alive."""
_NO_SESSION = ("/api/", "/static/", "/health", "/ready", "/metrics", "/session")
"""What is asked for here does not make a session longer."""
_LOGGED_OUT = b"event: logged-out\ndata: {}\n\n"
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


class Access:
    """Lets in who may come in; says in ``request.state`` who it is: ``actor``, and ``role``."""

    def __init__(self, app: ASGIApp, settings: Settings, credentials: CredentialFiles) -> None:
        self._app = app
        self._settings = settings
        self._credentials = credentials
        self._open = (*OPEN, "/metrics") if settings.public_metrics else OPEN
        self._user = user()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on with the name of who acts."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        state = scope.setdefault("state", {})
        state["root"] = root = self._settings.root_path
        if root and (scope["path"] == root or scope["path"].startswith(f"{root}/")):
            # Some proxies take the path in front off, others leave it.
            scope["path"] = scope["path"][len(root) :] or "/"
        sessions: Sessions = scope["app"].state.sessions
        session = sessions.find_in_cookies(headers.getlist("cookie"), cookie_name(scope))
        found, refused = self._admit(scope, headers, session)
        state["actor"], state["role"] = found or ("", Role.LOOKS)
        if session is not None and found is not None and not _is_among(scope["path"], _NO_SESSION):
            session = sessions.renewed(session)
        state["session"] = session if found is not None else None
        answer = _Answer(self, scope, send, session)
        if refused is None:
            await self._pass_on(scope, receive, answer)
        else:
            await _refused(scope, headers, *refused)(scope, receive, answer)

    def _admit(
        self, scope: Scope, headers: Headers, session: Session | None
    ) -> tuple[tuple[str, Role] | None, tuple[int, str] | None]:
        """Who acts in which role, and what speaks against it: a status, and words."""
        if (against := refusal(scope, headers, self._settings)) is not None:
            return None, against
        found = self.who(headers, session)
        if found is not None or _is_among(scope["path"], self._open):
            return found, None
        if _has_token(headers):
            return None, (401, "nobody has this token; 'budgeted serve-token' makes one")
        if self._proxied_name(headers):
            return None, (403, "you are logged in, but nobody said what you may do here; ask who "
                          "runs the server for a line in its file of passwords")  # fmt: skip
        return None, (401, "log in first, or send a token: Authorization: Bearer …")

    async def _pass_on(self, scope: Scope, receive: Receive, answer: _Answer) -> None:
        """Have the application answer; if something breaks there, say so."""
        try:
            await self._app(scope, receive, answer)
        except Exception as error:
            if answer.begun:
                raise
            note(**trace(error))
            words = "something broke in the server; its log says where"
            broken: Response = JSONResponse({"error": words}, 500)
            if not _is_among(scope["path"], _NO_SESSION):
                broken = error_page(Request(scope), 500, words)
            await broken(scope, receive, answer)

    def who(self, headers: Headers, session: Session | None) -> tuple[str, Role] | None:
        """Return who acts, and in which role by the files of now; None if it was not proved."""
        known = self._credentials.current
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            # A wrong token is refused even where none would be needed.
            holder = known.holder(token.strip())
            return None if holder is None else (holder, known.token_roles[holder])
        if name := self._proxied_name(headers):
            role = known.role_of(name)
            return None if role is None else (name, role)
        if not self._settings.credentials_needed:
            return (self._user if session is None else session.actor), Role.MANAGES
        if session is not None:
            for line, role in known.proofs_of(session.actor):
                if session.proof == proof_of(line):
                    return session.actor, role
        return None

    def _proxied_name(self, headers: Headers) -> str:
        """Whom a trusted proxy logged in, see `OnlyFromProxies`; empty if it says nothing."""
        found = headers.get(self._settings.auth_header, "")
        return found.encode("latin-1").decode("utf-8", errors="replace")


class OnlyFromProxies:
    """Takes a header off every request that does not come from a trusted proxy.

    Stands in front of what makes the address of the browser that of the request.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._header = settings.auth_header.lower().encode()
        self._trusted = settings.proxy_networks

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] == "http":
            host = scope["client"][0] if scope.get("client") else ""
            if not self._trusts(host):
                scope["headers"] = [each for each in scope["headers"] if each[0] != self._header]
        await self._app(scope, receive, send)

    def _trusts(self, host: str) -> bool:
        try:
            peer = ipaddress.ip_address(host.partition("%")[0])
        except ValueError:
            return False
        return any(peer in network for network in self._trusted)


class _Answer:
    """Sends an answer with the headers that protect, and the path in front of addresses.

    A stream that goes on for hours ends when the session does, or when who watches gets another
    role; a browser then asks for it again, and gets what may be seen now.
    """

    def __init__(self, access: Access, scope: Scope, send: Send, session: Session | None) -> None:
        self._access = access
        self._scope = scope
        self._send = send
        self._session = session
        self._who = (scope["state"]["actor"], scope["state"]["role"])
        self.begun = self._is_stream = self._over = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.begun = True
            message["headers"] = self._headers(message.get("headers", ()))
        elif self._over:
            return
        elif self._is_stream and (now := self._now()) != self._who:
            self._over = True
            said = _LOGGED_OUT if now is None else b""
            message = {"type": "http.response.body", "body": said, "more_body": False}
        await self._send(message)

    def _now(self) -> tuple[str, Role] | None:
        """Who would get this answer if it were asked for now."""
        session = self._session
        if session is not None:
            session = self._scope["app"].state.sessions.current(session.id)
        return self._access.who(Headers(scope=self._scope), session)

    def _headers(self, given: Any) -> list[tuple[bytes, bytes]]:
        root = self._scope["state"]["root"]
        made, names = [], set()
        for name, value in given:
            names.add(name)
            if name == b"content-type" and value.startswith(b"text/event-stream"):
                self._is_stream = True
            leads = name in (b"location", b"hx-redirect")
            made.append((name, below(root, self._own(value)) if leads else value))
        if b"cache-control" not in names:
            static = self._scope["path"].startswith("/static/")
            made.append((b"cache-control", b"public, max-age=3600" if static else b"no-store"))
        return [*made, *_RAW_HEADERS]

    def _own(self, location: bytes) -> bytes:
        """An address of this very server without its host, which a proxy may know better."""
        host = dict(self._scope["headers"]).get(b"host", b"")
        return location.removeprefix(self._scope["scheme"].encode() + b"://" + host)


def cookie_name(scope: Scope) -> str:
    """Return the name of the cookie of sessions."""
    sessions: Sessions = scope["app"].state.sessions
    return sessions.cookie_name(scope["scheme"] == "https", scope["state"]["root"])


def cookie(scope: Scope, value: str, seconds: int) -> str:
    """Return a header that gives a browser a cookie which scripts and other sites cannot use."""
    path = scope["state"]["root"] or "/"
    parts = [f"{cookie_name(scope)}={value}", f"Path={path}", "HttpOnly", "SameSite=Strict",
             f"Max-Age={seconds}"]  # fmt: skip
    return "; ".join([*parts, "Secure"] if scope["scheme"] == "https" else parts)


def below(root: str, location: bytes) -> bytes:
    """Return an address within this server with the path in front.

    >>> below("/lab", b"/studies"), below("/lab", b"https://example.org/")
    (b'/lab/studies', b'https://example.org/')
    """
    inside = location.startswith(b"/") and not location.startswith(b"//")
    return root.encode() + location if inside else location


def local_target(given: str) -> str:
    r"""Return where to go after the log-in: within this server, whatever was asked for.

    >>> local_target("/studies/a?b=c"), local_target("//evil.example"), local_target("/\\evil")
    ('/studies/a?b=c', '/studies', '/studies')
    """
    inside = given.startswith("/") and not given.startswith(("//", "/\\")) and given.isprintable()
    return given if inside and "\\" not in given else "/studies"


def _refused(scope: Scope, headers: Headers, status: int, words: str) -> Response:
    """Return a refusal: JSON for programs, a page for people, the log-in for those who browse."""
    response: Response = JSONResponse({"error": words}, status)
    if status != 401:
        plain = scope["path"].startswith("/api/")
        return response if plain else error_page(Request(scope), status, words)
    if not _is_for_programs(scope, headers):
        if scope["method"] in SAFE:
            query = scope.get("query_string", b"").decode("latin-1")
            wanted = f"{scope['path']}?{query}" if query else scope["path"]
            return RedirectResponse(f"/login?next={quote(wanted, safe='')}", status_code=303)
        response = error_page(Request(scope), 401, "you are not logged in, or not any more")
    response.headers["WWW-Authenticate"] = 'Bearer realm="budgeted"'
    return response


def _is_for_programs(scope: Scope, headers: Headers) -> bool:
    """Tell whether a program, or a script of the page, wants the answer, and no person."""
    return (
        _is_among(scope["path"], ("/api/", "/session", "/metrics"))
        or "text/event-stream" in headers.get("accept", "")
        or headers.get("sec-fetch-mode", "navigate") not in ("navigate", "no-cors")
        or "hx-request" in headers
        or _has_token(headers)
    )


def _has_token(headers: Headers) -> bool:
    return headers.get("authorization", "").lower().startswith("bearer")


def _is_among(path: str, places: tuple[str, ...]) -> bool:
    return path in places or any(path.startswith(each) for each in places if each.endswith("/"))
