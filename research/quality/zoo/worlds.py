"""Draw a world of the zoo: what is for sale, the cases to buy from, and a large table to judge by.

The distribution is that of `research.quality.zoo.traits`; here it becomes prices, cases and a problem.
The training cases are labels × three times the values of a feature that can be bought if all are
bought alike, at least 200 and at most 3 000; their labels are drawn by the true shares, but there
are 20 of each. Whoever puts all money on one feature can run out of cases, as in life.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from math import ceil
from string import ascii_lowercase

import numpy as np

from budgeted.learners.belief import Floats, Integers
from budgeted.problem import Feature, Problem
from budgeted.seeds import stream
from budgeted.simulation.worlds import TableWorld
from research.quality.zoo.model import Model
from research.quality.zoo.traits import ZOO, Traits, draw_traits, uniform_in_logs

TEST_CASES = 4_000
FEWEST_CASES, MOST_CASES, FEWEST_OF_A_LABEL = 200, 3_000, 20
DEAREST = 20.0
_MODEL, _CASES, _SEED = 1, 2, 3
_CENT = Decimal("0.01")


@dataclass(frozen=True, eq=False)
class ZooWorld:
    """A world of the zoo."""

    number: int
    traits: Traits  # what kind it is
    model: Model
    problem: Problem  # what is for sale at what price; the prior is the true shares of the labels
    world: TableWorld  # the training cases; some cells may be missing
    # test_values, test_labels: a large table to judge by: no missing cells, labels in the true shares
    test_values: Integers
    test_labels: Integers
    majority_error: float  # error of always saying the most frequent label, there
    seed: int  # of the runs in this world: the order of its cases, and what policies draw

    @property
    def strata(self) -> tuple[str, ...]:
        """Where the world belongs."""
        return self.traits.strata

    @property
    def facts(self) -> dict[str, object]:
        """What was drawn about it."""
        return asdict(self.traits)


def draw(seed: int, number: int) -> ZooWorld:
    """Return a world: always the same for a seed and a number."""
    return of_traits(draw_traits(seed, number), seed, number)


def of_traits(traits: Traits, seed: int, number: int) -> ZooWorld:
    """Return a world of a kind."""
    rng = stream(seed, ZOO, number, _MODEL)
    model = Model.draw(traits, rng)
    problem = _problem(traits, model, rng)
    rng = stream(seed, ZOO, number, _CASES)
    labels = rng.permutation(np.repeat(np.arange(len(traits.shares)), _training(traits, rng)))
    values = model.cases(labels, rng)
    values[rng.random(values.shape) < traits.missing] = -1
    test_labels = np.repeat(np.arange(len(traits.shares)), in_shares(TEST_CASES, traits.shares))
    own_seed = int(stream(seed, ZOO, number, _SEED).integers(2**32))
    return ZooWorld(
        number,
        traits,
        model,
        problem,
        TableWorld(problem, values, labels, own_seed),
        model.cases(test_labels, rng),
        test_labels,
        float((test_labels != np.argmax(traits.shares)).mean()),
        own_seed,
    )


def in_shares(number: int, shares: tuple[float, ...]) -> Integers:
    """Return whole numbers with a given sum that are nearest to the shares of it.

    >>> in_shares(10, (0.55, 0.33, 0.12)).tolist()
    [6, 3, 1]
    """
    exact = number * np.asarray(shares)
    counts: Integers = np.floor(exact).astype(np.int64)
    short = number - int(counts.sum())
    counts[np.argsort(counts - exact, kind="stable")[:short]] += 1
    return counts


def _problem(traits: Traits, model: Model, rng: np.random.Generator) -> Problem:
    prices = _prices(traits, model, rng)
    budget = (Decimal(traits.multiple) * sum(prices)).quantize(_CENT, ROUND_HALF_EVEN)
    features = [
        Feature(f"x{at + 1}", tuple(ascii_lowercase[: table.shape[1]]), price)
        for at, (table, price) in enumerate(zip(model.tables, prices, strict=True))
    ]
    labels = [f"y{at + 1}" for at in range(len(traits.shares))]
    return Problem(features, labels, traits.shares, budget)


def _prices(traits: Traits, model: Model, rng: np.random.Generator) -> list[Decimal]:
    if traits.prices == "equal prices":
        return [Decimal("1.00")] * traits.features
    drawn = [uniform_in_logs(rng, 1, DEAREST) for _ in range(traits.features)]
    prices = [cents(each) for each in drawn]
    if traits.prices == "prices by chance":
        return prices
    return rising_with(model.worths, prices, rng)


def cents(price: float) -> Decimal:
    """Return a price in whole cents."""
    return Decimal(price).quantize(_CENT, ROUND_HALF_EVEN)


def rising_with(
    worths: Floats, prices: Sequence[Decimal], rng: np.random.Generator
) -> list[Decimal]:
    """Return the prices in such an order that what says more is dearer.

    Of features that say nothing, which differ by rounding alone, chance says which is dearer.
    """
    order = np.lexsort((rng.random(len(prices)), worths.round(12)))
    result = list(prices)
    for at, price in zip(order.tolist(), sorted(prices), strict=True):
        result[at] = price
    return result


def _training(traits: Traits, rng: np.random.Generator) -> Integers:
    """How many training cases there are of each label."""
    labels = len(traits.shares)
    wanted = max(FEWEST_CASES, ceil(3 * traits.multiple) * labels)
    counts = rng.multinomial(min(wanted, MOST_CASES), traits.shares)
    while counts.min() < FEWEST_OF_A_LABEL:  # the most frequent give way, so the sum stays
        counts[counts.argmin()] += 1
        counts[counts.argmax()] -= 1
    return counts
