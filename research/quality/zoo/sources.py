"""Where worlds come from, by name: the two seeds of the zoo, and the tables of the package."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from budgeted.learners.belief import Integers
from budgeted.problem import Problem
from budgeted.simulation.worlds import TableWorld
from research.quality.zoo import tables, worlds
from research.quality.zoo.seeds import SEEDS

SOURCES: Mapping[str, int] = {
    **dict.fromkeys(SEEDS, 300),
    "tables": len(tables.TABLES) * tables.RUNS,
}
"""Name → how many worlds are played unless told otherwise."""


class World(Protocol):
    """What is played in: `research.quality.zoo.worlds.ZooWorld` or `research.quality.zoo.tables.Trial`."""

    @property
    def problem(self) -> Problem:
        """What is for sale."""
        ...

    @property
    def world(self) -> TableWorld:
        """The cases to buy from."""
        ...

    @property
    def test_values(self) -> Integers:
        """Cases to be judged by, cases × features."""
        ...

    @property
    def test_labels(self) -> Integers:
        """Their labels."""
        ...

    @property
    def majority_error(self) -> float:
        """Error of always saying the most frequent label."""
        ...

    @property
    def seed(self) -> int:
        """Of the runs in it."""
        ...

    @property
    def strata(self) -> tuple[str, ...]:
        """Where it belongs."""
        ...

    @property
    def facts(self) -> dict[str, object]:
        """What it is."""
        ...


def world_of(source: str, number: int) -> World:
    """Return a world of a source."""
    if source == "tables":
        return tables.draw(number)
    return worlds.draw(SEEDS[source], number)
