"""Single feature lookahead: as if all the money went to one cell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from budgeted.policies.base import Choice
from budgeted.policies.lookahead import Lookahead, least_expected_loss, next_best
from budgeted.state import State


@dataclass(frozen=True)
class SingleFeatureLookahead(Lookahead):
    """Buy one value of the cell that would be best if all the money went to it.

    For each cell: the expected loss after as many purchases of it alone as the free money pays for
    and cases are left, at most `max_depth`. The best cell is bought once, and all is weighed anew
    (Lizotte, Madani and Greiner, 2003, Section 3.5 and Figure 2(c)). Unlike greedy it knows the
    budget and the costs.

    Parameters
    ----------
    max_depth
        Look at most this many purchases ahead; as far as the money goes unless given.
    loss
        ``gini``, ``entropy`` or ``zero_one``.
    engine, particles
        As for `budgeted.value.lookahead`.

    Examples
    --------
    >>> from budgeted import Feature, Problem, Purchase, State
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1), Feature("cough", ("no", "yes"), 1)],
    ...                   ("well", "ill"), prior=(0.5, 0.5), budget=50)
    >>> state = State.start(problem).after(Purchase(0, 1, value=1, cost=1))
    >>> choice = SingleFeatureLookahead(max_depth=30).choose(state, np.random.default_rng(0))
    >>> choice.action, choice.reason, choice.engine
    (Action(feature=1, label=1), 'least expected gini loss, 0.4422, after 30 purchases of it', \
'spectral')
    """

    name: ClassVar[str] = "sfl"
    summary: ClassVar[str] = "one value of what would be best if all the money went to it"

    def choose(self, state: State, rng: np.random.Generator) -> Choice | None:
        """Return the cell with the least expected loss; the scores are those losses."""
        depths = state.depths(at_most=self.max_depth)
        return least_expected_loss(
            state, depths, rng, loss=self.loss, engine=self.engine, particles=self.particles
        )

    def next_best(self, state: State, choice: Choice) -> tuple[Choice, ...]:
        """Return what a decision ranked behind its choice, for people who ask together."""
        return next_best(state, state.depths(at_most=self.max_depth), choice, self.loss)
