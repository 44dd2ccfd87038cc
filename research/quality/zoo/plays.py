"""Who bought what: one file of JSON lines for each world, a line per entry.

To play takes hours, to judge what was bought takes minutes; so purchases are kept, and can be judged
again by another learner. A file is whole or not there at all, so a run that was stopped goes on where
it was. A line says which code chose the purchases. Code changes more often than choices do: lines of
other code are kept, and `differing` plays some of them again to see whether they would be the same.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from budgeted.errors import RunnerError
from budgeted.files import write_atomically
from budgeted.problem import Problem
from budgeted.problem.orders import Purchase
from budgeted.provenance import Provenance, digest
from research.quality.zoo.entries import Entry
from research.quality.zoo.runs import play
from research.quality.zoo.sources import World, world_of

_DECIDE = {
    "research.quality.zoo": (
        "draws",
        "model",
        "runs",
        "tables",
        "traits",
        "whole_cases",
        "worlds",
    ),
}
"""Modules that decide numbers; seeds and entries are in the files themselves."""


class Play(NamedTuple):
    """What an entry bought in a world, how long it took, and which code chose.

    A purchase is its feature, label, value (None if it was missing) and case.
    """

    entry: str
    choices: dict[str, Any]
    code: str
    seconds: float
    bought: list[list[Any]]

    def purchases(self, problem: Problem) -> tuple[Purchase, ...]:
        """Return them with their prices."""
        return tuple(
            Purchase(feature, label, value, problem.fresh_prices[feature][label], case)
            for feature, label, value, case in self.bought
        )


@cache
def fingerprint() -> str:
    """Return a short name for all code that decides: the package's and the zoo's."""
    own = {
        f"{package}.{each}": digest((files(package) / f"{each}.py").read_bytes())
        for package, modules in _DECIDE.items()
        for each in modules
    }
    return Provenance.here(own).fingerprint


def path_of(folder: Path, seed: str, number: int) -> Path:
    """Return where the purchases of a world belong."""
    return folder / seed / f"{number:05d}.jsonl"


def read(path: Path) -> dict[str, Play]:
    """Return the plays in a file by entry; none if there is no file."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return {}
    try:
        plays = [Play(**json.loads(line)) for line in lines]
    except (TypeError, ValueError) as error:
        raise RunnerError(f"{path}: is damaged, or was not written by this program") from error
    return {each.entry: each for each in plays}


def missing(found: dict[str, Play], entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Return the entries that have not played, or chose by other settings when they did."""
    return tuple(
        each
        for each in entries
        if each.label not in found or found[each.label].choices != each.choices()
    )


def complete(folder: Path, seed: str, number: int, entries: Sequence[Entry], code: str = "") -> int:
    """Play what is missing in a world and keep it; return how many entries that were.

    Parameters
    ----------
    folder, seed, number
        Where the files are; one of `research.quality.zoo.sources.SOURCES`; and which world.
    entries
        Who plays.
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
    world = world_of(seed, number)
    todo = tuple(each for each in todo if each.plays_with(len(world.problem.labels)))
    if not todo:
        return 0
    found |= {entry.label: played(world, entry) for entry in todo}
    lines = [json.dumps(each._asdict(), separators=(",", ":")) + "\n" for each in found.values()]
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, "".join(lines).encode())
    return len(todo)


def played(world: World, entry: Entry) -> Play:
    """Let an entry spend the budget."""
    started = time.perf_counter()
    bought = play(world, entry.make(), entry.cases, world.seed)
    seconds = round(time.perf_counter() - started, 3)
    rows = [[each.feature, each.label, each.value, each.case] for each in bought]
    return Play(entry.label, entry.choices(), fingerprint(), seconds, rows)


def differing(
    folder: Path, seed: str, numbers: Sequence[int], entries: Sequence[Entry]
) -> Iterator[tuple[int, str]]:
    """Yield worlds and entries in which today's code would buy something else."""
    for number in numbers:
        found = read(path_of(folder, seed, number))
        world = world_of(seed, number)
        for entry in entries:
            kept = found.get(entry.label)
            if kept is not None and kept.bought != played(world, entry).bought:
                yield number, entry.label
