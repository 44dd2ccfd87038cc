"""How the default bought before: by value per money under a belief in which features may be irrelevant.

It is here for comparisons (`research.quality.zoo`): nothing is under way there, and the loss is GINI.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from budgeted.learners.belief import Floats, Integers
from budgeted.learners.layout import layout_of
from budgeted.policies.auto import spread
from budgeted.policies.base import Choice
from budgeted.policies.lookahead import cheapest
from budgeted.problem import Action, money
from budgeted.state import State
from budgeted.value.loss import GINI
from research.quality.former import outcomes
from research.quality.former.relevance import RelevanceBelief

GROWTH = 4
"""Numbers of purchases per label that are weighed: 1, 4, 16, 64, …"""


@dataclass(frozen=True)
class FormerDefault:
    """Buys from the feature with the largest fall in expected loss per money, at its best number."""

    name: ClassVar[str] = "former"
    summary: ClassVar[str] = "how the default bought before the hierarchical learner"
    looks_back: ClassVar[int] = 0

    def choose(self, state: State, rng: np.random.Generator) -> Choice | None:
        """Return a cell of the best feature."""
        depths = state.depths()
        if not depths.any():
            return None
        belief = RelevanceBelief(state.problem, state.belief.observed)
        bought = np.add.reduceat(
            belief.observed, layout_of(state.problem).offsets, axis=1
        ).T.astype(float)
        rates, numbers = _rates(state, belief, depths, bought)
        cells = [Action(*cell) for cell in np.argwhere(depths).tolist()]
        best = rates >= np.nanmax(rates) - 1e-12
        tied = best[:, None] & _best_labels(belief, depths, np.where(best, numbers, 0), bought)
        return Choice(cells[cheapest(state, cells, tied[depths > 0], rng)])


def _best_labels(
    belief: RelevanceBelief, depths: Integers, numbers: Integers, bought: Floats
) -> NDArray[np.bool_]:
    """Of features with a number of purchases, the labels that are best when bought alone.

    A few values of one label often change no decision, and so no 0/1 error, whichever label
    it is; then it is one of which least is known.
    """
    share = -(-numbers // depths.shape[1])[:, None]  # rounded up
    alone = outcomes.cells(belief, np.minimum(depths, share), np.zeros_like(depths), GINI)
    losses = np.where(np.isnan(alone.values), np.inf, alone.values)
    best = losses <= losses.min(axis=1, keepdims=True) + alone.resolution
    known = np.where(best & np.isfinite(losses), bought, np.inf)
    result: NDArray[np.bool_] = known <= known.min(axis=1, keepdims=True)
    return result & np.isfinite(known)


def _rates(
    state: State, belief: RelevanceBelief, depths: Integers, bought: Floats
) -> tuple[Floats, Integers]:
    """For each feature the best fall per money, and over how many purchases."""
    nothing = np.zeros_like(depths)
    now = outcomes.expected(belief, nothing, GINI)
    features = state.problem.features
    costs = np.array([float(price) for price in state.problem.feature_prices])
    paid = np.array([money.how_many(state.free, each) for each in state.problem.feature_prices])
    most = np.minimum(paid, depths.sum(axis=1))
    rates = np.full(len(features), np.nan)
    numbers = np.zeros(len(features), dtype=np.int64)
    each = 1
    while each == 1 or each * depths.shape[1] < GROWTH * most.max():
        total = np.minimum(most, each * depths.shape[1])
        # No purchase saves more than the whole loss: where even that is less per money than
        # what a feature was found to save, more of it need not be weighed.
        at_best = float(now) / (np.maximum(total, 1) * costs)
        hopeful = (total > numbers) & ~(at_best <= rates)
        if not hopeful.any():
            break
        weighed = np.where(hopeful[:, None], spread(total, depths, bought), 0)
        found = outcomes.features(belief, weighed, nothing, GINI)
        rate = (float(now) - found.values) / (np.maximum(total, 1) * costs)
        better = hopeful & ~(rate <= rates)
        rates[better], numbers[better] = rate[better], total[better]
        each *= GROWTH
    return rates, numbers
