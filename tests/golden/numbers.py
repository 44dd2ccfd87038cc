"""Expected losses, optima of small problems, and what classifiers expect of themselves."""

from __future__ import annotations

import itertools
import random

import numpy as np

from budgeted import Purchase, policy
from budgeted.learners import learner
from budgeted.optimal import YARDSTICKS, play, solve
from budgeted.value import expected_loss, loss
from tests.golden import problem_of, rounded
from tests.golden.decisions import begun

WITHIN = {"gini": 0.0, "entropy": 0.0, "zero_one": 2e-5}
"""By how much a loss may differ: of two labels the 0/1 error is summed on a grid."""
LEARNERS = ("hierarchical", "naive-bayes", "logistic-regression")
DRAWN = 0.01
"""By how much an outlook may differ, which comes of drawn models."""
PLAYED = ("round-robin", "biased-robin", "greedy", "sfl", "random-shopper", "auto")
PLAYED_ON = ("costs-1-2-3", "mixed-values")
"""Where that takes a second."""


def losses(table):
    """The loss now, and what is expected after some allocations of purchases."""
    belief, rng = begun(table).belief, random.Random(5)
    cells = list(itertools.product(range(len(table["features"])), range(len(table["labels"]))))
    bought = [{}, {rng.choice(cells): 1}, {rng.choice(cells): 12}]
    bought += [{cell: rng.randint(1, 3) for cell in rng.sample(cells, size)} for size in (2, 3)]
    return [
        [
            kind,
            [[*cell, number] for cell, number in allocation.items()],
            rounded(expected_loss(belief, allocation, kind) if allocation else loss(belief, kind)),
        ]
        for kind in WITHIN
        for allocation in bought
    ]


def optimum(name):
    """The loss before and after the best purchases, and after those of policies."""
    yardstick = YARDSTICKS[name]
    start = yardstick.start()
    solution = solve(start, yardstick.loss)
    found = {"now": rounded(solution.loss_now), "optimal": rounded(solution.expected)}
    if name in PLAYED_ON:
        for each in PLAYED:
            found[each] = rounded(play(policy(each), start, yardstick.loss).expected)
    return found


def outlooks(table):
    """What classifiers say of some cases, and how wrong they expect to be, with an interval."""
    problem, rng = problem_of(table), random.Random(9)
    sizes = [len(each.values) for each in problem.features]
    bought = [
        Purchase(feature, label, min(sizes[feature] - 1, rng.randint(0, 1) + label % 2), "1",
                 f"{label} {at}")
        for label in range(len(problem.labels)) for at in range(8)
        for feature in rng.sample(range(len(sizes)), rng.randint(1, len(sizes)))
    ]  # fmt: skip
    cases = np.array([[rng.randrange(-1, size) for size in sizes] for _ in range(4)])
    found = {}
    for name in LEARNERS:
        predictor = learner(name).fit(problem, bought)
        outlook = predictor.outlook()
        found[name] = [
            [rounded(each) for each in (outlook.low, outlook.error, outlook.high)],
            [[rounded(each) for each in row] for row in predictor.probabilities(cases).tolist()],
        ]
    return found
