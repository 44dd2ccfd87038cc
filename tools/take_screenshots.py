"""Take the pictures in docs/web: every page with the sample study, in a real browser.

    python tools/take_screenshots.py

Needs the extras of the development environment and a Chromium.
"""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from socket import socket
from typing import Any

from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from budgeted.studies.example import cases

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "web"
TAKEN = ROOT / "results" / "screenshots"
LARGEST = 90_000
"""Bytes of a picture; a larger one makes every clone slower."""
QUALITY = 0.3
"""Of WebP: letters stay sharp."""
_TO_WEBP = """async ([png, quality]) => {
  const picture = new Image();
  picture.src = "data:image/png;base64," + png;
  await picture.decode();
  const canvas = document.createElement("canvas");
  canvas.width = picture.width;
  canvas.height = picture.height;
  canvas.getContext("2d").drawImage(picture, 0, 0);
  return canvas.toDataURL("image/webp", quality).split(",")[1];
}"""
_DESKTOP: ViewportSize = {"width": 1200, "height": 860}
_TALL: ViewportSize = {"width": 1200, "height": 1500}
_FEATURES = ("ferritin", "transferrin", "crp", "mcv")
_PASSWORD = "only for the picture"


def main() -> None:
    """Take all pictures."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    TAKEN.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        path = next(filter(None, map(shutil.which, ("chromium", "google-chrome"))), None)
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        with served(Path(folder), "--example") as url:
            desktop = browser.new_page(viewport=_DESKTOP)
            take_pages(desktop, url)
            take_new_study(desktop, url)
            desktop.goto(f"{url}/studies")
            shoot(desktop, "studies", height=420)
            take_small_ones(browser, url)
        take_login(browser, Path(folder))
        convert(browser.new_page())
        browser.close()
    for picture in sorted(PICTURES.glob("*.webp")):
        size = picture.stat().st_size
        print(f"{picture.relative_to(ROOT)}: {size // 1000} kB")
        if size > LARGEST:
            sys.exit(f"{picture.name} is larger than {LARGEST // 1000} kB")


def take_pages(page: Page, url: str) -> None:
    """Take the pages of the sample study."""
    study = f"{url}/studies/anaemia"
    page.goto(study)
    drawn(page, 4)
    shoot(page, "study")
    page.locator(".columns").last.screenshot(path=TAKEN / "charts.png")
    page.locator("#forecast-button").click()
    page.locator("#forecast-words").wait_for(timeout=180_000)
    page.get_by_text("With more or less money").click()
    page.wait_for_timeout(1_000)  # the chart is drawn anew
    page.set_viewport_size(_TALL)
    page.locator("#forecast").screenshot(path=TAKEN / "forecast.png")
    page.set_viewport_size(_DESKTOP)
    card = page.locator(".card").first
    card.get_by_text("Why this one?").click()
    card.get_by_text("It failed").click()
    page.set_viewport_size(_TALL)  # what does not fit into the window may not be painted in time
    card.screenshot(path=TAKEN / "request.png")
    page.set_viewport_size(_DESKTOP)
    for name, path, height in (
        ("worklist", "worklist", 420),
        ("results", "results", 760),
        ("cases", "cases", 640),
        ("case", "cases/P01", 900),
        ("manage", "manage", 900),
        ("report", "report", 1000),
    ):
        page.goto(f"{study}/{path}")
        page.wait_for_load_state("networkidle")
        shoot(page, name, height=height)
    page.goto(f"{study}/history")
    shoot(page, "history")
    page.goto(f"{study}/model?known=1%3Dlow&known=3%3Dlow")
    shoot(page, "model", height=900)
    page.goto(f"{study}/requests/1/correct")
    shoot(page, "correct", height=720)


def take_new_study(page: Page, url: str) -> None:
    """Take a step of a new study."""
    page.goto(f"{url}/studies/new")
    table = "Patient;Diagnose;Ferritin;Hb\n" + "".join(
        f"{case};{label};{12 + 7 * at},5;{'' if at % 3 else 'low'}\n"
        for at, (case, label) in enumerate(cases()[:12])
    )
    page.locator("#cases").set_input_files(upload("cases.csv", table.encode()))
    page.locator("form:has(#cases) button").last.click()
    page.wait_for_load_state("networkidle")
    shoot(page, "new-columns", height=760)


def take_small_ones(browser: Browser, url: str) -> None:
    """Take the page of the study on a phone."""
    phone = browser.new_page(viewport={"width": 375, "height": 780}, device_scale_factor=1.5)
    phone.goto(f"{url}/studies/anaemia")
    drawn(phone, 4)
    shoot(phone, "phone")


def take_login(browser: Browser, folder: Path) -> None:
    """Take the door of a server where people log in."""
    file = folder / "passwords"
    command = ("serve-password", "anna", "--file", str(file), "--password", _PASSWORD)
    subprocess.run(
        [sys.executable, "-m", "budgeted", *command], check=True, stdout=subprocess.DEVNULL
    )
    with served(folder, "--password-file", str(file)) as url:
        page = browser.new_page(viewport={"width": 1200, "height": 560})
        page.goto(url)
        shoot(page, "login")


def shoot(page: Page, name: str, height: int | None = None, whole: bool = False) -> None:
    """Take a picture of what the window shows, or of the whole page."""
    page.evaluate("() => { document.activeElement.blur(); scrollTo(0, 0); }")
    page.wait_for_timeout(300)  # what was not in the window before is painted then
    options: dict[str, Any] = {"full_page": whole}
    if height is not None:
        width = (page.viewport_size or {"width": 1200})["width"]
        options["clip"] = {"x": 0, "y": 0, "width": width, "height": height}
        options["full_page"] = True
    page.screenshot(path=TAKEN / f"{name}.png", **options)


def convert(page: Page) -> None:
    """Write the pictures as WebP, less than half the size; a browser converts them itself."""
    for taken in sorted(TAKEN.glob("*.png")):
        given = [base64.b64encode(taken.read_bytes()).decode(), QUALITY]
        found = base64.b64decode(page.evaluate(_TO_WEBP, given))
        (PICTURES / f"{taken.stem}.webp").write_bytes(found)


def drawn(page: Page, charts: int) -> None:
    """Wait until all charts are there; a chart is drawn when it comes into view."""
    for chart in page.locator("[data-chart]").all():
        chart.scroll_into_view_if_needed()
        page.wait_for_timeout(200)
    page.wait_for_function(
        "number => document.querySelectorAll('[data-drawn]').length === number", arg=charts
    )


def upload(name: str, content: bytes) -> Any:
    """Return a file as the browser takes it."""
    return {"name": name, "mimeType": "text/plain", "buffer": content}


@contextmanager
def served(folder: Path, *options: str) -> Iterator[str]:
    """Run a server on a free port, and yield its address."""
    with socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = ("serve", "--db", str(folder / "studies.db"), "--port", str(port), *options)
    process = subprocess.Popen(
        [sys.executable, "-m", "budgeted", *command],
        stdout=subprocess.DEVNULL,
        env=os.environ | {"LOGNAME": "anna"},
    )
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(200):
            try:
                with urllib.request.urlopen(f"{url}/health", timeout=5):
                    break
            except (urllib.error.URLError, OSError):
                time.sleep(0.1)
        yield url
    finally:
        process.terminate()
        process.wait(timeout=20)


if __name__ == "__main__":
    main()
