"""What is kept in the repository stays small enough to clone on a slow line."""

import subprocess
import zlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MOST_PACKED = 4_000_000
"""Bytes of all files, each packed, much as a shallow clone receives them."""
MOST_MADE = 2_650_000
"""Of what a command made, or somebody else: pictures, results, samples of formats, tables, scripts.

Code and words may grow.
"""
MADE = (
    "docs/reproduction/", "docs/web/", "docs/benchmark/", "docs/demo.svg",
    "docs/diagnosing.svg", "docs/planning.svg",
    "research/quality/kept/", "tests/frozen/", "src/budgeted/simulation/datasets/uci/",
    "src/budgeted/web/static/vendor/", "tests/golden/",
)  # fmt: skip


@pytest.fixture(scope="module")
def tracked():
    if not (ROOT / ".git").exists():
        pytest.skip("this is not a clone")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    return [ROOT / name for name in listed.stdout.decode().split("\0") if name]


def test_all_files_together_are_small(tracked):
    assert len(tracked) > 300
    packed = (len(zlib.compress(path.read_bytes())) for path in tracked if path.exists())
    assert sum(packed) < MOST_PACKED


def test_what_commands_make_stays_small(tracked):
    made = [path for path in tracked if path.relative_to(ROOT).as_posix().startswith(MADE)]
    assert len(made) > 50
    assert sum(path.stat().st_size for path in made if path.exists()) < MOST_MADE


def test_figures_are_drawn_and_not_painted(tracked):
    """SVG for figures; a screenshot is WebP, a third of its PNG."""
    assert not [path for path in tracked if path.suffix in {".png", ".jpg", ".gif"}]
    assert [path for path in tracked if path.suffix == ".webp"]


def test_the_tests_mirror_the_package():
    """What is tested is found in the folder of its package; three more are beside it."""
    packages = {each.parent.name for each in (ROOT / "src" / "budgeted").glob("*/__init__.py")}
    folders = {each.parent.name for each in (ROOT / "tests").glob("*/__init__.py")}
    assert folders - {"crashes", "golden", "research"} == packages
