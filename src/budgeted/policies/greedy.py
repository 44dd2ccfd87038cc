"""Greedy: the best next value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from budgeted.policies.base import Choice
from budgeted.policies.lookahead import least_expected_loss, next_best
from budgeted.state import State
from budgeted.value import check_engine_options
from budgeted.value.loss import named


@dataclass(frozen=True)
class Greedy:
    """Buy the cell with the least expected loss after one purchase.

    Lizotte, Madani and Greiner (2003), Section 3.4 and eq. 1. It looks one value ahead, whatever
    the budget, and does not weigh the costs.

    Parameters
    ----------
    loss
        ``gini``, ``entropy`` or ``zero_one``.
    engine, particles
        As for `budgeted.value.lookahead`.

    Examples
    --------
    >>> from budgeted import Feature, Problem, Purchase, State
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1), Feature("cough", ("no", "yes"), 1)],
    ...                   ("well", "ill"), prior=(0.5, 0.5), budget=5)
    >>> state = State.start(problem).after(Purchase(0, 1, value=1, cost=1))
    >>> Greedy().choose(state, np.random.default_rng(0)).reason
    'least expected gini loss, 0.4722, after 1 purchase of it'
    """

    name: ClassVar[str] = "greedy"
    summary: ClassVar[str] = "the least expected loss after one more purchase"
    looks_back: ClassVar[int] = 0
    alike: ClassVar[tuple[str, ...]] = ("features", "labels", "values")

    loss: str = "gini"
    engine: str = "auto"
    particles: int = 1_000

    def __post_init__(self) -> None:
        named(self.loss)
        check_engine_options(self.engine, self.particles)

    def choose(self, state: State, rng: np.random.Generator) -> Choice | None:
        """Return the cell with the least expected loss; the scores are those losses."""
        depths = state.depths(at_most=1)
        return least_expected_loss(
            state, depths, rng, loss=self.loss, engine=self.engine, particles=self.particles
        )

    def next_best(self, state: State, choice: Choice) -> tuple[Choice, ...]:
        """Return what a decision ranked behind its choice, for people who ask together."""
        return next_best(state, state.depths(at_most=1), choice, self.loss)
