"""The rows of many worlds side by side, ready to be compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmark.zoo.files import WorldFile, read
from benchmark.zoo.traits import STRATA
from budgeted.belief import Floats
from budgeted.errors import RunnerError


@dataclass(frozen=True)
class Looks:
    """An entry with a learner, in all worlds: arrays of worlds × looks.

    What the predictor says of itself is NaN where it says nothing.
    """

    error: Floats
    predicted: Floats
    low: Floats
    high: Floats
    seconds: Floats

    @property
    def end(self) -> Floats:
        """For each world the error when the money is spent."""
        result: Floats = self.error[:, -1]
        return result

    @property
    def on_the_way(self) -> Floats:
        """For each world the mean error over the looks."""
        result: Floats = self.error.mean(axis=1)
        return result

    def where(self, inside: NDArray[np.bool_]) -> Looks:
        """Return the same in some of the worlds."""
        arrays = (self.error, self.predicted, self.low, self.high, self.seconds)
        return Looks(*(each[inside] for each in arrays))


@dataclass(frozen=True)
class Results:
    """Everything that was computed in the worlds that all have in common.

    Attributes
    ----------
    majority
        For each world the error of always saying the most frequent label.
    strata
        For each world where it belongs.
    looks
        "entry / learner" → how it did; the order is that of the first file.
    left_out
        How many worlds lack some of them.
    """

    majority: Floats
    strata: tuple[tuple[str, ...], ...]
    looks: Mapping[str, Looks]
    left_out: int = 0

    @cached_property
    def members(self) -> dict[str, NDArray[np.bool_]]:
        """Which worlds belong to each stratum; only strata that can be compared, with two or more.

        A mean of one world has no standard error.
        """
        found = {name: np.array([name in each for each in self.strata]) for name in STRATA}
        return {name: each for name, each in found.items() if each.sum() > 1}

    @classmethod
    def read(cls, folder: Path, entries: Sequence[str] = ()) -> Results:
        """Return what is in the files of a folder, of these entries or of all."""
        found = [each for path in sorted(folder.glob("*.jsonl")) if (each := read(path))]
        codes = sorted({each.facts["fingerprint"] for each in found})
        if len(codes) != 1:
            what = f"of different code ({', '.join(codes)})" if codes else "not there"
            raise RunnerError(f"{folder}: results are {what}, so that nothing can be compared")
        return cls.of(found, entries)

    @classmethod
    def of(cls, found: Sequence[WorldFile], entries: Sequence[str] = ()) -> Results:
        """Return the worlds that have rows of everybody."""
        rows = [_by_name(each.rows, entries) for each in found]
        names = list(dict.fromkeys(name for each in rows for name in each))
        whole = [at for at, each in enumerate(rows) if len(each) == len(names)]
        if not names or not whole:
            raise RunnerError("no world has rows of all entries; run them first")
        return cls(
            np.array([found[at].facts["majority_error"] for at in whole]),
            tuple(tuple(found[at].facts["strata"]) for at in whole),
            {name: _looks([rows[at][name] for at in whole]) for name in names},
            len(found) - len(whole),
        )


def _by_name(
    rows: Sequence[dict[str, Any]], entries: Sequence[str]
) -> dict[str, list[dict[str, Any]]]:
    result: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        if not entries or row["entry"] in entries:
            result.setdefault(f"{row['entry']} / {row['learner']}", []).append(row)
    return result


def _looks(worlds: Sequence[Sequence[dict[str, Any]]]) -> Looks:
    def column(key: str) -> Floats:
        return np.array([[row[key] for row in world] for world in worlds], dtype=float)

    return Looks(*map(column, ("error", "predicted", "low", "high", "seconds")))
