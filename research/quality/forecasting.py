"""Do plans and forecasts come true? Studies are played to their end, and looked ahead on the way.

    python -m research.quality.forecasting

Six kinds of synthetic worlds, from "nothing matters" to "everything does", and six tables; 25 studies
of each, with the default and money for 60 values at the mean price. A *plan* is made before the first
purchase from a pilot of 40 other cases of the same world; *forecasts* are made when a quarter, a half
and three quarters of the money are spent. What they say is compared with the error that the study has
in the end, on cases that nobody saw. These worlds choose nothing: their seed is used here alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

import numpy as np

from budgeted.learners import Hierarchical
from budgeted.learners.belief import Integers
from budgeted.problem import Problem
from budgeted.problem.orders import Purchase
from budgeted.simulation.judge import Validation
from budgeted.simulation.worlds import TableWorld
from budgeted.statistics import Mean, wilson
from budgeted.studies.beginning import policy_of
from budgeted.studies.creation import begun, creation
from budgeted.studies.drafts import Draft
from budgeted.studies.forecast.playing import goes_on, spend
from budgeted.studies.forecast.runs import points_of, run
from budgeted.studies.planning.runs import OWN, play
from budgeted.studies.planning.sources import possible_models
from budgeted.studies.projection import Projection, Requested
from research.quality.comparison import Comparison, Runs
from research.quality.zoo import tables, worlds
from research.quality.zoo.traits import Traits

SEED = 20261222
STUDIES, VALUES, PILOT, RUNS = 25, 60, 40, 20
"""Of each world; values that the money pays for; cases of a pilot; runs of a plan or a forecast."""
LOOKS = (0.25, 0.5, 0.75)
NOW = "2026-01-05T09:00:00Z"
_CENT = Decimal("0.01")

_PLAIN = Traits(
    features=12, values="2–4 values", relevance="", relevant=0, strength="moderate",
    common_shares="ordinary values", shares=(0.6, 0.4), dependence="independent", missing=0.0,
    prices="equal prices", multiple=VALUES / 12, hard=False,
)  # fmt: skip
KINDS: Mapping[str, Traits] = {
    "nothing matters": _PLAIN,
    "one of 12, strong": replace(_PLAIN, relevant=1, strength="strong"),
    "three of 12, moderate": replace(_PLAIN, relevant=3),
    "half, moderate, prices rise": replace(_PLAIN, relevant=6, prices="prices rise with worth"),
    "all, weak": replace(_PLAIN, relevant=12, strength="weak"),
    "all, strong, in copies": replace(_PLAIN, relevant=12, strength="strong", dependence="copies"),
}
TABLES = ("votes", "mushroom", "breast-wisconsin", "breast-ljubljana", "car", "chess")
WORLDS = (*KINDS, *TABLES)

World = worlds.ZooWorld | tables.Trial


def world_of(name: str, number: int) -> World:
    """Return a world, with the money of this comparison; always the same for a name and number."""
    if name in KINDS:
        at = 1_000 * WORLDS.index(name) + number
        world: World = worlds.of_traits(KINDS[name], SEED, at)
    else:
        world = tables.draw(tables.TABLES.index(name) * tables.RUNS + number, SEED)
    prices = [each.cost for each in world.problem.features]
    budget = VALUES * sum(prices, Decimal(0)) / len(prices)
    problem = world.problem.but(budget=budget.quantize(_CENT, ROUND_HALF_EVEN))
    return replace(world, problem=problem, world=replace(world.world, problem=problem))


def divided(world: World) -> tuple[tuple[Purchase, ...], Integers]:
    """Return the values of the pilot, and which other cases the study has."""
    table, problem = world.world, world.problem
    order = np.concatenate(table.order)
    rank = np.concatenate([np.arange(len(each)) / len(each) for each in table.order])
    order = order[np.argsort(rank, kind="stable")]  # labels in their shares
    pilot = tuple(
        Purchase(feature, int(table.labels[case]), int(table.values[case, feature]), 0, int(case))
        for case in order[:PILOT]
        for feature in range(len(problem.features))
        if table.values[case, feature] >= 0
    )
    return pilot, np.sort(order[PILOT:])


def begin(problem: Problem, table: TableWorld, rows: Integers, seed: int) -> Draft:
    """Return a study of some cases of a table, as it begins."""
    cases = [(str(row), problem.labels[table.labels[row]]) for row in rows.tolist()]
    created = creation("calibration", problem, cases, "auto", {}, None, seed, "gini")
    return begun(created, ())


def followed(name: str, number: int) -> dict[str, Any]:
    """Play a study of a world to its end, with a plan before it and forecasts on its way."""
    world = world_of(name, number)
    problem, table = world.problem, world.world
    pilot, rows = divided(world)
    projection = begin(problem, table, rows, world.seed)
    models = possible_models(problem, Hierarchical(), RUNS, pilot=pilot, seed=world.seed).models
    planned = [
        play(projection, OWN, model, (problem.budget,), at, world.seed, NOW).errors[0]
        for at, model in enumerate(models)
    ]
    draft = goes_on(projection, policy_of(projection.created), problem.budget, NOW, stages=10**9)
    seen: set[int] = set()

    def answer(_: Draft, request: Requested) -> int | None:
        seen.add(int(request.case))
        value = int(table.values[int(request.case), draft.names.columns[request.feature]])
        return None if value < 0 else value

    looks = [problem.budget * Decimal(str(each)) for each in LOOKS]
    said: list[list[float]] = []
    for spent, _ in spend(draft, answer):
        while len(said) < len(looks) and spent > looks[len(said)]:
            said.append(_forecast(draft, world.seed))
    while len(said) < len(looks):  # cases ran out before the money did
        said.append(_forecast(draft, world.seed))
    return {
        "planned": planned,
        "looks": said,
        "end": unseen(world, np.setdiff1d(rows, list(seen))).error(draft.predictor()),
    }


def unseen(world: World, rows: Integers) -> Validation:
    """Return the judge of a study: the test cases, and those of which nothing was bought.

    Labels count by their shares in the problem, which is what plans and forecasts speak of: in a
    test set of 57 cases the shares are off by more than some of these errors differ.
    """
    values = np.vstack([world.test_values, world.world.values[rows]])
    labels = np.concatenate([world.test_labels, world.world.labels[rows]])
    judge = Validation.of_table(world.problem, values, labels)
    masses = judge.masses * np.asarray(world.problem.prior) / judge.masses.sum(axis=0)
    return replace(judge, masses=masses)


def _forecast(projection: Projection, seed: int) -> list[float]:
    end = (projection.state.problem.budget,)
    return [run(projection, seed, at, NOW, end).errors[0] for at in range(RUNS)]


def outcome(said: Sequence[float], end: float) -> tuple[bool, float, bool]:
    """Whether an error lies in the band, how far above it the mean is, and whether 80 % came true."""
    band = points_of([Decimal(0)], np.array(said)[:, None])[0]
    return (
        band.low <= end <= band.high,
        band.error - end,
        end <= float(np.quantile(said, 0.8, method="weibull")),
    )


def _lines(pairs: Mapping[str, Sequence[tuple[Sequence[float], float]]]) -> Iterator[str]:
    yield "| | studies | in the 90 % band | forecast − outcome | within the error said with 80 % |"
    yield "| --- | --: | --: | --: | --: |"
    for name, group in pairs.items():
        held, above, reached = zip(*(outcome(*each) for each in group), strict=True)
        number = len(group)
        band = wilson(float(np.mean(held)), number, 0.95)
        yield (
            f"| {name} | {number} | {np.mean(held):.0%} ({band.low:.0%} to {band.high:.0%}) | "
            f"{Mean.of(np.array(above)):+.3f} | {np.mean(reached):.0%} |"
        )


def forecast_table(results: Runs) -> str:
    """Return how forecasts came out: by when they were made, and by world."""
    by_look = {
        f"at {share:.0%} of the money": [
            (row["looks"][at], row["end"]) for rows in results.values() for row in rows
        ]
        for at, share in enumerate(LOOKS)
    }
    by_world = {
        name: [(look, row["end"]) for row in rows for look in row["looks"]]
        for name, rows in results.items()
    }
    return "\n".join(_lines({**by_look, **by_world}))


def plan_table(results: Runs) -> str:
    """Return how plans came out, in all and by world."""
    by_world = {
        name: [(row["planned"], row["end"]) for row in rows] for name, rows in results.items()
    }
    every = [each for group in by_world.values() for each in group]
    return "\n".join(_lines({"all": every, **by_world}))


COMPARISON = Comparison(
    "forecasting",
    followed,
    dict.fromkeys(WORLDS, STUDIES),
    {"forecasting.md": forecast_table, "planning.md": plan_table},
    "calibration",
)


if __name__ == "__main__":
    COMPARISON.command()()
