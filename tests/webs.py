"""Servers to test: on a thread of this process, or as a process of its own; on a free port."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import httpx

from budgeted import Feature, Problem, Study
from budgeted.web import children
from budgeted.web.app import create_app
from budgeted.web.server import Server, listen
from budgeted.web.settings import Settings
from tests.sample_studies import CLOCK

children.NICENESS = 0  # tests wait for what they compute

STUDY = """
name = "flu"
budget = "20"
labels = ["well", "ill"]
[[features]]
name = "fever"
values = ["no", "yes"]
cost = "1.50"
[[features]]
name = "cough"
values = ["no", "yes"]
cost = "1"
"""
CASES = "case,label\n" + "".join(f"P{at},{('well', 'ill')[at % 2]}\n" for at in range(12))
VALIDATION = "fever,cough,label\nno,no,well\nyes,yes,ill\nyes,no,ill\n"


def make_study(database, name="flu", **options):
    """The study of `STUDY`, without a server."""
    problem = Problem(
        [Feature("fever", ("no", "yes"), "1.50"), Feature("cough", ("no", "yes"), "1")],
        ("well", "ill"), (0.5, 0.5), "20",
    )  # fmt: skip
    cases = [(f"P{at}", ("well", "ill")[at % 2]) for at in range(12)]
    options = {"by": "anna", "clock": CLOCK, "seed": 1} | options
    return Study.create(str(database), name, problem, cases, **options)


@contextmanager
def running(app, settings):
    """Serve an application on a thread; give its port."""
    listening = listen(settings)
    server = Server(app, settings)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive(), "the server did not start"
            time.sleep(0.005)
        yield listening.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(20)
        listening.close()
        assert not thread.is_alive(), "the server does not end"


@contextmanager
def client(folder: Path, database: str | None = None, **options):
    """A client of a server on a thread; unless given, the database is studies.db in the folder."""
    options = {"folder": folder / "web", "port": 0, "poll": 0.05} | options
    settings = Settings(database or str(folder / "studies.db"), **options)
    app = create_app(settings)
    with running(app, settings) as port:
        base = f"http://127.0.0.1:{port}"
        with httpx.Client(base_url=base, timeout=30) as found:
            found.app = app
            yield found


@contextmanager
def process(folder: Path, *options: str, handles: int | None = None):
    """A server of its own; gives its address and the process. What it says is in log.txt.

    `handles` is how many files the system lets it open.
    """
    command = [sys.executable, "-m", "budgeted", "serve", "--db", str(folder / "studies.db"),
               "--port", "0", *options]  # fmt: skip
    if handles is not None:
        command = ["sh", "-c", f'ulimit -n {handles}; exec "$@"', "sh", *command]
    with (folder / "log.txt").open("w") as log:
        found = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        try:
            line = found.stdout.readline()
            address = re.search(r"https?://\S+", line)
            assert address, (folder / "log.txt").read_text()
            yield address[0].replace("0.0.0.0", "127.0.0.1"), found
        finally:
            if found.poll() is None:
                os.kill(found.pid, signal.SIGINT)
                try:
                    found.wait(120)
                finally:
                    found.kill()  # nothing is left behind, even if it does not end by itself
                    found.wait()
            found.stdout.close()


def every_route(app):
    """(method, path) of everything that an application answers, however deep it is nested."""
    return sorted({(method, path) for method, path, _ in every_endpoint(app)})


def every_endpoint(app, whole=False):
    """The same with the dependencies that each route declares itself, or the whole route."""

    def walk(routes, prefix):
        for route in routes:
            inner = getattr(route, "original_router", None)
            if inner is not None:
                yield from walk(inner.routes, prefix + route.include_context.prefix)
            elif getattr(route, "methods", None):
                for method in sorted(route.methods):
                    said = route if whole else getattr(route, "dependencies", ())
                    yield method, prefix + route.path, said
            else:
                yield "GET", prefix + route.path, route if whole else ()  # a mount

    return sorted(walk(app.routes, ""), key=lambda each: each[:2])
