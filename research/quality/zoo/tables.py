"""The tables of the package as worlds: for confirmation only, nothing is chosen by them.

A trial is a random split of a table, four fifths to buy from and one to be judged by. Its columns are
in a random order, so that no result is luck of the order they were printed in, and prices follow one
of the three patterns of the zoo in turn. The money is that of five values of every feature.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from budgeted.learners.belief import Integers
from budgeted.problem import Feature, Problem
from budgeted.seeds import stream
from budgeted.simulation.datasets import load, partition
from budgeted.simulation.tables.coding import Coding
from budgeted.simulation.worlds import TableWorld
from research.quality.zoo import worlds
from research.quality.zoo.model import information
from research.quality.zoo.traits import PRICES, SEEDS, TABLES_SEED, ZOO, uniform_in_logs
from research.quality.zoo.worlds import DEAREST, ZooWorld, cents, rising_with

TABLES = (
    "mushroom",
    "nursery",
    "votes",
    "car",
    "chess",
    "breast-wisconsin",
    "breast-ljubljana",
)
"""Those that come with the package."""
RUNS = 42
"""Of each table, 14 with each pattern of prices."""
MULTIPLE = 5
_TABLES = 4


@dataclass(frozen=True, eq=False)
class Trial:
    """A table as a world; attributes are those of `research.quality.zoo.worlds.ZooWorld`."""

    number: int
    strata: tuple[str, ...]
    problem: Problem
    world: TableWorld
    test_values: Integers
    test_labels: Integers
    majority_error: float
    seed: int

    @property
    def facts(self) -> dict[str, object]:
        """What it is."""
        return {"table": self.strata[0], "prices": self.strata[1]}


def draw(number: int, source: int = TABLES_SEED) -> Trial:
    """Return a trial: always the same for a number from 0, table by table."""
    name, prices = TABLES[number // RUNS], list(PRICES)[number % len(PRICES)]
    rng = stream(source, ZOO, number, _TABLES)
    seed = int(rng.integers(2**32))
    table = load(name)
    training, validation = partition(table, seed)
    own_value = name == "mushroom"  # as in the paper
    coding = Coding.learn(table, training, missing="own value" if own_value else "no value")
    order = rng.permutation(len(table.features))
    values, labels = coding.encode(training)[:, order], coding.labels(training)
    plain = coding.problem(1)
    features = [plain.features[at] for at in order.tolist()]
    amounts = _prices(prices, features, values, labels, rng)
    problem = Problem(
        [
            Feature(each.name, each.values, price)
            for each, price in zip(features, amounts, strict=True)
        ],
        plain.labels,
        plain.prior,
        MULTIPLE * sum(amounts, Decimal(0)),
    )
    test_labels = coding.labels(validation)
    return Trial(
        number,
        (name, prices),
        problem,
        TableWorld(problem, values, labels, seed),
        coding.encode(validation)[:, order],
        test_labels,
        float((test_labels != np.argmax(plain.prior)).mean()),
        seed,
    )


def _prices(
    pattern: str,
    features: list[Feature],
    values: Integers,
    labels: Integers,
    rng: np.random.Generator,
) -> list[Decimal]:
    """Prices as in the zoo; what a feature says of the label is counted in the training rows."""
    if pattern == "equal prices":
        return [Decimal("1.00")] * len(features)
    prices = [cents(uniform_in_logs(rng, 1, DEAREST)) for _ in features]
    if pattern == "prices by chance":
        return prices
    worths = [
        _worth(column, labels, len(each.values))
        for each, column in zip(features, values.T, strict=True)
    ]
    return rising_with(np.array(worths), prices, rng)


def _worth(column: Integers, labels: Integers, size: int) -> float:
    """Mutual information of a column with the label, over the rows that have it."""
    known = column >= 0
    counts = np.zeros((int(labels.max()) + 1, size))
    np.add.at(counts, (labels[known], column[known]), 1)
    there = counts.sum(axis=1)
    return information(there / there.sum(), counts / np.maximum(there, 1)[:, None])


World = ZooWorld | Trial
"""What is played in."""
SOURCES: Mapping[str, int] = {**dict.fromkeys(SEEDS, 300), "tables": len(TABLES) * RUNS}
"""Name → how many worlds are played unless told otherwise."""


def world_of(source: str, number: int) -> World:
    """Return a world of a source."""
    return draw(number) if source == "tables" else worlds.draw(SEEDS[source], number)
