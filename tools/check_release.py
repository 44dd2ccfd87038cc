"""Build what a release consists of, check it, and try it as somebody would who installs it.

    python tools/check_release.py [FOLDER]

The wheel and the source archive are built into FOLDER (dist), twine and check-wheel-contents look
them over, the wheel is installed into a fresh environment with the extras that the tutorials need,
and the tutorials run there: as doctests, outside of the repository. It needs a package index and
takes a few minutes.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXTRAS = "dataframes,experiments,sklearn,studies"
"""What the tutorials need besides the base."""
BESIDES = ("pandas",)
"""What they install themselves."""
TRY = """
import doctest, sys
import budgeted
assert {root!r} not in budgeted.__file__, budgeted.__file__
failed, tried = doctest.testfile(sys.argv[1], module_relative=False)
print(f"{{sys.argv[1].rpartition('/')[2]}}: {{tried}} examples, {{failed}} failed")
sys.exit(bool(failed))
"""


def run(*command: object, cwd: Path = ROOT) -> None:
    """Show a command and run it; one that fails ends everything."""
    print("$", " ".join(map(str, command)), flush=True)
    subprocess.run([str(each) for each in command], cwd=cwd, check=True)


def main() -> None:
    """Build, look over, install and try."""
    dist = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "dist").resolve()
    shutil.rmtree(dist, ignore_errors=True)
    run(sys.executable, "-m", "build", "--outdir", dist)
    built = sorted(dist.iterdir())
    run(sys.executable, "-m", "twine", "check", "--strict", *built)
    (wheel,) = dist.glob("*.whl")
    run(sys.executable, "-m", "check_wheel_contents", wheel)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        venv.create(folder / "fresh", with_pip=True)
        python = folder / "fresh" / "bin" / "python"
        run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
            "-c", ROOT / "constraints.txt", f"{wheel}[{EXTRAS}]", *BESIDES)  # fmt: skip
        run(folder / "fresh" / "bin" / "budgeted", "--version", cwd=folder)
        for page in sorted((ROOT / "docs" / "tutorials").glob("*.md")):
            run(python, "-c", TRY.format(root=str(ROOT)), page, cwd=folder)
    print(f"in {dist}: {', '.join(each.name for each in built)}")


if __name__ == "__main__":
    main()
