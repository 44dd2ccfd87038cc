"""Build the documentation as a site, without a warning, and follow every link within it.

    python tools/build_site.py [FOLDER]

The site needs no server and nothing from elsewhere: open FOLDER/index.html.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parent.parent
FETCHED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}
"""What a browser fetches by itself, which must be of the site; other links may lead out of it."""


class Page(HTMLParser):
    """The links of a page, what it fetches, and the places in it that links may name."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.places: set[str] = set()
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag refers to, and what it is called."""
        given = {name: value for name, value in attrs if value is not None}
        self.places |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif tag in FETCHED and FETCHED[tag] in given:
            self.fetched.append(given[FETCHED[tag]])


def build(folder: Path) -> None:
    """Build the site into a folder; a warning is an error."""
    subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)],
        cwd=ROOT,
        check=True,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT / "tools"),
            "NO_MKDOCS_2_WARNING": "1",  # it is no warning about this site
        },
    )


def mistakes(folder: Path) -> Iterator[str]:
    """Yield the links that lead nowhere, and what would be fetched from elsewhere."""
    pages = {file: Page(file) for file in sorted(folder.rglob("*.html"))}
    for file, page in pages.items():
        where = file.relative_to(folder)
        for target in page.fetched:
            if urlsplit(target).netloc:
                yield f"{where} fetches {target}"
        for target in [*page.links, *page.fetched]:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc or where.name == "404.html":
                continue  # the page for what is not there has addresses from the top of a server
            found = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            if found.is_dir():
                found /= "index.html"
            if not found.exists():
                yield f"{where} leads to {target}, which is not there"
            elif parts.fragment and found in pages:
                place = unquote(parts.fragment)
                if place not in pages[found].places and not place.startswith("__"):
                    yield f"{where} leads to {target}: there is no such place on that page"


def main() -> None:
    """Build, check, and say where the site is."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "site").resolve()
    build(folder)
    found = list(mistakes(folder))
    for each in found:
        print(each, file=sys.stderr)
    if found:
        sys.exit(1)
    print(f"{sum(1 for _ in folder.rglob('*.html'))} pages: open {folder / 'index.html'}")


if __name__ == "__main__":
    main()
