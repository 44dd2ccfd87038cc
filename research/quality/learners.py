"""Where each learner pays: all tables of the package, with little money and with more.

    python -m research.quality.learners

All learners learn from the same values of the same worlds. *Steered* are those that the default
bought; *scattered* those of round robin, each of a case of its own; *whole cases* those of round
robin that buys all of a case. Money is so many values of each feature, all of which cost 1.
Differences are those of paired worlds. What is known of the table but is not bought is seen by
nobody.

Constants of the learners were chosen on seeds 101 to 108 of the same tables, none of which is here.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from budgeted.learners import Learner, fitted, learner
from budgeted.policies import Policy, for_learner, policy
from budgeted.policies.base import choose
from budgeted.problem.orders import Purchase
from budgeted.seeds import POLICY, stream
from budgeted.simulation.datasets import Rehearsal, load, split
from budgeted.state import State
from budgeted.statistics import Floats, paired
from research.quality.comparison import Comparison, Runs

SEED, RUNS = 20261301, 24
_LEARNERS = 13
"""Path of the streams of this module, below the seed; see `budgeted.seeds`."""
TABLES = (
    "mushroom", "nursery", "votes", "car", "chess", "breast-wisconsin", "breast-ljubljana",
    "diabetes",
)  # fmt: skip
BASE = "hierarchical"
LEARNERS = (BASE, "naive-bayes", "logistic-regression", "scikit-learn")
STEERED, SCATTERED, WHOLE = "steered", "scattered", "whole cases"
BUYERS: Mapping[str, tuple[Policy, str]] = {
    STEERED: (policy("auto"), "settle"),
    SCATTERED: (policy("round-robin"), "fresh"),
    WHOLE: (policy("round-robin", over="cases"), "fresh"),
}
"""Who buys, and the case rule."""
LEVELS = (2, 10, 50)
SETTINGS = {
    f"{buyer}, {level}, {table}": (buyer, level, table)
    for level in LEVELS
    for buyer in BUYERS
    for table in TABLES
}
"""Who buys, for how many values of each feature, and where; in the order of the page."""

Run = dict[str, float]
"""Learner → error on validation cases."""


def run(name: str, number: int) -> Run:
    """Return the error of each learner with what was bought in a world.

    Whoever buys, and for how much, the split is the same.
    """
    buyer, level, table = SETTINGS[name]
    seed = int(stream(SEED, _LEARNERS, TABLES.index(table), number).integers(2**31))
    cells = load(table)
    chooser, case_rule = BUYERS[buyer]
    world = split(cells, seed, level * len(cells.features), missing="own value",
                  case_rule=case_rule)  # fmt: skip
    values = bought(world, chooser, number)
    return {
        each: world.validation.error(fitted(learner(each), world.problem, values))
        for each in LEARNERS
    }


def bought(world: Rehearsal, chooser: Policy, seed: int) -> list[Purchase]:
    """Return what is bought in a world."""
    made: Learner = learner(BASE)
    chooser = for_learner(chooser, lambda: made)
    stock, state = world.world.open(), State.start(world.problem, world.world.cases)
    while True:
        rng = stream(seed, POLICY, len(state.history))
        choice = choose(chooser, state, rng, chooser.name)
        if choice is None:
            return list(state.history)
        for each in stock.buy(choice.order, state.free):
            state = state.after(each)


def table_of(results: Runs) -> str:
    """Return in how many tables a learner is better and worse than the default one."""
    names = LEARNERS[1:]
    lines = [
        "| values of each feature | bought | " + " | ".join(f"`{each}`" for each in names) + " |",
        "| ---: | --- |" + " --- |" * len(names),
    ]
    for level in LEVELS:
        for buyer in BUYERS:
            found = [runs for name, runs in results.items() if SETTINGS[name][:2] == (buyer, level)]
            cells = []
            for each in names:
                gaps = [paired(errors(runs, each), errors(runs, BASE)) for runs in found]
                better, worse = sum(gap.below() for gap in gaps), sum(gap.above() for gap in gaps)
                cells.append(f"{better} better, {worse} worse")
            if found:
                lines.append(f"| {level} | {buyer} | {' | '.join(cells)} |")
    return "\n".join(lines)


def errors(found: list[Run], name: str) -> Floats:
    """Return the errors of a learner, world by world."""
    return np.array([each[name] for each in found])


COMPARISON = Comparison(
    "learners", run, dict.fromkeys(SETTINGS, RUNS), {"other-learners.md": table_of}, "learners"
)


if __name__ == "__main__":
    COMPARISON.command()()
