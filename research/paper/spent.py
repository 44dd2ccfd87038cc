"""What computing the runs of a page took, kept with them: a page may be written in many sittings."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from budgeted.files import write_atomically

_FILE = "reproduction-spent.json"


@dataclass(frozen=True)
class Spent:
    """What was computed by one fingerprint, and what it took.

    >>> Spent(10, 2.0, 3.5) + Spent(5, 1.0, 1.5)
    Spent(runs=15, minutes=3.0, processor=5.0)
    """

    runs: int = 0
    minutes: float = 0.0
    processor: float = 0.0

    def __add__(self, other: Spent) -> Spent:
        return Spent(
            self.runs + other.runs,
            self.minutes + other.minutes,
            self.processor + other.processor,
        )


def add(folder: Path, fingerprint: str, more: Spent) -> Spent:
    """Return all that was spent on runs of this fingerprint, with what is added now.

    Parameters
    ----------
    folder
        Of the runs.
    fingerprint
        Of the code that computed them.
    more
        What this sitting computed; if it computed nothing, nothing is added.
    """
    path = folder / _FILE
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    total = Spent(**known.get(fingerprint, {}))
    if more.runs:
        total += more
        write_atomically(path, json.dumps({**known, fingerprint: asdict(total)}).encode())
    return total
