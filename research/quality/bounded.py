"""Buying for a classifier that may spend b_C on each case, against buying for one with all tests.

    python -m research.quality.bounded

Both are the default policy, with the same money in the same world. What they bought is given to the
default learner, and the model that it makes diagnoses cases that were kept away, with b_C for the
tests of each of them at the most (`budgeted.diagnosis`); wrong answers are counted. b_C pays for two
tests: where prices differ by chance it is twice their median, and of diabetes it pays for the
plasma glucose and a cheap test. Beside them stands round robin over whole cases.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from statistics import median_low

import numpy as np

from budgeted.diagnosis import ActiveClassifier
from budgeted.diagnosis.experience import Cases
from budgeted.diagnosis.terms import diagnose_all
from budgeted.learners import Hierarchical
from budgeted.learners.model import Model
from budgeted.policies import Policy, for_learner, policy
from budgeted.policies.base import choose
from budgeted.problem import Problem
from budgeted.problem.prices import costs_of
from budgeted.seeds import POLICY, stream
from budgeted.simulation.datasets import load, split
from budgeted.simulation.worlds import TableWorld
from budgeted.state import State
from budgeted.statistics import Floats, Mean, paired, threshold
from research.quality.comparison import Comparison, Runs
from research.quality.rivals import Labels
from research.quality.visits import TURNEY
from research.quality.zoo import worlds
from research.quality.zoo.traits import Traits

SEED, RUNS = 20261225, 24
_BOUNDED = 12
"""Path of the streams of this module, below the seed; see `budgeted.seeds`."""
VALUES = 10
"""The money would pay for so many values of every test."""
OURS, PLAIN, ROBIN = "for two tests", "for all tests", "round robin"
ENTRIES = (OURS, PLAIN, ROBIN)

Run = dict[str, dict[str, float]]
"""Entry → error within the limit, error with all tests, and how many tests it has values of."""


@dataclass(frozen=True)
class World:
    """What is for sale, and cases to be judged by."""

    problem: Problem
    world: TableWorld
    rows: Cases
    truth: Labels
    seed: int
    limit: Decimal


@dataclass(frozen=True)
class Setting:
    """A name for people, and what draws a world."""

    title: str
    draw: Callable[[int], World]


Prices = Callable[[str], Decimal]


def _equal(name: str) -> Decimal:
    return Decimal(1)


def _turney(name: str) -> Decimal:
    return Decimal(TURNEY.get(name, "1.00"))


def _table(name: str, price: Prices, limit: str = "2") -> Callable[[int], World]:
    def draw(seed: int) -> World:
        table = load(name)
        prices = {each: price(each) for each in table.features}
        budget = VALUES * sum(prices.values(), Decimal(0))
        made = split(table, seed, budget, missing="own value", costs=prices, case_rule="settle")
        truth = made.validation.masses.argmax(axis=1)
        return World(made.problem, made.world, made.validation.values, truth, seed,
                     Decimal(limit))  # fmt: skip

    return draw


def _drawn(seed: int) -> World:
    """Draw 24 Boolean features, of which 12 matter, moderately, and two labels as frequent."""
    traits = Traits(
        features=24, values="Boolean", relevance="some relevant", relevant=12,
        strength="moderate", common_shares="ordinary values", shares=(0.5, 0.5),
        dependence="independent", missing=0.0, prices="prices by chance", multiple=float(VALUES),
        hard=False,
    )  # fmt: skip
    made = worlds.of_traits(traits, seed, 0)
    limit = 2 * median_low(made.problem.feature_prices)
    return World(made.problem, made.world, made.test_values, made.test_labels, made.seed, limit)


SETTINGS: Mapping[str, Setting] = {
    "breast-wisconsin": Setting("breast-wisconsin, each test 1",
                                _table("breast-wisconsin", _equal)),
    "votes": Setting("votes, each test 1", _table("votes", _equal)),
    "drawn": Setting("drawn, prices by chance", _drawn),
    "diabetes": Setting("diabetes, Turney's prices", _table("diabetes", _turney, "19")),
    "mushroom": Setting("mushroom, each test 1", _table("mushroom", _equal)),
    "chess": Setting("chess, each test 1", _table("chess", _equal)),
}  # fmt: skip


def policies(limit: Decimal) -> dict[str, Policy]:
    """Return who buys."""
    return {
        OURS: policy("auto", case_limit=f"{limit:f}"),
        PLAIN: policy("auto"),
        ROBIN: policy("round-robin", over="cases"),
    }


def run(name: str, number: int) -> Run:
    """Return what became of each entry in a world."""
    order = list(SETTINGS).index(name)
    seed = int(stream(SEED, _BOUNDED, order, number).integers(2**31))
    drawn, learner = SETTINGS[name].draw(seed), Hierarchical()
    found: Run = {}
    for entry, chooser in policies(drawn.limit).items():
        state = play(drawn, for_learner(chooser, lambda: learner))
        predictor = learner.fit(drawn.problem, state.history)
        model = Model.of(predictor)
        active = ActiveClassifier(model, costs_of(drawn.problem.features), limit=drawn.limit)
        cases = diagnose_all(active, drawn.rows)
        if max(each.paid for each in cases) > drawn.limit:
            raise AssertionError(f"{name}, {entry}: a case was over the limit")
        answers = np.array([model.labels.index(each.answer) for each in cases])
        everything = predictor.probabilities(drawn.rows).argmax(axis=1)
        found[entry] = {
            "bounded": float((answers != drawn.truth).mean()),
            "all": float((everything != drawn.truth).mean()),
            "tests": len({each.feature for each in state.history}),
        }
    return found


def play(drawn: World, chooser: Policy) -> State:
    """Return what a policy ends with."""
    stock, state = drawn.world.open(), State.start(drawn.problem, drawn.world.cases)
    while True:
        rng = stream(drawn.seed, POLICY, len(state.history))
        choice = choose(chooser, state, rng, chooser.name)
        if choice is None:
            return state
        for bought in stock.buy(choice.order, state.free):
            state = state.after(bought)


def errors(found: list[Run], entry: str, which: str = "bounded") -> Floats:
    """Return the errors of an entry, world by world."""
    return np.array([each[entry][which] for each in found])


def gap(found: list[Run], rival: str = PLAIN) -> Mean:
    """Return the error of buying for two tests less a rival's, by paired worlds."""
    return paired(errors(found, OURS), errors(found, rival))


def table_of(results: Runs) -> str:
    """Return what was kept as a table in Markdown, a row for each setting."""
    firm = threshold(len(SETTINGS))
    lines = [
        f"| setting | worlds | bought {OURS} | bought {PLAIN} | difference | {ROBIN}, whole cases | "
        "all tests known: the same three |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, found in results.items():
        each = gap(found)
        mark = " ▼" if each.below() else " ▲" if each.above() else ""
        mark += mark[-1:] if each.below(firm) or each.above(firm) else ""
        every = ", ".join(f"{errors(found, entry, 'all').mean():.3f}" for entry in ENTRIES)
        lines.append(
            f"| {SETTINGS[name].title} | {len(found)} | {Mean.of(errors(found, OURS)):.3f} | "
            f"{Mean.of(errors(found, PLAIN)):.3f} | {each:+.4f}{mark} | "
            f"{Mean.of(errors(found, ROBIN)):.3f} | {every} |"
        )
    return "\n".join(lines)


COMPARISON = Comparison(
    "bounded", run, dict.fromkeys(SETTINGS, RUNS), {"bounded.md": table_of}, "bounded"
)


if __name__ == "__main__":
    COMPARISON.command()()
