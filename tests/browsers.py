"""A real browser and a real server for the tests of the pages.

Debian's Chromium is taken where it is, else Playwright's; where there is none, one is installed if
that is possible. With CI set in the environment a missing browser is a failure, not a skip.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
OPTIONS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
)  # fmt: skip
DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 375, "height": 740}
_PATIENCE = 20_000
"""Milliseconds: on a crowded machine a page takes its time, and no test may flicker."""
HOW = (
    "there is no browser for the tests of the pages; on Debian: apt-get install chromium, "
    "elsewhere: python -m playwright install --with-deps chromium"
)


def find_browser(playwright):
    """Return the path of a Chromium, or None."""
    for name in NAMES:
        found = shutil.which(name)
        if found:
            return found
    own = Path(playwright.chromium.executable_path)
    return str(own) if own.exists() else None


def install_browser():
    """Try to install one: by the system's packages as root, else Playwright's own build.

    Several test processes may come here at once: the first tries, the others wait for it.
    """
    marker = Path(tempfile.gettempdir()) / f"budgeted-browser-{os.getuid()}"
    lock = marker.with_suffix(".lock")
    try:
        lock.touch(exist_ok=False)
    except FileExistsError:
        for _ in range(600):
            if marker.exists():
                return
            time.sleep(0.5)
        return
    try:
        if os.geteuid() == 0 and shutil.which("apt-get"):
            _run("apt-get", "-qq", "update")
            _run("apt-get", "-qq", "install", "-y", "--no-install-recommends", "chromium")
        if not any(map(shutil.which, NAMES)):
            _run(sys.executable, "-m", "playwright", "install", "chromium")
        marker.touch()
    finally:
        lock.unlink()


def _run(*command):
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    try:
        subprocess.run(command, check=False, timeout=280, **quiet)
    except (OSError, subprocess.TimeoutExpired):
        return


@contextmanager
def chromium():
    """Yield a running browser; skip the test, or fail it in CI, where there is none."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=_PATIENCE)
    with sync_playwright() as playwright:
        path = find_browser(playwright)
        if path is None:
            install_browser()
            path = find_browser(playwright)
        if path is None:
            (pytest.fail if os.environ.get("CI") else pytest.skip)(HOW)
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


def accessibility_problems(page):
    """Return what axe-core finds serious or critical on a page, in words."""
    page.evaluate(f"() => {{ {_axe()} }}")
    found = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{each['id']} ({each['impact']}): {each['help']}: {node['html'][:160]}"
        for each in found["violations"]
        if each["impact"] in ("serious", "critical")
        for node in each["nodes"]
    ]


def _axe():
    return (HERE / "vendor" / "axe.min.js").read_text(encoding="utf-8")


def widest(page):
    """Return by how many pixels the page is wider than its window."""
    return page.evaluate(
        "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
