"""Servers for the client: one of studies with a token, and ones that do something odd."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from budgeted.client import Client
from budgeted.web.auth.credentials import token_line, write_line
from tests import webs

TOKEN = "t0ken-that-nobody-guesses-0123456789abcdef"


@contextmanager
def guarded(folder):
    """A server with the study flu that lets a robot in; gives its address."""
    webs.make_study(folder / "studies.db").release()
    write_line(folder / "tokens", "robot", token_line(TOKEN))
    with webs.client(folder, token_file=folder / "tokens") as found:
        yield str(found.base_url).rstrip("/")


@contextmanager
def answering(answer):
    """A server on loopback; `answer` takes each request and gives status, headers and body.

    Gives its address and the list of requests, each with method, path, headers and body.
    """
    seen = []

    class Handler(BaseHTTPRequestHandler):
        def _any(self):
            length = int(self.headers.get("content-length", 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            request = (self.command, self.path, headers, self.rfile.read(length))
            seen.append(request)
            status, headers, body = answer(len(seen), request)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = _any

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", seen
    finally:
        server.shutdown()
        thread.join(10)
        server.server_close()


@contextmanager
def against(answer, path="", **options):
    """A client of such a server, and the list of requests."""
    with answering(answer) as (url, seen), Client(url + path, **options) as client:
        yield client, seen
