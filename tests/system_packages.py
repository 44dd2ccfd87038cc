"""Programs that some tests need and that pip does not bring: Chromium, nginx and Node.

No test installs anything. A test takes what is there, with `path = system_packages.require(NGINX)`;
where it is missing the test is skipped and says what to do, and with CI set in the environment it
fails. To install what is missing, with all that the package manager says on the screen:

    make browser        Chromium
    make proxy          nginx (Debian's package starts it as a service; stop that if unwanted)
    make node           Node

`make test` does all of it by itself if CI is set, and only then.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

SEARCH = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/sbin", "/usr/local/sbin"))
"""Where programs are looked for: Debian keeps nginx where a plain user does not look."""


@dataclass(frozen=True)
class Program:
    """A program, by the names that it has, and the Debian package that brings it."""

    package: str
    names: tuple[str, ...]
    purpose: str
    target: str
    elsewhere: str = ""
    """What to do where there is no apt-get, if more can be said than "install it"."""

    @property
    def how(self) -> str:
        """Say what is missing and how to get it, in one line."""
        other = f", elsewhere: {self.elsewhere}" if self.elsewhere else ""
        return (
            f"there is no {self.package} for the tests of {self.purpose}; on Debian: "
            f"make {self.target} as root, or apt-get install {self.package}{other}"
        )


CHROMIUM = Program(
    "chromium",
    ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome"),
    "the pages",
    "browser",
    "python -m playwright install --with-deps chromium",
)
NGINX = Program("nginx", ("nginx",), "the server behind a proxy", "proxy")
NODE = Program("nodejs", ("node", "nodejs"), "the page of a model", "node")
PROGRAMS = {each.package: each for each in (CHROMIUM, NGINX, NODE)}


def find(program: Program) -> str | None:
    """Return the path of a program, or None; Chromium may also be Playwright's own."""
    for name in program.names:
        if found := shutil.which(name, path=SEARCH):
            return found
    return _of_playwright() if program is CHROMIUM else None


def require(program: Program) -> str:
    """Return the path of a program; skip the test where there is none, or fail it in CI."""
    if found := find(program):
        return found
    return (pytest.fail if os.environ.get("CI") else pytest.skip)(program.how)


def install(*programs: Program) -> None:
    """Install what is missing, and let everybody see it: apt-get as root, else Playwright."""
    missing = [each for each in programs if find(each) is None]
    packages = [each.package for each in missing]
    if missing and os.geteuid() == 0 and shutil.which("apt-get", path=SEARCH):
        _run("apt-get", "update")
        _run("apt-get", "install", "--yes", "--no-install-recommends", *packages)
    if CHROMIUM in missing and find(CHROMIUM) is None:
        _run(sys.executable, "-m", "playwright", "install", "chromium")


def _of_playwright() -> str | None:
    # Playwright is asked in a process of its own: within one that has an event loop it refuses.
    program = (
        "from playwright.sync_api import sync_playwright as start\n"
        "with start() as playwright: print(playwright.chromium.executable_path)"
    )
    asked = subprocess.run(
        (sys.executable, "-c", program), check=False, capture_output=True, text=True
    )
    path = asked.stdout.strip()
    return path if asked.returncode == 0 and Path(path).exists() else None


def _run(*command: str) -> None:
    sys.stdout.write(f"$ {' '.join(command)}\n")
    sys.stdout.flush()
    subprocess.run(command, check=False, env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"})


def main(names: list[str]) -> int:
    """Install the named programs, or all; say where each one is. The exit code says if all are."""
    unknown = [name for name in names if name not in PROGRAMS]
    if unknown:
        sys.stderr.write(f"there is no {unknown[0]!r}; there are: {', '.join(PROGRAMS)}\n")
        return 2
    wanted = [PROGRAMS[name] for name in names or PROGRAMS]
    install(*wanted)
    paths = {each: find(each) for each in wanted}
    for program, path in paths.items():
        sys.stdout.write(f"{program.package}: {path or program.how}\n")
    return 0 if all(paths.values()) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
