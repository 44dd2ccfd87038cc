"""The application: doors, routes and what lives as long as the server does."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import lru_cache

from fastapi import APIRouter, FastAPI
from fastapi.staticfiles import StaticFiles
from starlette.middleware.body_limit import RequestBodyLimitMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from budgeted import __version__
from budgeted.studies.commands import COMMANDS, Command
from budgeted.web import api, failures, openapi, probes
from budgeted.web.auth import login
from budgeted.web.auth.access import Access, OnlyFromProxies
from budgeted.web.auth.attempts import Attempts
from budgeted.web.auth.credentials import CredentialFiles
from budgeted.web.auth.sessions import Sessions
from budgeted.web.logs import Metrics, RequestLog, handler
from budgeted.web.pages.routes import router as pages
from budgeted.web.plans import Plans
from budgeted.web.preparations import Preparations
from budgeted.web.settings import Limits, Settings
from budgeted.web.sse import Streams
from budgeted.web.workers import StudyWorkers

_ABOUT = """\
Everything that the pages can do, for programs. Amounts of money are text, because they are exact.
A refusal has a field `error` that says what is wrong and what to do. Where people must log in, send
`Authorization: Bearer <token>`.
"""


def create_app(settings: Settings) -> FastAPI:
    """Return the application of a server."""
    credentials = CredentialFiles(settings.password_file, settings.token_file)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.sessions = Sessions(settings.data_folder, settings.realm)
        app.state.workers = workers = StudyWorkers(settings)
        app.state.plans = plans = Plans(settings)
        app.state.preparations = Preparations(settings)
        # Streams stay for hours: they must leave room for those who come and go.
        streams = min(settings.limits.streams, settings.most_connections // 2)
        app.state.streams = Streams(streams, workers.closing)
        app.state.readiness = probes.Readiness(workers)
        await workers.open()
        try:
            yield
        finally:
            await plans.close()
            await workers.close()
            app.state.sessions.close()
            app.state.log.handlers[0].close()

    # The usual pages about the API load their scripts from elsewhere; the document is enough.
    app = FastAPI(
        title="budgeted",
        version=__version__,
        description=_ABOUT,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,  # see budgeted.web.openapi
        routes=[*_routes(tuple(COMMANDS.values()))],
    )
    app.state.settings, app.state.credentials = settings, credentials
    app.state.attempts, app.state.connections = Attempts(), set()
    app.state.metrics = Metrics(lambda: len(app.state.connections), lambda: app.state.streams.open)
    log = app.state.log = logging.Logger("budgeted.server", logging.INFO)
    log.addHandler(handler(settings))
    failures.install(app)
    openapi.install(app, guarded=settings.credentials_needed)
    app.mount("/static", StaticFiles(packages=[("budgeted.web", "static")]), name="static")
    app.add_middleware(GZipMiddleware, minimum_size=1_000, compresslevel=5)
    app.add_middleware(BodyLimits, limits=settings.limits)
    app.add_middleware(Access, settings=settings, credentials=credentials)
    if settings.trusted_proxies:
        trusted = [str(each) for each in settings.proxy_networks]
        app.add_middleware(ProxyHeadersMiddleware, trusted_hosts=trusted)
    if settings.auth_header:
        app.add_middleware(OnlyFromProxies, settings=settings)
    app.add_middleware(RequestLog, log=log, metrics=app.state.metrics)
    return app


@lru_cache(maxsize=1)
def _routes(operations: tuple[type[Command], ...]) -> tuple[BaseRoute, ...]:
    """Return all routes but those of files.

    They read the settings from the application that a request came to, so every application of a
    process can have the same ones. To work out what each of them takes is nearly all that it costs
    to make an application, and what the framework keeps of it is never given back.
    """
    made = APIRouter()
    for part in (api.router(operations), login.router, probes.router, openapi.router, pages):
        made.include_router(part)
    return tuple(made.routes)


_UPLOADS = ("/studies", "/plans")
_UPLOADED = (
    "/validation", "/add-cases", "/add-cases/preview", "/results", "/results/file",
    "/results/check", "/results/write",
)  # fmt: skip
_PREPARED = "/new"


class BodyLimits:
    """Refuses bodies that are larger than they may be; those that bring files may be larger."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self._plain, self._upload = (
            RequestBodyLimitMiddleware(app, most) for most in (limits.body, limits.upload)
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what is small enough."""
        path = scope.get("path", "").removeprefix("/api")
        upload = path in _UPLOADS or path.endswith(_UPLOADED) or path.startswith(_PREPARED)
        limited = self._upload if upload else self._plain
        length = dict(scope.get("headers", ())).get(b"content-length", b"0")
        if length.isdigit() and int(length) > limited.max_body_size:  # said in our own words
            refused = failures.refuse(Request(scope), 413, failures.TOO_LARGE, [])
            await refused(scope, receive, send)
        else:
            await limited(scope, receive, send)
