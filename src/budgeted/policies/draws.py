"""What a policy draws: a label by its share or by what it lacks, or a cell by its chance."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from budgeted.problem import Action
from budgeted.state import State


def draw_label(
    state: State, feature: int, affordable: Collection[Action], rng: np.random.Generator
) -> Action:
    """Return a cell of a feature, its label drawn from the prior of those that can be bought."""
    cells = [action for action in affordable if action.feature == feature]
    shares = np.array([state.problem.prior[cell.label] for cell in cells])
    return cells[int(rng.choice(len(cells), p=shares / shares.sum()))]


def fewest_label(
    state: State, feature: int, affordable: Collection[Action], rng: np.random.Generator
) -> Action:
    """Return a cell of a feature, of the label with the fewest values there; of equals, drawn."""
    cells = [action for action in affordable if action.feature == feature]
    under_way = state.under_way()
    seen = [float(state.belief.seen[cell]) + under_way.get(cell, 0) for cell in cells]
    equals = [cell for cell, number in zip(cells, seen, strict=True) if number == min(seen)]
    return equals[int(rng.integers(len(equals)))]


def draw_cell(
    cells: Sequence[Action], chances: Sequence[float], rng: np.random.Generator
) -> tuple[Action, dict[Action, float]]:
    """Return a cell drawn with these chances, and as the scores 1 − the chance of each."""
    shares = np.array(chances) / np.sum(chances)
    drawn = cells[int(rng.choice(len(cells), p=shares))]
    return drawn, dict(zip(cells, (1 - shares).tolist(), strict=True))
