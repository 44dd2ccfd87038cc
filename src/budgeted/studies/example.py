"""A small study to start from: which blood tests tell two kinds of anaemia apart?

The patients and their results are invented; the shares are of the size that textbooks give.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from budgeted.errors import StudyError
from budgeted.seeds import stream
from budgeted.studies.log import as_csv

STUDY = """\
# Sixty patients with anaemia; later tests showed which kind each of them has. Blood samples are
# frozen, and every test on one costs money. Which tests, on whom, for 400?
name = "anaemia"
budget = "400.00"
labels = ["iron-deficiency", "chronic-disease"]
prior = [0.6, 0.4]      # shares in the clinic; without this line: those of the cases
seed = 7
loss = "gini"           # or "entropy", "zero_one"

[policy]                # without this table it is the same one, the default
name = "auto"           # the others: budgeted policies

[[features]]
name = "ferritin"
values = ["low", "normal", "high"]
cost = "18.00"
prior_counts = 1        # for all values; or one per value; or a row of those per label

[[features]]
name = "transferrin"
values = ["low", "normal", "high"]
cost = "14.50"

[[features]]
name = "crp"
values = ["normal", "raised"]
cost = "9.50"

[[features]]
name = "mcv"
values = ["low", "normal"]
cost = "4.00"
"""

LABELS = ("iron-deficiency", "chronic-disease")
SHARES = {
    "ferritin": (("low", "normal", "high"), ((0.85, 0.13, 0.02), (0.05, 0.45, 0.50))),
    "transferrin": (("low", "normal", "high"), ((0.05, 0.35, 0.60), (0.55, 0.40, 0.05))),
    "crp": (("normal", "raised"), ((0.75, 0.25), (0.20, 0.80))),
    "mcv": (("low", "normal"), ((0.70, 0.30), (0.35, 0.65))),
}
CASES = 60
_NEW = (("A", "low", ""), ("B", "", "raised"))


def write_example(folder: str | Path) -> tuple[Path, Path, Path, Path]:
    """Write study.toml, cases.csv, answers.csv and new.csv into a folder; nothing is overwritten.

    The last holds two new patients, known in part, whose kind of anaemia is to be predicted.
    """
    target = Path(folder)
    files = {
        target / "study.toml": STUDY,
        target / "cases.csv": as_csv(("case", "label"), cases()),
        target / "answers.csv": as_csv(("case", *SHARES), answers()),
        target / "new.csv": as_csv(("case", "ferritin", "crp"), _NEW),
    }
    there = [str(path) for path in files if path.exists()]
    if there:
        raise StudyError(f"{', '.join(there)}: exists already; name another folder")
    try:
        target.mkdir(parents=True, exist_ok=True)
        for path, content in files.items():
            path.write_text(content, encoding="utf-8")
    except OSError as error:
        raise StudyError(f"{target}: cannot be written: {error.strerror or error}") from error
    study, listed, told, new = files
    return study, listed, told, new


def cases() -> list[tuple[str, str]]:
    """Return the patients and the kind of their anaemia."""
    rng = stream(2026, 0)
    kinds = rng.permutation(np.arange(CASES) % 5 >= 3)
    return [(f"P{number:02}", LABELS[int(kind)]) for number, kind in enumerate(kinds, start=1)]


def answers() -> list[list[str]]:
    """Return what every test of every patient would say."""
    rng = stream(2026, 1)
    rows = []
    for case, label in cases():
        kind = LABELS.index(label)
        drawn = [values[int(rng.choice(len(values), p=shares[kind]))]
                 for values, shares in SHARES.values()]  # fmt: skip
        rows.append([case, *drawn])
    return rows
