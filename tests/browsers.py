"""A real browser and a real server for the tests of the pages.

Debian's Chromium is taken where it is, else Playwright's; where there is none, these tests are
skipped with a word on how to get one (system_packages.py). In CI that is a failure.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from urllib.parse import quote, urlsplit

from tests import system_packages

ROOT = Path(__file__).resolve().parent.parent
OPTIONS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
)  # fmt: skip
DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 375, "height": 740}
_PATIENCE = 20_000
"""Milliseconds: on a crowded machine a page takes its time, and no test may flicker."""


@contextmanager
def chromium():
    """Yield a running browser; skip the test, or fail it in CI, where there is none."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=_PATIENCE)
    path = system_packages.require(system_packages.CHROMIUM)
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=list(OPTIONS))
        try:
            yield running
        finally:
            running.close()


class Server:
    """A `budgeted serve` of its own, with an empty database."""

    def __init__(self, folder, *options):
        self.folder, self.options = folder, options
        self.database = str(folder / "studies.db")
        self.port = _free_port()
        self.process = None
        self.url = f"http://127.0.0.1:{self.port}"

    def study_url(self, name, page=""):
        return f"{self.url}/studies/{quote(name, safe='')}{page}"

    @contextmanager
    def running(self):
        command = (sys.executable, "-m", "budgeted", "serve", "--db", self.database,
                   "--port", str(self.port), *self.options)  # fmt: skip
        said = self.folder / "server.log"
        environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "LOGNAME": "anna"}
        with said.open("w") as log:
            process = subprocess.Popen(
                command, cwd=self.folder, stdout=log, stderr=log, env=environment
            )
            self.process = process
            try:
                self._wait(process, said)
                yield self
            finally:
                process.terminate()
                try:
                    process.wait(timeout=15)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()

    def _wait(self, process, said):
        for _ in range(600):
            if process.poll() is not None:
                break
            try:
                with urllib.request.urlopen(f"{self.url}/health", timeout=5):
                    return
            except (urllib.error.URLError, OSError):
                time.sleep(0.1)
        raise AssertionError(f"the server does not start: {said.read_text()}")


class Watched:
    """A browser window with its own cookies; what goes wrong in it is remembered.

    Attributes
    ----------
    complaints
        Errors on the console, uncaught ones, and requests that left the host.
    """

    def __init__(self, browser, server, viewport=None, **options):
        self.server = server
        self.complaints = []
        self.context = browser.new_context(viewport=viewport or DESKTOP, **options)
        self.context.set_default_timeout(_PATIENCE)
        self.context.on("request", self._on_request)
        self.context.on("weberror", lambda each: self.complaints.append(str(each.error)))
        self.context.on("console", self._on_console)

    def page(self, url=None):
        page = self.context.new_page()
        if url:
            page.goto(url)
        return page

    def _on_request(self, request):
        parts = urlsplit(request.url)
        if parts.scheme not in ("data", "blob", "about") and (
            parts.hostname != "127.0.0.1" or parts.port != self.server.port
        ):
            self.complaints.append(f"a request left the host: {request.url}")

    def _on_console(self, message):
        if message.type in ("error", "warning"):
            self.complaints.append(f"{message.type} on the console: {message.text}")

    def expect_refusal(self, *words):
        """Forget what the browser itself says on the console of an answer that is an error."""
        self.complaints = [
            each for each in self.complaints
            if not ("Failed to load resource" in each and any(word in each for word in words))
        ]  # fmt: skip


@contextmanager
def window(browser, server, viewport=None, **options):
    """Yield a watched window; in the end there must be no complaints."""
    watched = Watched(browser, server, viewport, **options)
    try:
        yield watched
        assert not watched.complaints, "\n".join(watched.complaints)
    finally:
        watched.context.close()


def accessibility_problems(page, *, every=False):
    """Return what axe-core finds serious or critical on a page, or whatever it finds, in words."""
    page.evaluate(f"() => {{ {_axe()} }}")
    found = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{each['id']} ({each['impact']}): {each['help']}: {node['html'][:160]}"
        for each in found["violations"]
        if every or each["impact"] in ("serious", "critical")
        for node in each["nodes"]
    ]


def _axe():
    return (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


def widest(page):
    """Return by how many pixels the page is wider than its window."""
    return page.evaluate(
        "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
