"""Small problems, solved exactly, that tell policies apart.

With flat priors and equal costs nearly everybody is nearly optimal, so most of these have prices,
priors, values or labels that differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from budgeted.learners.belief import Belief
from budgeted.problem import Feature, Problem
from budgeted.problem.money import MoneyLike
from budgeted.problem.prices import PriceList

Counts = float | Sequence[float] | Sequence[Sequence[float]]


@dataclass(frozen=True)
class Yardstick:
    """A problem to be solved exactly.

    Attributes
    ----------
    name, about
        For tables and for people.
    problem
        What is for sale.
    loss
        ``gini``, ``entropy`` or ``zero_one``.
    """

    name: str
    about: str
    problem: Problem
    loss: str = "gini"

    def start(self) -> Belief:
        """Return the belief before anything is bought."""
        return Belief.prior(self.problem)


def small_problem(
    values: Sequence[int],
    costs: Sequence[MoneyLike],
    counts: Sequence[Counts],
    prior: Sequence[float],
    budget: MoneyLike,
    prices: PriceList | None = None,
) -> Problem:
    """Return a problem without names: features x1, x2, …, labels y1, y2, … .

    Parameters
    ----------
    values, costs, counts
        Of each feature: how many values, the price, the prior counts (see `Feature`).
    prior
        Share of each label.
    budget
        Money.
    prices
        What orders cost; the price of each feature, unless given.
    """
    features = [
        Feature(f"x{at + 1}", [str(value + 1) for value in range(size)], cost, count)
        for at, (size, cost, count) in enumerate(zip(values, costs, counts, strict=True))
    ]
    return Problem(features, [f"y{at + 1}" for at in range(len(prior))], prior, budget, prices)


EVEN = (0.5, 0.5)
KNOWN = ((6, 2), (2, 6))
"""A feature known to tell the labels apart, from eight cases of each."""
VAGUE = ((4, 3), (3, 4))
"""A feature that seems to tell little, from seven cases of each."""

YARDSTICKS = {
    each.name: each
    for each in (
        Yardstick(
            "two-flat",
            "two Boolean features, flat priors, equal costs: nearly everybody is nearly optimal",
            small_problem((2, 2), (1, 1), (1, 1), EVEN, 12),
        ),
        Yardstick(
            "three-flat",
            "the same with three features",
            small_problem((2, 2, 2), (1, 1, 1), (1, 1, 1), EVEN, 10),
        ),
        Yardstick(
            "costs-1-4",
            "two features that differ in nothing but their price, 1 and 4",
            small_problem((2, 2), (1, 4), (1, 1), EVEN, 14),
        ),
        Yardstick(
            "costs-1-2-3",
            "three features at 1, 2 and 3",
            small_problem((2, 2, 2), (1, 2, 3), (1, 1, 1), EVEN, 12),
        ),
        Yardstick(
            "dear-but-good",
            "a dear feature known to be good, a cheap one of which nothing is known",
            small_problem((2, 2), (4, 1), (KNOWN, 1), EVEN, 16),
        ),
        Yardstick(
            "unequal-priors",
            "one feature known to be good, one that seems poor, one unknown",
            small_problem((2, 2, 2), (1, 1, 1), (KNOWN, VAGUE, 1), EVEN, 8),
        ),
        Yardstick(
            "extreme-priors",
            "parameters near 0 or 1 for one feature, near one half for the other",
            small_problem((2, 2), (1, 1), (0.2, 4), EVEN, 10),
        ),
        Yardstick(
            "rare-label",
            "one case in ten has the second label",
            small_problem((2, 2), (1, 1), (1, 1), (0.9, 0.1), 12),
        ),
        Yardstick(
            "rare-label-costs",
            "the same with prices 1 and 3, and a good dear feature",
            small_problem((2, 2), (1, 3), (1, KNOWN), (0.9, 0.1), 15),
        ),
        Yardstick(
            "three-values",
            "two features of three values each",
            small_problem((3, 3), (1, 1), (1, 1), EVEN, 10),
        ),
        Yardstick(
            "mixed-values",
            "a Boolean feature at 1, one of four values at 2",
            small_problem((2, 4), (1, 2), (1, 0.5), EVEN, 12),
        ),
        Yardstick(
            "three-labels",
            "two features, prices 1 and 2, and three labels",
            small_problem((3, 3), (1, 2), (1, 1), (0.5, 0.3, 0.2), 8),
        ),
        Yardstick(
            "zero-one",
            "prices 1 and 4, a skewed label prior, judged by the 0/1 error",
            small_problem((2, 2), (1, 4), (1, 1), (0.6, 0.4), 14),
            loss="zero_one",
        ),
    )
}
"""Every yardstick by its name."""
