"""Runs of a forecast that are kept in a file: the same events need no second one.

A forecast of the same events is there at once, and given more time it goes on behind the runs that
there are. They are numbered, so that it does not matter whether they were made in one go. A file
holds those of one moment of a study: its first line says of which one, and what the runs say
together, and a line follows for each run. What was made of other events, or by other code, is not
gone on with. It is a cache: without it nothing is lost but time.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from budgeted.files import write_atomically
from budgeted.provenance import Provenance
from budgeted.studies.events import Entry, numbers_of
from budgeted.studies.forecast.runs import Run
from budgeted.studies.forecast.summary import LEAST, MOST, SECONDS, Forecast, more_runs, summary
from budgeted.studies.projection import fold

_FORMAT = 1


@dataclass(frozen=True)
class Head:
    """Of which moment of a study there is a forecast, and what it says.

    Attributes
    ----------
    events, last
        After how many events it was made, and a digest of the last of them.
    code
        By which code.
    at, seed
        At what time, and with which seed: runs behind the last one need the same.
    seconds
        How long it was given in all.
    forecast
        As `Forecast.to_plain` has it.
    """

    events: int
    last: str
    code: str
    at: str
    seed: int
    seconds: float
    forecast: dict[str, Any]

    def is_of(self, entries: Sequence[Entry]) -> bool:
        """Tell whether these entries, or the first ones of them, are what it was made of."""
        return 0 < self.events <= len(entries) and self.last == mark(entries[self.events - 1])


def mark(entry: Entry) -> str:
    """Return by what an entry is known: its place, its time, who wrote it, and what it is about.

    No value is part of it, since values may be forgotten later. The journal has a digest of all
    events, for those who must be certain that a history is the same.
    """
    facts = (entry.seq, entry.at, entry.by, entry.key, entry.command, entry.event.kind,
             numbers_of(entry.event))  # fmt: skip
    return hashlib.sha256(repr(facts).encode()).hexdigest()[:32]


def read_head(path: Path) -> Head | None:
    """Return what a file says of itself; None if there is none that can be read."""
    return _read(path, whole=False)[0]


def kept_forecast(
    path: Path,
    entries: Sequence[Entry],
    at: str,
    *,
    seconds: float = SECONDS,
    least: int = LEAST,
    most: int = MOST,
    seed: int = 0,
    pool: Callable[[], Executor | None] = lambda: None,
    workers: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Forecast:
    """Return a forecast; what is missing of it is made and kept.

    Parameters
    ----------
    path
        Where its runs are kept. Its folder must be there; if the file cannot be written, nothing is
        kept.
    entries, at, least, most, seed, workers, progress
        As of `budgeted.studies.forecast.forecast`.
    seconds
        How long it may take in all: what it took before is part of it.
    pool
        Called for a place to make runs in, if there is something to be made.
    """
    head, known = _read(path, whole=True)
    if head is None or not _goes_on(head, entries, seed):
        head, known = None, ()
    before = 0.0 if head is None else head.seconds
    projection = fold(None, entries, "this study")
    runs: Sequence[Run] = known[:most]
    if len(runs) < most and (len(runs) < least or before < seconds):
        since = at if head is None else head.at
        runs = more_runs(
            projection, entries, since, runs, seconds=max(0.0, seconds - before), least=least,
            most=most, seed=seed, pool=pool(), workers=workers, progress=progress,
        )  # fmt: skip
        said = summary(projection, len(entries), runs)
        made = Head(len(entries), mark(entries[-1]), code(), since, seed, max(before, seconds),
                    said.to_plain())  # fmt: skip
        with suppress(OSError):
            _write(path, made, runs)
        return said
    return summary(projection, len(entries), runs)


def code() -> str:
    """Return a fingerprint of all that decides how a run goes."""
    return Provenance.here().fingerprint


def _goes_on(head: Head, entries: Sequence[Entry], seed: int) -> bool:
    same = (head.events, head.seed, head.code) == (len(entries), seed, code())
    return same and head.is_of(entries)


def _write(path: Path, head: Head, runs: Sequence[Run]) -> None:
    lines = [vars(head) | {"format": _FORMAT}]
    lines += [
        vars(replace(each, paid={name: f"{paid:f}" for name, paid in each.paid.items()}))  # type: ignore[misc]
        for each in runs
    ]
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    write_atomically(path, text.encode())


def _read(path: Path, *, whole: bool) -> tuple[Head | None, tuple[Run, ...]]:
    """What is in a file, or its first line; nothing if it is not whole, or of another format."""
    try:
        with path.open(encoding="utf-8") as file:
            first = json.loads(file.readline())
            if first.pop("format") != _FORMAT:
                return None, ()
            head = Head(**first)
            runs = tuple(_run(json.loads(line)) for line in file) if whole else ()
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None, ()
    if whole and len(runs) != head.forecast.get("runs"):
        return None, ()
    return head, runs


def _run(plain: dict[str, Any]) -> Run:
    paid = {name: Decimal(amount) for name, amount in plain["paid"].items()}
    return Run(tuple(plain["errors"]), plain["bought"], paid)
