"""Comparing cells by the loss that is expected if one of them is bought."""

from __future__ import annotations

import numpy as np

from budgeted.belief import Integers
from budgeted.expectation import lookahead
from budgeted.policies.base import Choice
from budgeted.problem import Action
from budgeted.state import State


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
    cells = [Action(*cell) for cell in np.argwhere(depths).tolist()]
    scores = found.values[depths > 0]
    tied = np.flatnonzero(found.best()[depths > 0])
    costs = [state.problem.features[cells[position].feature].cost for position in tied]
    cheapest = [each for each, cost in zip(tied, costs, strict=True) if cost == min(costs)]
    best = int(cheapest[rng.integers(len(cheapest))])
    depth = int(depths[cells[best]])
    reason = (
        f"least expected {loss} loss, {scores[best]:.4f}, after {depth} "
        f"purchase{'s' if depth > 1 else ''} of it"
    )
    return Choice(cells[best], dict(zip(cells, scores.tolist(), strict=True)), reason, found.engine)
