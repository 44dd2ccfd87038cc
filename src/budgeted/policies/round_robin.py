"""Round robin: everything in turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from budgeted.policies.base import Choice, in_turn
from budgeted.state import State


@dataclass(frozen=True)
class RoundRobin:
    """Buy the cells in a fixed cyclic order, whatever comes back.

    The order goes feature by feature and, within a feature, label by label; cells that cannot be
    bought are passed over. With equal costs this is the uniform allocation, the usual way to run a
    study and the paper's baseline (Lizotte, Madani and Greiner, 2003, Section 3.2).

    Examples
    --------
    >>> from budgeted import Feature, Problem, State
    >>> from budgeted.policies import policy
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1), Feature("cough", ("no", "yes"), 1)],
    ...                   ("well", "ill"), prior=(0.5, 0.5), budget=5)
    >>> state, rng = State.start(problem), np.random.default_rng(0)
    >>> while (choice := policy("round-robin").choose(state, rng)) is not None:
    ...     state = state.reserve(choice.action)
    >>> [tuple(request.action) for request in state.pending]
    [(0, 0), (0, 1), (1, 0), (1, 1), (0, 0)]
    """

    name: ClassVar[str] = "round-robin"
    summary: ClassVar[str] = "every feature and label in turn, whatever comes back"
    looks_back: ClassVar[int] = 1
    alike: ClassVar[tuple[str, ...]] = ("values",)

    def choose(self, state: State, rng: np.random.Generator) -> Choice | None:
        """Return the next cell in turn; its scores count the turns until each cell is due."""
        affordable = state.affordable()
        if not affordable:
            return None
        queue = in_turn(state.problem.actions, state.last_action, set(affordable))
        scores = {action: float(turn) for turn, action in enumerate(queue)}
        return Choice(queue[0], scores, "it is next in turn")
