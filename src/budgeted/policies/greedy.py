"""Greedy: the best next value (the paper's Section 3.4, eq. 1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from budgeted.policies.base import Cell, Policy, Scores, View
from budgeted.policies.parameters import check_looking


@dataclass(frozen=True)
class Greedy(Policy):
    """Buy the cell with the least expected loss after one purchase.

    Lizotte, Madani and Greiner (2003), Section 3.4 and eq. 1. It looks one value ahead, whatever
    the budget, and does not weigh the costs.

    Parameters
    ----------
    loss
        ``gini``, ``entropy`` or ``zero_one``.
    particles
        How many cases are drawn where there are too many to go through.

    Examples
    --------
    >>> from budgeted import Feature, Problem, Purchase, State
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1), Feature("cough", ("no", "yes"), 1)],
    ...                   ("well", "ill"), prior=(0.5, 0.5), budget=5)
    >>> state = State.start(problem).after(Purchase(0, 1, value=1, cost=1))
    >>> Greedy().choose(state, np.random.default_rng(0)).reason
    'least expected gini loss, 0.4722, after 1 purchase of it'
    """

    name = "greedy"
    summary = "the least expected loss after one more purchase"
    history_needed = 0
    symmetries = ("features", "labels", "values")

    loss: str = "gini"
    particles: int = 1_000

    def __post_init__(self) -> None:
        check_looking(self.loss, self.particles)

    def scores(self, now: View) -> Scores:
        """Return the expected loss after one purchase of each cell."""
        return now.lookahead(np.minimum(now.depth, 1), self.loss, self.particles)

    def reason(self, now: View, cell: Cell, scores: Scores) -> str:
        """Return the loss, and after what."""
        return f"least expected {self.loss} loss, {scores.values[cell]:.4f}, after 1 purchase of it"
