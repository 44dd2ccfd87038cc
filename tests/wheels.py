"""Wheels, packed as a build backend packs them, and fresh virtual environments to install them in.

What tests need of the dependencies is lent from the environment that runs the tests: they are not
what is tried.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLUGIN = ROOT / "examples" / "plugin"


def pack(project: Path, package: Path, version: str, folder: Path) -> Path:
    """Write the wheel of a pure Python project, without its build backend; return its path."""
    about = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    name = about["name"].replace("-", "_")
    info = f"{name}-{version}.dist-info"
    groups = dict(about.get("entry-points", {}))
    if "scripts" in about:
        groups["console_scripts"] = about["scripts"]
    entries = "\n".join(
        f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in those.items())
        for group, those in groups.items()
    )
    files = {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {about['name']}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\n"
                         "Tag: py3-none-any\n",
        f"{info}/entry_points.txt": entries,
    }  # fmt: skip
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        written = list(files)
        for each, text in files.items():
            wheel.writestr(each, text)
        for each in sorted(package.rglob("*")):
            if each.is_file() and "__pycache__" not in each.parts:
                inside = each.relative_to(package.parent).as_posix()
                wheel.write(each, inside)
                written.append(inside)
        record = "".join(f"{each},,\n" for each in (*written, f"{info}/RECORD"))
        wheel.writestr(f"{info}/RECORD", record)
    return path


class Environment:
    """A fresh virtual environment; what is installed in it is all that it has of its own."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder, with_pip=False, symlinks=True)
        self.folder = folder
        self.python = folder / "bin" / "python"
        self._plain = {key: value for key, value in os.environ.items()
                       if not key.startswith(("PYTHON", "VIRTUAL_ENV", "COVERAGE"))}  # fmt: skip

    def install(self, *what: object) -> None:
        """Let pip install something without its dependencies."""
        self.succeed(
            sys.executable, "-m", "pip", "--python", self.python, "install", "--quiet",
            "--no-deps", "--disable-pip-version-check", *what,
        )  # fmt: skip

    def lend_dependencies(self) -> None:
        """Let it import what the tests' environment has; its own packages come first."""
        own = sysconfig.get_path("purelib", vars={"base": str(self.folder)})
        (Path(own) / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n")

    def run(self, *command: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Run a command as this environment sees it."""
        return subprocess.run(
            list(map(str, command)), env=self._plain, cwd=cwd, capture_output=True, text=True,
            check=False,
        )  # fmt: skip

    def succeed(self, *command: object, cwd: Path | None = None) -> str:
        """Run a command that must end well; return what it printed."""
        done = self.run(*command, cwd=cwd)
        assert done.returncode == 0, done.stderr + done.stdout
        return done.stdout

    def budgeted(self, *words: object, cwd: Path | None = None) -> str:
        """Run the command `budgeted` that is installed here."""
        return self.succeed(self.folder / "bin" / "budgeted", *words, cwd=cwd)
