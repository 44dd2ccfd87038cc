"""Round robin: everything in turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from budgeted.errors import PolicyError
from budgeted.policies.base import Choice, in_turn
from budgeted.policies.turns import draw_label
from budgeted.problem import Action
from budgeted.state import State


@dataclass(frozen=True)
class RoundRobin:
    """Buy everything in turn, whatever comes back: the cells, or whole cases.

    Over ``cells`` it goes feature by feature and, within a feature, label by label; cells that
    cannot be bought are passed over. With equal costs this is the uniform allocation, the paper's
    baseline (Lizotte, Madani and Greiner, 2003, Section 3.2).

    Over ``cases`` every feature of one case is ordered, and then those of the next: "run every test
    on every patient until we exhaust our fixed budget" (Section 1), the usual way to run a study.
    The label of the next case is drawn from the prior, as if cases came as they are. Features that
    the rest of the money does not pay for are left out.

    Parameters
    ----------
    over
        ``cells`` or ``cases``.

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
    >>> policy("round-robin", over="cases").choose(State.start(problem), rng).order.features
    (0, 1)
    """

    name: ClassVar[str] = "round-robin"
    summary: ClassVar[str] = "every feature and label in turn, whatever comes back"
    looks_back: ClassVar[int] = 1
    alike: ClassVar[tuple[str, ...]] = ("values",)

    over: str = "cells"

    def __post_init__(self) -> None:
        if self.over not in ("cells", "cases"):
            raise PolicyError(f"over: must be 'cells' or 'cases', got {self.over!r}")

    def choose(self, state: State, rng: np.random.Generator) -> Choice | None:
        """Return the next cell in turn; its scores count the turns until each cell is due."""
        affordable = state.affordable()
        if not affordable:
            return None
        if self.over == "cases":
            return _whole_case(state, affordable, rng)
        queue = in_turn(state.problem.actions, state.last_action, affordable)
        scores = dict(zip(queue, np.arange(len(queue), dtype=float).tolist(), strict=True))
        return Choice(queue[0], scores, "it is next in turn")


def _whole_case(state: State, affordable: tuple[Action, ...], rng: np.random.Generator) -> Choice:
    """All features of a case whose label is drawn, as far as the money goes."""
    first = draw_label(state, affordable[0].feature, affordable, rng)
    wanted: tuple[int, ...] = ()
    for feature in (each.feature for each in affordable if each.label == first.label):
        found = state.offers.cheapest((*wanted, feature), first.label)
        if found is not None and found[0] <= state.spendable:
            wanted = (*wanted, feature)
    reason = "all features of the next case"
    return Choice(Action(wanted[0], first.label), reason=reason, together=wanted[1:])
