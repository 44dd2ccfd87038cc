"""How well what was bought teaches: one file of JSON lines for each world, a row per look.

First come the facts of the world, then a row for each entry, learner and look. What is judged already
is kept if the same purchases were judged by the same code.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from budgeted.errors import RunnerError
from budgeted.files import write_atomically
from budgeted.learners import LEARNERS
from research.quality.zoo import plays
from research.quality.zoo.entries import Entry
from research.quality.zoo.plays import Play, fingerprint, path_of
from research.quality.zoo.runs import judge
from research.quality.zoo.sources import world_of


class WorldFile(NamedTuple):
    """What a file holds: facts of the world and what was judged, and the rows."""

    facts: dict[str, Any]
    rows: list[dict[str, Any]]


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


def complete(bought: Path, into: Path, seed: str, number: int, entries: Sequence[Entry]) -> int:
    """Judge what has been played in a world and keep it; return how many entries were to do.

    Parameters
    ----------
    bought, into
        Folders of the plays, and of the rows.
    seed, number
        one of `research.quality.zoo.sources.SOURCES`; and which world.
    entries
        Who is judged, if they have played.
    """
    path = path_of(into, seed, number)
    played = plays.read(path_of(bought, seed, number))
    wanted = {
        each.label: _judged(played[each.label], each) for each in entries if each.label in played
    }
    found = read(path)
    if found is None or found.facts["fingerprint"] != fingerprint():
        found = WorldFile({"entries": {}}, [])
    there = found.facts["entries"]
    todo = [
        each
        for each in entries
        if each.label in wanted and there.get(each.label) != wanted[each.label]
    ]
    if not todo:
        return 0
    world = world_of(seed, number)
    again = {each.label for each in todo}
    rows = [row for row in found.rows if row["entry"] not in again]
    for entry in todo:
        play = played[entry.label]
        learners = [LEARNERS[name]() for name in entry.learners]
        judged = judge(world, play.purchases(world.problem), learners, outlooks=entry.outlooks)
        head = {"entry": entry.label, "seconds": play.seconds}
        rows += [{**head, **row._asdict()} for row in judged]
    facts = {
        "source": seed,
        "number": number,
        "fingerprint": fingerprint(),
        "majority_error": world.majority_error,
        "strata": world.strata,
        "traits": world.facts,
        "entries": {key: each for key, each in there.items() if key not in again}
        | {each.label: wanted[each.label] for each in todo},
    }
    lines = [json.dumps(each, ensure_ascii=False) + "\n" for each in (facts, *rows)]
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, "".join(lines).encode())
    return len(todo)


def _judged(play: Play, entry: Entry) -> dict[str, Any]:
    """What the rows of an entry depend on."""
    return {
        **play.choices,
        "purchases": sha256(json.dumps(play.bought).encode()).hexdigest()[:16],
        "learners": list(entry.learners),
        "outlooks": entry.outlooks,
    }
