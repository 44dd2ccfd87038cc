"""One file of JSON lines for each world: its facts, then a row per entry, learner and look.

A file is whole or not there at all, so a run that was stopped goes on where it was. Rows of other
code than today's are done again; entries that are missing, or that are now defined otherwise, are
added to those that are there.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import asdict
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from benchmark.zoo.entries import Entry
from benchmark.zoo.learners import LEARNERS
from benchmark.zoo.runs import judge, play
from benchmark.zoo.seeds import SEEDS
from benchmark.zoo.worlds import draw
from budgeted.deciding_code import code_hash
from budgeted.errors import RunnerError
from budgeted.files import write_atomically
from budgeted.provenance import Provenance

_DECIDE = {
    "benchmark.zoo": ("draws", "learners", "model", "runs", "traits", "whole_cases", "worlds"),
    "benchmark.former": ("guard", "kinds", "strength"),
}
"""Modules that decide numbers; seeds and entries are in the files themselves."""


class WorldFile(NamedTuple):
    """What a file holds: facts of the world and its entries, and the rows."""

    facts: dict[str, Any]
    rows: list[dict[str, Any]]


@cache
def fingerprint() -> str:
    """Return a short name for all code that decides: the package's and the zoo's."""
    own = {
        f"{package}.{each}": code_hash((files(package) / f"{each}.py").read_bytes(), each)
        for package, modules in _DECIDE.items()
        for each in modules
    }
    return Provenance.here(own).fingerprint


def path_of(folder: Path, seed: str, number: int) -> Path:
    """Return where the file of a world belongs."""
    return folder / seed / f"{number:05d}.jsonl"


def read(path: Path) -> WorldFile | None:
    """Return what is in a file; None if there is none."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return None
    try:
        facts, *rows = map(json.loads, lines)
    except ValueError as error:
        raise RunnerError(f"{path}: is damaged, or was not written by this program") from error
    return WorldFile(facts, rows)


def missing(found: WorldFile | None, entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Return the entries that are to be computed, given what is there already."""
    if found is None or found.facts["fingerprint"] != fingerprint():
        return tuple(entries)
    there = found.facts["entries"]
    return tuple(each for each in entries if there.get(each.label) != each.document())


def complete(folder: Path, seed: str, number: int, entries: Sequence[Entry], code: str = "") -> int:
    """Compute what is missing of a world and keep it; return how many entries that were.

    Parameters
    ----------
    folder, seed, number
        Where the files are; ``selection`` or ``confirmation``; and which world.
    entries
        Who is compared.
    code
        Fingerprint of who asks. A worker whose code is another refuses.
    """
    if code and code != fingerprint():
        raise RunnerError("the code was changed while this ran; start again to go on")
    path = path_of(folder, seed, number)
    found = read(path)
    todo = missing(found, entries)
    if not todo:
        return 0
    world = draw(SEEDS[seed], number)
    documents: dict[str, Any] = {}
    rows: list[dict[str, Any]] = []
    if found is not None and found.facts["fingerprint"] == fingerprint():
        again = {each.label for each in todo}
        documents = {key: each for key, each in found.facts["entries"].items() if key not in again}
        rows = [row for row in found.rows if row["entry"] not in again]
    for entry in todo:
        started = time.perf_counter()
        bought = play(world, entry.make(), entry.cases, world.seed, entry.belief)
        seconds = round(time.perf_counter() - started, 3)
        documents[entry.label] = entry.document()
        judged = judge(
            world, bought, [LEARNERS[name] for name in entry.learners], outlooks=entry.outlooks
        )
        rows += [{"entry": entry.label, "seconds": seconds, **row._asdict()} for row in judged]
    facts = {
        "seed": SEEDS[seed],
        "number": number,
        "fingerprint": fingerprint(),
        "majority_error": world.majority_error,
        "strata": world.strata,
        "traits": asdict(world.traits),
        "entries": documents,
    }
    lines = [json.dumps(each, ensure_ascii=False) + "\n" for each in (facts, *rows)]
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, "".join(lines).encode())
    return len(todo)
