"""What does it cost, and what does it save, to stop when nothing left is worth it?

    python -m research.quality.stopping

Studies of tables are played to their end with the default. On their way the rule "stop when nothing
left is expected to lower the error by more than a percentage point" is weighed as asking weighs it:
before the first purchase, and when another tenth of the money is spent, or as much as the forecast
before said that it would take. Where it first says so, a
study that follows it would have ended. The error of that moment, on cases that nobody saw, is compared
with that of the same study when all is spent, and the money with the budget. Nothing was chosen by
these worlds: their seed is used here alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

import numpy as np

from budgeted.problem import money
from budgeted.simulation.judge import Validation
from budgeted.statistics import Mean
from budgeted.studies.beginning import policy_of
from budgeted.studies.creation import begun, creation
from budgeted.studies.drafts import Draft
from budgeted.studies.forecast.playing import goes_on, spend
from budgeted.studies.projection import Requested
from budgeted.studies.stop_events import PARTS
from budgeted.studies.stop_rules import Judged, LeastGain, Situation
from budgeted.studies.weighing import foreseen
from research.quality.comparison import Comparison, Runs
from research.quality.zoo import tables

SEED = 20270118
LEAST_GAIN = 0.01
FLAT = ("votes", "breast-wisconsin", "mushroom")
"""Tables where money soon brings little, and on which the promise is made."""
OTHERS = ("car", "chess")
"""Tables where money goes on bringing something, to see what the rule does there."""
STUDIES: Mapping[str, int] = dict.fromkeys(FLAT, 30) | dict.fromkeys(OTHERS, 12)
"""Of each table."""
VALUES = 10
"""Of each feature, on average, that the money pays for."""
NOW = "2026-01-05T09:00:00Z"
_CENT = Decimal("0.01")


def world_of(table: str, number: int, seed: int = SEED, values: int = VALUES) -> tables.Trial:
    """Return a split of a table, with the money for so many values of each feature on average."""
    world = tables.draw(tables.TABLES.index(table) * tables.RUNS + number, seed)
    prices = [each.cost for each in world.problem.features]
    budget = (values * sum(prices, Decimal(0))).quantize(_CENT, ROUND_HALF_EVEN)
    problem = world.problem.but(budget=budget)
    return replace(world, problem=problem, world=replace(world.world, problem=problem))


def followed(table: str, number: int, seed: int = SEED, values: int = VALUES) -> dict[str, Any]:
    """Play a study of a table to its end, and weigh the rule on its way until it says to stop."""
    world = world_of(table, number, seed, values)
    problem, rows = world.problem, world.world
    cases = [(str(at), problem.labels[label]) for at, label in enumerate(rows.labels.tolist())]
    projection = begun(creation("stop", problem, cases, "auto", {}, None, world.seed, "gini"), ())
    judge = Validation.of_table(problem, world.test_values, world.test_labels)
    draft = goes_on(projection, policy_of(projection.created), problem.budget, NOW, stages=10**9)
    rule = LeastGain(LEAST_GAIN)

    def answer(_: Draft, request: Requested) -> int | None:
        value = int(rows.values[int(request.case), draft.names.columns[request.feature]])
        return None if value < 0 else value

    def weighed() -> dict[str, Any]:
        forecast, _ = foreseen(draft, NOW)
        said = rule.weigh(Situation(draft.state, Judged(draft.predictor), forecast))
        again = money.add(draft.state.spent, problem.budget / PARTS)
        return {"stops": said.stops, "gain": said.figures["gain"], "again": again}

    looks: list[dict[str, Any]] = []
    for _ in spend(draft, answer):
        spent = draft.state.spent
        if not looks or (not looks[-1]["stops"] and spent >= looks[-1]["again"]):
            error = judge.error(draft.predictor())
            looks.append({"share": float(spent / problem.budget), "error": error} | weighed())
    end = judge.error(draft.predictor())
    return {
        "spent": float(draft.state.spent / problem.budget),
        "looks": [each | {"again": float(each["again"] / problem.budget)} for each in looks],
        "end": end,
    }


def outcome(row: Mapping[str, Any]) -> tuple[float, float, float, float]:
    """Where it stopped, of all money that was spent; the error there, that at the end, the difference.

    A study in which the rule never says to stop spends all, and gives nothing up.
    """
    last = row["looks"][-1]
    if not last["stops"]:
        return 1.0, row["end"], row["end"], 0.0
    return last["share"] / row["spent"], last["error"], row["end"], last["error"] - row["end"]


def table_of(by_table: Runs) -> str:
    """Return what was given up and saved on each table."""
    return "\n".join(_lines(by_table))


def _lines(by_table: Runs) -> Iterator[str]:
    yield "| table | studies | error where it stopped | all spent | given up | saved | never stopped |"
    yield "| --- | --: | --: | --: | --: | --: | --: |"
    flat = [row for name in FLAT for row in by_table.get(name, ())]
    together = {f"*{', '.join(FLAT)}*": flat} if set(FLAT) <= set(by_table) else {}
    for name, rows in {**by_table, **together}.items():
        where, error, end, lost = np.array([outcome(row) for row in rows]).T
        saved = Mean.of(100 * (1 - where))
        never = f"{100 * (where == 1).mean():.0f} %"
        yield (
            f"| {name} | {len(rows)} | {error.mean():.3f} | {end.mean():.3f} | "
            f"{Mean.of(lost):+.3f} | {saved:.0f} % | {never} |"
        )


COMPARISON = Comparison("stopping", followed, STUDIES, {"stopping.md": table_of}, "stopping")


if __name__ == "__main__":
    COMPARISON.command()()
