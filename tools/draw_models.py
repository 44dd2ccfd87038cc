"""Take the picture of docs/models.md: the page of a model, and its score sheet.

    python tools/draw_models.py

The model is that of the example study with all its answers. Chromium must be there.
"""

from __future__ import annotations

import base64
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

TARGET = Path(__file__).resolve().parent.parent / "docs" / "models.webp"
BESIDE = """async (pictures) => {
  const found = await Promise.all(pictures.map(async (each) => {
    const image = new Image();
    image.src = `data:image/png;base64,${each}`;
    await image.decode();
    return image;
  }));
  const canvas = document.createElement("canvas"), gap = 24;
  canvas.width = found.reduce((sum, each) => sum + each.width, gap * (found.length - 1));
  canvas.height = Math.max(...found.map((each) => each.height));
  const pen = canvas.getContext("2d");
  pen.fillStyle = "#ffffff";
  pen.fillRect(0, 0, canvas.width, canvas.height);
  let at = 0;
  for (const each of found) { pen.drawImage(each, at, 0); at += each.width + gap; }
  return canvas.toDataURL("image/webp", 0.3).split(",")[1];
}"""


def run(folder: str, *words: str) -> None:
    """Run a command of the package."""
    subprocess.run((sys.executable, "-m", "budgeted", *words), cwd=folder, check=True)


def main() -> None:
    """Make the study, its page and its sheet, and take the picture."""
    program = next(filter(None, map(shutil.which, ("chromium", "google-chrome"))), None)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        run(folder, "study", "example", ".")
        run(folder, "study", "new", "study.toml", "--cases", "cases.csv")
        run(folder, "study", "import", "answers.csv")
        run(folder, "study", "model", "--format", "html", "--out", "page.html")
        run(folder, "study", "model", "--format", "score-sheet", "--out", "sheet.html")
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        pictures = []
        for name, width in (("page.html", 860), ("sheet.html", 640)):
            page = browser.new_page(viewport={"width": width, "height": 640})
            page.goto((Path(folder) / name).as_uri())
            if name == "page.html":
                page.select_option("#feature-0", label="low")
                page.select_option("#feature-2", label="raised")
            pictures.append(base64.b64encode(page.screenshot(full_page=True)).decode())
        blank = browser.new_page()
        TARGET.write_bytes(base64.b64decode(blank.evaluate(BESIDE, pictures)))
        blank.goto("about:blank")
        browser.close()


if __name__ == "__main__":
    main()
