"""Random shopper: anything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from budgeted.policies.base import Choice
from budgeted.policies.turns import draw_label
from budgeted.state import State


@dataclass(frozen=True)
class RandomShopper:
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

    name: ClassVar[str] = "random-shopper"
    summary: ClassVar[str] = "a feature at random, a label by its prior"
    draws: ClassVar[bool] = True
    looks_back: ClassVar[int] = 0
    alike: ClassVar[tuple[str, ...]] = ("features", "labels", "values")

    def choose(self, state: State, rng: np.random.Generator) -> Choice | None:
        """Return a random cell; it compares nothing, so there are no scores."""
        affordable = state.affordable()
        if not affordable:
            return None
        features = sorted({action.feature for action in affordable})
        feature = features[int(rng.integers(len(features)))]
        return Choice(draw_label(state, feature, affordable, rng), reason="drawn at random")
