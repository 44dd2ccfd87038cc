"""Random shopper: anything."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from budgeted.loss.losses import Floats
from budgeted.policies.base import Cell, Policy, Scores, View


@dataclass(frozen=True)
class RandomShopper(Policy):
    """Buy a feature at random, from a label drawn from the prior.

    The yardstick of the later literature: its *data utilisation rate* compares the money that a
    policy needs with what the random shopper needs (Deng et al., 2013).

    Examples
    --------
    >>> from budgeted import Feature, Problem, State
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"),
    ...                   prior=(0.5, 0.5), budget=1)
    >>> RandomShopper().choose(State.start(problem), np.random.default_rng(1)).reason
    'drawn at random'
    """

    name = "random-shopper"
    summary = "a feature at random, a label by its prior"
    history_needed = 0
    symmetries = ("features", "labels", "values")

    def scores(self, now: View) -> Scores:
        """Return the same for all."""
        return Scores(np.zeros(now.depth.shape), compared=False)

    def chances(self, now: View, scores: Scores) -> Floats:
        """Return the share of each label within each feature, all features alike."""
        shares = np.where(now.depth > 0, now.problem.prior, 0.0)
        shares /= np.maximum(shares.sum(axis=1, keepdims=True), np.finfo(float).tiny)
        result: Floats = shares / shares.sum()
        return result

    def reason(self, now: View, cell: Cell, scores: Scores) -> str:
        """Return that there is none."""
        return "drawn at random"
