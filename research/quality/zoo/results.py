"""The rows of many worlds side by side, ready to be compared."""

from __future__ import annotations

import json
import lzma
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgeted.errors import RunnerError
from budgeted.files import write_atomically
from budgeted.learners.belief import Floats
from research.quality.zoo.plays import WorldFile, read_judged
from research.quality.zoo.tables import TABLES
from research.quality.zoo.traits import STRATA

_COLUMNS = ("error", "predicted", "low", "high", "seconds")


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
    """Everything that was computed in the worlds that all have in common."""

    majority: Floats  # for each world the error of always saying the most frequent label
    strata: tuple[tuple[str, ...], ...]  # for each world where it belongs
    # "entry / learner" → how it did; the order is that of the first file
    looks: Mapping[str, Looks]
    left_out: int = 0  # how many worlds lack some of them
    code: str = ""  # fingerprint of the code that judged

    @cached_property
    def members(self) -> dict[str, NDArray[np.bool_]]:
        """Which worlds belong to each stratum; only strata that can be compared, with two or more.

        A mean of one world has no standard error.
        """
        named = dict.fromkeys((*STRATA, *TABLES))
        found = {name: np.array([name in each for each in self.strata]) for name in named}
        return {name: each for name, each in found.items() if each.sum() > 1}

    @classmethod
    def read(cls, folder: Path, entries: Sequence[str] = ()) -> Results:
        """Return what is in the files of a folder, of these entries or of all."""
        found = [each for path in sorted(folder.glob("*.jsonl")) if (each := read_judged(path))]
        codes = sorted({each.facts["fingerprint"] for each in found})
        if len(codes) != 1:
            what = f"of different code ({', '.join(codes)})" if codes else "not there"
            raise RunnerError(f"{folder}: results are {what}, so that nothing can be compared")
        return replace(cls.of(found, entries), code=codes[0])

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


def keep(results: Results, path: Path, source: str, code: str) -> None:
    """Write results to one small file, to be kept with the code; errors to five digits."""
    looks = {
        name: {key: _rounded(getattr(each, key)) for key in _COLUMNS}
        for name, each in results.looks.items()
    }
    document = {
        "source": source,
        "code": code,
        "majority": np.round(results.majority, 5).tolist(),
        "strata": results.strata,
        "looks": looks,
    }
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, lzma.compress(text.encode(), preset=9))


def kept(path: Path) -> Results:
    """Return what `keep` wrote."""
    try:
        found = json.loads(lzma.decompress(path.read_bytes()))
        looks = {
            name: Looks(*(np.array(each[key], dtype=float) for key in _COLUMNS))
            for name, each in found["looks"].items()
        }
        strata = tuple(tuple(each) for each in found["strata"])
        return Results(np.array(found["majority"]), strata, looks, code=found["code"])
    except (OSError, EOFError, lzma.LZMAError, ValueError, KeyError, TypeError) as error:
        raise RunnerError(f"{path}: cannot be read: {error!r}") from error


def _rounded(numbers: Floats) -> list[Any]:
    plain: list[Any] = np.round(numbers, 5).tolist()
    return [[None if isnan(each) else each for each in row] for row in plain]


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

    return Looks(*map(column, _COLUMNS))
