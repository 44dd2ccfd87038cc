"""Who may come in: a middleware in front of everything that knows who acts.

Without credentials only `OPEN` is answered when people must log in; where a request comes from is
looked at before (`budgeted.web.auth.origins`).
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from budgeted.studies.journal import user
from budgeted.web.auth.credential_files import CredentialFiles
from budgeted.web.auth.origins import SAFE, refusal
from budgeted.web.auth.roles import Role
from budgeted.web.auth.sessions import Session, Sessions
from budgeted.web.logs import note, trace
from budgeted.web.pages.errors import error_page
from budgeted.web.settings import Settings

OPEN = ("/login", "/health", "/ready", "/static/")
"""Answered without credentials: the form to log in, what it looks like, and that we are alive."""
_NO_SESSION = ("/api/", "/static/", "/health", "/ready", "/metrics", "/session")
"""Nobody gets a session here."""
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


class Door:
    """Lets in who may come in; says in ``request.state`` who it is: ``actor``, and ``role``.

    Parameters
    ----------
    app
        What is behind the door.
    settings, credentials
        Of the server.
    """

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
        name = sessions.cookie_name(scope["scheme"] == "https", state["root"])
        session = sessions.read_cookies(headers.getlist("cookie"), name)
        if session is not None and session.proved and not self.lasts(session, sessions):
            session = None
        actor, role, refused = self._admit(scope, headers, session)
        fresh = None
        if not _is_among(scope["path"], _NO_SESSION):
            if session is not None:
                fresh = sessions.renewed(session)
            elif refused is None:
                fresh = session = sessions.begin("")
        state["actor"], state["role"], state["session"] = actor, role, session
        answer = _Answer(self, scope, send, fresh, session)
        if refused is None:
            await self._pass_on(scope, receive, answer)
        else:
            await _refused(scope, headers, *refused)(scope, receive, answer)

    def _admit(
        self, scope: Scope, headers: Headers, session: Session | None
    ) -> tuple[str, Role, tuple[int, str] | None]:
        """Who acts in which role, and what speaks against it: a status, and words."""
        if (against := refusal(scope, headers, self._settings)) is not None:
            return "", Role.LOOKS, against
        found = self.who(headers, session, scope["app"].state.sessions)
        if found is None and not _is_among(scope["path"], self._open):
            words = "log in first, or send a token: Authorization: Bearer …"
            return "", Role.LOOKS, (401, words)
        return *(found or ("", Role.LOOKS)), None

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

    def lasts(self, session: Session, sessions: Sessions) -> bool:
        """Tell whether somebody who logged in is still in."""
        return sessions.lasts(session) and self._role(session, sessions) is not None

    def _role(self, session: Session, sessions: Sessions) -> Role | None:
        """What may be done by what proved the name; None if it is not in the files any more."""
        for line, role in self._credentials.current.proofs_of(session.actor):
            if session.proof == sessions.proof(line):
                return role
        return None

    def who(
        self, headers: Headers, session: Session | None, sessions: Sessions
    ) -> tuple[str, Role] | None:
        """Return who acts, and in which role by the files of now; None if it was not proved."""
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            # A wrong token is refused even where none would be needed.
            known = self._credentials.current
            holder = known.holder(token.strip())
            return None if holder is None else (holder, known.token_roles[holder])
        if not self._settings.credentials_needed:
            named = session is not None and session.actor
            return (session.actor if session and named else self._user), Role.MANAGES
        if session is None or not session.proved or not sessions.lasts(session):
            return None
        role = self._role(session, sessions)
        return None if role is None else (session.actor, role)


class _Answer:
    """Sends an answer with the headers that protect, the cookie, and the path in front.

    A stream that goes on for hours ends when the session does, or when who watches gets another
    role; a browser then asks for it again, and gets what may be seen now.
    """

    def __init__(
        self, door: Door, scope: Scope, send: Send, fresh: Session | None, session: Session | None
    ) -> None:
        self._door = door
        self._scope = scope
        self._send = send
        self._fresh = fresh
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
        sessions: Sessions = self._scope["app"].state.sessions
        return self._door.who(Headers(scope=self._scope), self._session, sessions)

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
        if self._fresh is not None and b"set-cookie" not in names:
            made.append((b"set-cookie", session_cookie(self._scope, self._fresh).encode()))
        return [*made, *_RAW_HEADERS]

    def _own(self, location: bytes) -> bytes:
        """An address of this very server without its host, which a proxy may know better."""
        host = dict(self._scope["headers"]).get(b"host", b"")
        return location.removeprefix(self._scope["scheme"].encode() + b"://" + host)


def session_cookie(scope: Scope, session: Session) -> str:
    """Return the header that gives a browser its session."""
    sessions: Sessions = scope["app"].state.sessions
    name = sessions.cookie_name(scope["scheme"] == "https", scope["state"]["root"])
    return cookie(scope, name, sessions.text(session), sessions.seconds(session))


def cookie(scope: Scope, name: str, value: str, seconds: int) -> str:
    """Return a header that gives a browser a cookie which scripts and other sites cannot use."""
    path = scope["state"]["root"] or "/"
    parts = [f"{name}={value}", f"Path={path}", "HttpOnly", "SameSite=Strict",
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
    )


def _is_among(path: str, places: tuple[str, ...]) -> bool:
    return path in places or any(path.startswith(each) for each in places if each.endswith("/"))
