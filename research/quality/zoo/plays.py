"""Who bought what, and how well that teaches: two files of JSON lines for each world.

To play takes hours, to judge what was bought takes minutes; so purchases are kept, a line for each
entry, and can be judged again by another learner. What is judged is kept in another file: the facts
of the world, then a row for each entry, learner and look. A file is whole or not there at all, so a
run that was stopped goes on where it was.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cache
from hashlib import sha256
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from budgeted.errors import RunnerError
from budgeted.files import write_atomically
from budgeted.learners import LEARNERS, Learner, Outlook, Predictor
from budgeted.learners.predictor import log_scores
from budgeted.policies.base import Policy
from budgeted.problem import Problem
from budgeted.problem.orders import Purchase
from budgeted.provenance import Provenance, package_hash
from budgeted.simulation.simulator import simulate
from research.quality.zoo.entries import Entry
from research.quality.zoo.tables import World, world_of

LOOKS = (1 / 8, 1 / 4, 1 / 2, 3 / 4, 1.0)
"""Shares of the budget at which what was bought so far is judged; their mean is "on the way"."""


class Row(NamedTuple):
    """How a learner stands at one look.

    `error` is that on the test table; the others are what the predictor says of itself, None if it
    says nothing.
    """

    learner: str
    look: float
    purchases: int
    error: float
    predicted: float | None
    low: float | None
    high: float | None


def play(world: World, policy: Policy, case_rule: str, seed: int) -> tuple[Purchase, ...]:
    """Spend the budget as the policy says and return all purchases, oldest first."""
    table = replace(world.world, case_rule=case_rule, seed=seed)
    steps = simulate(world.problem, policy, table, seed=seed, loss=None)
    return tuple(
        Purchase(each.feature, each.label, each.value, each.cost, each.case) for each in steps
    )


def within(purchases: Sequence[Purchase], money: Decimal) -> Sequence[Purchase]:
    """Return the first purchases that together cost no more than this."""
    spent = accumulate(each.cost for each in purchases)
    return purchases[: sum(amount <= money for amount in spent)]


def judge(
    world: World,
    purchases: Sequence[Purchase],
    learners: Sequence[Learner],
    *,
    outlooks: bool = True,
) -> list[Row]:
    """Return a row for each learner and look, in the order of the looks."""
    rows = []
    for look in LOOKS:
        bought = within(purchases, world.problem.budget * Decimal(look))
        for learner in learners:
            predictor = learner.fit(world.problem, bought)
            outlook = outlook_of(predictor) if outlooks else None
            said = (None,) * 3 if outlook is None else (outlook.error, outlook.low, outlook.high)
            wrong = error(world, predictor)
            rows.append(Row(learner.name, look, len(bought), wrong, *map(_plain, said)))
    return rows


def error(world: World, predictor: Predictor) -> float:
    """Return the 0/1 error on the test table; where labels tie, the predictor guesses."""
    scores = log_scores(predictor, world.test_values)
    tied = scores >= scores.max(axis=1, keepdims=True) - 1e-12
    right = tied[np.arange(len(tied)), world.test_labels] / tied.sum(axis=1)
    return float(1 - right.mean())


def outlook_of(predictor: Predictor) -> Outlook | None:
    """Return what a predictor says of its own error, if it says anything."""
    ask = getattr(predictor, "outlook", None)
    result: Outlook | None = None if ask is None else ask()
    return result


def _plain(number: float | None) -> float | None:
    """A number that JSON knows."""
    return None if number is None else float(number)


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
    return Provenance.here({"zoo": package_hash("research.quality.zoo")}).fingerprint


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

    `code` is the fingerprint of who asks: a worker whose code is another refuses.
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


class WorldFile(NamedTuple):
    """What a file holds: facts of the world and what was judged, and the rows."""

    facts: dict[str, Any]
    rows: list[dict[str, Any]]


def read_judged(path: Path) -> WorldFile | None:
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


def judge_again(bought: Path, into: Path, seed: str, number: int, entries: Sequence[Entry]) -> int:
    """Judge what has been played in a world and keep it; return how many entries were to do."""
    path = path_of(into, seed, number)
    bought_there = read(path_of(bought, seed, number))
    wanted = {
        each.label: _judged(bought_there[each.label], each)
        for each in entries
        if each.label in bought_there
    }
    found = read_judged(path)
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
        kept = bought_there[entry.label]
        learners = [LEARNERS[name]() for name in entry.learners]
        judged = judge(world, kept.purchases(world.problem), learners, outlooks=entry.outlooks)
        head = {"entry": entry.label, "seconds": kept.seconds}
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
