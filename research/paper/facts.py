"""Claims 16 to 18: what needs no runs, only sums and tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from budgeted import Belief, Feature, Problem
from budgeted.simulation.datasets import load
from budgeted.simulation.tables import Table
from budgeted.statistics import Interval
from budgeted.value import lookahead
from budgeted.value import loss as loss_of
from budgeted.value.beta_binomial import weights
from research.paper.rules import Check, Claim, Finding, Results, decided, exactly


def mobility(results: Results) -> Finding:
    """Claim 16."""
    totals = {total: moved(total, 30) for total in (2, 6, 20, 60)}
    prices = {price: moved(2, 30 // price) for price in (1, 2, 5, 10)}
    budgets = {budget: moved(2, budget) for budget in (10, 30, 100, 300)}
    checks = [
        _monotone("posterior mean of Dir(T/2, T/2) moves in 30 purchases by, T", totals, falls=True),
        _monotone("of Dir(1, 1) for 30 of money, price", prices, falls=True),
        _monotone("of Dir(1, 1), budget", budgets, falls=False),
        _monotone("gain by SFL's score of a feature with Dir(T/2, T/2), 30 purchases, T",
                  {total: gain(total, 30) for total in (2, 6, 20, 60)}, falls=True),
        _monotone("gain by SFL's score of a feature with Dir(1.5, 0.5), budget",
                  {budget: gain(2, budget) for budget in (10, 30, 100, 300)}, falls=False),
    ]  # fmt: skip
    passed = sum(each.passed for each in checks)
    return decided(passed == len(checks), passed >= 3, checks)


def moved(total: float, purchases: int) -> float:
    """Return by how much a posterior mean of one half moves on average, up or down.

    >>> round(moved(2, 1), 4), round(moved(2, 10**4), 3)   # 2/3 or 1/3; a uniform share
    (0.1667, 0.25)
    """
    counts = np.array([total / 2])
    chances = weights(counts, np.array([total]), purchases)[0]
    after = (total / 2 + np.arange(purchases + 1)) / (total + purchases)
    return float(chances @ np.abs(after - 0.5))


def gain(total: float, purchases: int) -> float:
    """Return by how much SFL expects the GINI loss to fall if all went to one cell.

    The feature has Dir(3T/4, T/4) under one label and Dir(T/2, T/2) under the other.
    """
    counts = ((0.75 * total, 0.25 * total), (0.5 * total, 0.5 * total))
    problem = Problem([Feature("x", ("a", "b"), 1, counts)], ("y1", "y2"), (0.5, 0.5), 1_000)
    belief, depths = Belief.prior(problem), np.array([[purchases, 0]])
    now = float(loss_of(belief))
    return now - float(lookahead(belief, depths).values[0, 0])


def _monotone(words: str, found: Mapping[int, float], *, falls: bool) -> Check:
    values = list(found.values())
    passed = all((a > b) if falls else (a < b) for a, b in pairwise(values))
    shown = ", ".join(f"{key}: {value:.4f}" for key, value in found.items())
    interval = Interval(values[-1], values[-1], values[-1])
    return Check(f"{words} {shown}; the last one", interval, "falling" if falls else "rising",
                 passed, ".4f")  # fmt: skip


def tables(results: Results) -> Finding:
    """Claim 17."""
    mushroom, nursery, votes = (load(each) for each in ("mushroom", "nursery", "votes"))
    checks = (
        exactly("mushroom: features", len(mushroom.features), 22),
        exactly("mushroom: instances", len(mushroom), 8124),
        exactly("mushroom: values of feature 5, odor", _values(mushroom)["odor"], 10),
        exactly("mushroom: share of the more frequent class", round(_share(mushroom), 2), 0.52),
        exactly("nursery: classes", len(nursery.labels), 5),
        exactly("nursery: features", len(nursery.features), 9),
        exactly("nursery: fewest values of a feature", min(_values(nursery).values()), 2),
        exactly("nursery: most values of a feature", max(_values(nursery).values()), 5),
        exactly("votes: features", len(votes.features), 16),
        exactly("votes: instances", len(votes), 435),
        exactly("votes: share of the more frequent class", round(_share(votes), 2), 0.61),
    )
    passed = sum(each.passed for each in checks)
    notes = (
        "The more frequent class of mushroom is edible. Nine counts nursery's class as a feature; one of "
        f"its five classes has {min(Counter(nursery.row_labels).values())} rows of {len(nursery)}. In "
        "UCI's description odor has nine values.",
    )
    return decided(passed == len(checks), passed >= len(checks) / 2, checks, notes)


def _values(table: Table) -> dict[str, int]:
    return {
        name: len({cell for cell in column if cell is not None})
        for name, column in zip(table.features, table.columns, strict=True)
    }


def _share(table: Table) -> float:
    return max(Counter(table.row_labels).values()) / len(table)


def states(results: Results) -> Finding:
    """Claim 18."""
    numbers = (1, 10, 100)
    checks = [
        exactly(f"{n} purchases of a binary feature: distinct states", number_of_states(n), 2 * n)
        for n in numbers
    ]
    agree = all(number_of_states(n) == n + 1 for n in numbers)
    notes = (
        f"It is ⌊b/c⌋ + 1 in {'all' if agree else 'not all'} of these, as eq. 4 itself says with |X| = 2.",
    )
    return decided(all(each.passed for each in checks), False, checks, notes)


def number_of_states(purchases: int) -> int:
    """Return how many posteriors of a binary feature can be reached, by buying one after the other.

    >>> [number_of_states(n) for n in (0, 1, 5)]
    [1, 2, 6]
    """
    reached = {(1, 1)}
    for _ in range(purchases):
        reached = {each for a, b in reached for each in ((a + 1, b), (a, b + 1))}
    return len(reached)


CLAIMS = (
    Claim(
        16,
        "Section 3.5: distributions with smaller hyperparameters, cheaper actions and more budget are more "
        "mobile, and that shows in SFL's scores.",
        "Mobility: by how much a posterior mean moves on average when all money goes to its cell, summed "
        "over all outcomes. Holds if it falls with the sum of the hyperparameters and with the price and "
        "rises with the budget, and if the gain that SFL's score sees does likewise; in part if three of "
        "the five sequences do.",
        mobility,
        readings=("A",),
    ),
    Claim(
        17,
        "Section 4.2: the tables are as described (22 features of mushroom, a 10-valued feature 5, nine "
        "features of nursery, …).",
        "Eleven numbers, counted in the UCI files. Holds if all are right, in part if half of them are.",
        tables,
        readings=("A",),
    ),
    Claim(
        18,
        "Eq. 4: for a feature with two values there are only 2⌊b/c⌋ distinct states.",
        "Counted by buying one value after the other. Holds if it is so for ⌊b/c⌋ of 1, 10 and 100; it "
        "cannot hold in part.",
        states,
        readings=("A",),
    ),
)
