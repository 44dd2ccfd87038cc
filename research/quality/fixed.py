"""Problems that the default was always good at, or once bad at: it must be good at all of them.

    python -m research.quality.fixed

Each run is a world of its own; the default spends the money, and both its own classifier and plain
naive Bayes learn from what it bought.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np

from budgeted.learners import LEARNERS, Hierarchical, NaiveBayes
from budgeted.policies import policy
from budgeted.problem import Problem
from budgeted.problem.orders import Purchase
from budgeted.seeds import stream
from budgeted.simulation.datasets import Rehearsal, load, split
from budgeted.simulation.judge import Validation
from budgeted.simulation.simulator import simulate
from budgeted.simulation.synthetic import Synthetic
from budgeted.simulation.worlds import TableWorld
from budgeted.statistics import Mean, paired
from budgeted.studies import example
from budgeted.studies.case_lists import CaseList
from budgeted.studies.files import parse_toml, study_of
from research.quality.comparison import Comparison, Runs
from research.quality.zoo.plays import within

SEED = 20261220
"""Of all runs."""
_FIXED = 6
"""Path of the streams of this module, below the seed; see `budgeted.seeds`."""


@dataclass(frozen=True)
class Bar:
    """What must hold of one problem."""

    title: str  # what people read
    runs: int
    draw: Callable[[int], Rehearsal]  # makes the world of a seed
    most: float | None = None  # largest mean error at the end; None where only the next one counts
    # how far the error may be above that of naive Bayes on the same values
    above: float | None = None
    looks: tuple[float, ...] = (1.0,)  # shares of the money at which that counts


def example_study(seed: int) -> Rehearsal:
    """Return the study of the demo with other patients."""
    rng = stream(seed, _FIXED)
    stated = _example()
    labels = (rng.random(example.CASES) >= stated.prior[0]).astype(np.int64)
    tables = [np.array(rows) for _, rows in example.SHARES.values()]
    values = np.stack([
        [rng.choice(table.shape[1], p=table[label]) for label in labels] for table in tables
    ], axis=1)  # fmt: skip
    problem = Problem(stated.features, stated.labels, stated.prior, stated.budget)
    truth = Validation.of_model(problem, np.concatenate(tables, axis=1))
    return Rehearsal(problem, TableWorld(problem, values, labels, seed), truth, truth)


def _example() -> Problem:
    plain = parse_toml(example.STUDY.encode(), "example")
    return study_of(plain, CaseList((("one", example.LABELS[0]),)), "example").problem


BARS: Mapping[str, Bar] = {
    "example": Bar("the example study of the demo", 100, example_study, above=0.02,
                   looks=(0.6, 1.0)),
    "figure-3a": Bar("Figure 3(a), labels .8 and .2, 100 purchases", 100,
                     lambda seed: Synthetic(discriminative=None, class_prior=0.8).draw(seed, 100),
                     above=0.01),
    "figure-3b-60": Bar("Figure 3(b), 60 purchases", 300,
                        lambda seed: Synthetic().draw(seed, 60), most=0.17),
    "figure-3b-150": Bar("Figure 3(b), 150 purchases", 200,
                         lambda seed: Synthetic().draw(seed, 150), most=0.115),
    "figure-3b-30": Bar("Figure 3(b) with 30 features, 150 purchases", 100,
                        lambda seed: Synthetic(features=30).draw(seed, 150), most=0.2),
    "mushroom": Bar("mushroom, 300 purchases", 40,
                    lambda seed: split(load("mushroom"), seed, 300, missing="own value"),
                    most=0.05),
}  # fmt: skip


def run(name: str, number: int) -> list[dict[str, float]]:
    """Return the errors of both learners at each look of a run."""
    bar = BARS[name]
    seed = int(stream(SEED, _FIXED, list(BARS).index(name), number).integers(2**31))
    rehearsal = bar.draw(seed)
    judge = rehearsal.truth or rehearsal.validation
    world = replace(rehearsal.world, case_rule="settle")
    steps = simulate(rehearsal.problem, policy("auto"), world, seed=seed, loss=None)
    bought = tuple(
        Purchase(each.feature, each.label, each.value, each.cost, each.case) for each in steps
    )
    found = []
    for look in bar.looks:
        part = within(bought, rehearsal.problem.budget * Decimal(look))
        found.append({
            learner: judge.error(LEARNERS[learner]().fit(rehearsal.problem, part))
            for learner in (Hierarchical.name, NaiveBayes.name)
        })  # fmt: skip
    return found


def table_of(results: Runs) -> str:
    """Return the mean errors of both learners at each look."""
    lines = []
    for name, runs in results.items():
        for at, look in enumerate(BARS[name].looks):
            ours, plain = (
                np.array([each[at][learner] for each in runs])
                for learner in (Hierarchical.name, NaiveBayes.name)
            )
            lines.append(
                f"{BARS[name].title}, {look:.0%} of the money: {Mean.of(ours):.4f}; naive Bayes "
                f"{plain.mean():.4f}, apart {paired(ours, plain):+.4f}"
            )
    return "\n".join(lines)


COMPARISON = Comparison(
    "fixed", run, {name: bar.runs for name, bar in BARS.items()}, {"": table_of}
)


if __name__ == "__main__":
    COMPARISON.command()()
