"""Looking ahead: cells compared by the loss expected if one is bought; ties go to the cheapest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from budgeted.learners.belief import Floats, Integers
from budgeted.policies.base import Choice, check_count
from budgeted.problem import Action
from budgeted.state import State
from budgeted.value import (
    ENGINES,
    CellEstimates,
    Estimate,
    check_engine_options,
    expected_loss,
    lookahead,
)
from budgeted.value.loss import named

MOST_RANKED = 100
"""Purchases that one decision is good for, at most, if many people ask at the same moment."""


@dataclass(frozen=True)
class Lookahead:
    """What policies that look ahead share: how far they look, by which loss, and how it is done."""

    looks_back: ClassVar[int] = 0
    alike: ClassVar[tuple[str, ...]] = ("features", "labels", "values")

    max_depth: int | None = None
    loss: str = "gini"
    engine: str = "auto"
    particles: int = 1_000

    def __post_init__(self) -> None:
        named(self.loss)
        check_engine_options(self.engine, self.particles)
        if self.max_depth is not None:
            check_count("max_depth", self.max_depth)


def least_expected_loss(
    state: State,
    depths: Integers,
    rng: np.random.Generator,
    *,
    loss: str,
    engine: str,
    particles: int,
) -> Choice | None:
    """Return the cell with the least expected loss if it alone were bought to its depth.

    Requests under way count as bought, in expectation. Cells whose expected losses the engine
    cannot tell apart are tied; of those the generator picks one of the cheapest.
    """
    if not depths.any():
        return None
    found = lookahead(
        state.belief,
        depths,
        loss,
        given=state.under_way(),
        engine=engine,
        particles=particles,
        rng=rng,
    )
    cells = list(compress(state.problem.actions, depths.ravel().tolist()))
    scores = found.values[depths > 0]
    best = cheapest(state, cells, found.best()[depths > 0], rng)
    depth = int(depths[cells[best]])
    reason = (
        f"least expected {loss} loss, {scores[best]:.4f}, after {depth} "
        f"purchase{'s' if depth > 1 else ''} of it"
    )
    return Choice(
        cells[best],
        dict(zip(cells, scores.tolist(), strict=True)),
        reason,
        found.engine,
        resolution=found.resolution,
    )


def next_best(state: State, depths: Integers, choice: Choice, loss: str) -> tuple[Choice, ...]:
    """Return what `least_expected_loss` ranked behind its choice, the best first."""
    behind = sorted(
        (score, state.price(cell), cell)
        for cell, score in choice.scores.items()
        if cell != choice.action
    )
    return tuple(
        replace(
            choice,
            action=cell,
            reason=f"number {rank} of one decision, by expected {loss} loss, {score:.4f}, after "
            f"{depths[cell]} purchase{'s' if depths[cell] > 1 else ''} of it; those before "
            "it were asked for at the same moment",
        )
        for rank, (score, _, cell) in enumerate(behind[:MOST_RANKED], start=2)
    )


def cheapest(
    state: State, cells: Sequence[Action], tied: NDArray[np.bool_], rng: np.random.Generator
) -> int:
    """Return the position of one of the cheapest of the tied cells; the generator picks it."""
    prices = {position: state.price(cells[position]) for position in np.flatnonzero(tied).tolist()}
    lowest = min(prices.values())
    least = [position for position, price in prices.items() if price == lowest]
    return least[int(rng.integers(len(least)))]


def gains(
    state: State,
    several: Sequence[Integers],
    rng: np.random.Generator,
    *,
    loss: str,
    engine: str,
    particles: int,
) -> tuple[Estimate, list[CellEstimates]]:
    """Return the expected loss as things are, and one lookahead for each array of depths.

    Requests under way count as bought in all of them. Where cases are sampled, all share them, so
    that differences mean something; where nothing is sampled, nothing is drawn.
    """
    given = state.under_way()

    def look(depths: Integers, seed: int) -> CellEstimates:
        return lookahead(
            state.belief, depths, loss, given=given, engine=engine, particles=particles, rng=seed
        )

    first = look(several[0], 0)
    seed = 0
    if ENGINES[first.engine].draws:
        seed = int(rng.integers(2**63))
        first = look(several[0], seed)
    now = expected_loss(
        state.belief, given, loss, engine=first.engine, particles=particles, rng=seed
    )
    return now, [first, *(look(depths, seed) for depths in several[1:])]


def costs_of(state: State, cells: Sequence[Action]) -> Floats:
    """Return what one value of each cell costs."""
    costs = state.costs()
    return np.array([costs[cell] for cell in cells])
