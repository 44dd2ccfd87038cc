"""The server process: a socket, the application, and a clean end."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import socket
import ssl
import sys
import webbrowser
from collections.abc import Callable
from pathlib import Path

import uvicorn
from fastapi import FastAPI

from budgeted import __version__
from budgeted.errors import AccessError
from budgeted.studies.journal import Journal
from budgeted.web.app import create_app
from budgeted.web.settings import Settings

_GIVE_WAY = 0.0005
"""Seconds after which a thread lets others go on: what takes long is computed on other threads, and
Python's own 5 ms would add up on the way of an answer, which changes threads several times."""
_PATIENCE = 10
"""Seconds that requests under way get when the server ends."""
_HEAD = 64 * 1024
"""Bytes of a head, of a trailer, or of the line in front of a chunk."""
_BACKLOG = 512
_MANY_OBJECTS = 50_000
"""New objects before the collector looks for cycles: the log of a study has none, only length."""


class Server(uvicorn.Server):
    """Takes on so much and no more, and ends streams when it ends."""

    def __init__(
        self, app: FastAPI, settings: Settings, tls: tuple[Path, Path] | None = None
    ) -> None:
        config = uvicorn.Config(
            app,
            http="h11",  # refuses what is endless; httptools reads heads and trailers of any size
            h11_max_incomplete_event_size=_HEAD,
            limit_concurrency=settings.most_connections,
            backlog=_BACKLOG,
            ws="none",
            log_config=None,
            access_log=False,  # addresses can hold what people typed; see budgeted.web.logs
            server_header=False,
            proxy_headers=False,  # see budgeted.web.app
            timeout_keep_alive=30,
            timeout_graceful_shutdown=_PATIENCE,
            ssl_certfile=None if tls is None else tls[0],
            ssl_keyfile=None if tls is None else tls[1],
        )
        super().__init__(config)
        app.state.connections = self.server_state.connections
        self._app = app

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End streams first: waiting for them to end by themselves would take for ever."""
        self._app.state.workers.closing.set()
        await super().shutdown(sockets)


def run(
    settings: Settings,
    *,
    announce: Callable[[str], object] = print,
    tls: tuple[Path, Path] | None = None,
    show: bool = False,
) -> None:
    """Serve until somebody ends it."""
    if tls is not None:
        check_certificate(*tls)
    app = create_app(settings)  # reads the credentials, before anything is made
    Journal(settings.database, "", create=True).release()  # if it does not answer, that is said
    listening = listen(settings)
    server = Server(app, settings, tls)
    address = _address(settings, listening, tls is not None)
    for name in ("asyncio", "budgeted", "uvicorn.error"):
        logging.getLogger(name).addHandler(app.state.log.handlers[0])
    for name in ("asyncio", "uvicorn.error"):  # strangers could fill the log with warnings
        logging.getLogger(name).setLevel(logging.ERROR)
    sys.setswitchinterval(_GIVE_WAY)

    async def serve() -> None:
        running = asyncio.ensure_future(server.serve(sockets=[listening]))
        while not (server.started or running.done()):
            await asyncio.sleep(0.02)
        if server.started:
            gc.freeze()  # what was loaded stays; looking through it again and again is in vain
            gc.set_threshold(_MANY_OBJECTS, 20, 50)
            facts = {"event": "start", "address": address, "version": __version__}
            app.state.log.info("start", extra={"facts": {**facts, "process": os.getpid()}})
            announce(f"The page is at {address} (end with Ctrl-C)")
            if show:
                webbrowser.open(address)
        await running

    try:
        with asyncio.Runner(loop_factory=server.config.get_loop_factory()) as runner:
            runner.run(serve())
    except KeyboardInterrupt:
        pass
    finally:
        listening.close()


def check_certificate(certificate: Path, key: Path) -> None:
    """Raise an error that names the files unless they are a certificate and its key."""
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(
            certificate,
            key,
            password=lambda: "",  # do not ask on the terminal
        )
    except (ssl.SSLError, OSError) as error:
        raise AccessError(
            f"{certificate} and {key} are not a certificate and its key ({error}); give two files "
            f"in PEM format that belong together"
        ) from None


def listen(settings: Settings) -> socket.socket:
    """Return a socket that listens where the settings say, or an error that says why not."""
    try:
        family, *_, where = socket.getaddrinfo(
            settings.host.strip("[]"), settings.port, type=socket.SOCK_STREAM
        )[0]
        # With its protocol named, asyncio sends small answers at once instead of after 40 ms.
        found = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind(where)
        found.listen(_BACKLOG)
        found.setblocking(False)
    except OSError as error:
        raise AccessError(
            f"--host {settings.host} --port {settings.port}: cannot listen there "
            f"({error.strerror or error}); is another server running? Try --port 0"
        ) from None
    return found


def _address(settings: Settings, listening: socket.socket, tls: bool) -> str:
    host = settings.host
    if ":" in host and not host.startswith("["):
        host = f"[{host}]"
    scheme, port = "https" if tls else "http", listening.getsockname()[1]
    return f"{scheme}://{host}:{port}{settings.root_path}"
