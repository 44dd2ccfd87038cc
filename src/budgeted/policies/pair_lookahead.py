"""Class-pair lookahead: as if all the money went to one feature, shared by its labels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from budgeted.learners.belief import Floats, Integers
from budgeted.policies.base import Choice
from budgeted.policies.lookahead import Lookahead, cheapest
from budgeted.problem import Action
from budgeted.state import NO_LIMIT, State
from budgeted.value import CellEstimates, feature_lookahead, lookahead


@dataclass(frozen=True)
class PairLookahead(Lookahead):
    """Buy a value of the feature that would be best if all the money went to all its labels.

    A variant of single feature lookahead (Lizotte, Madani and Greiner, 2003, *Budgeted learning of
    naive-Bayes classifiers*, UAI, Section 3.5), which judges a feature by the purchases of one
    label at a time. But a feature tells labels apart by how its values differ between them: what
    is learnt of one label is worth more once the other is known. So here the purchases that the
    free money pays for are shared evenly between the labels, as far as cases are left, and what
    remains after even shares goes to the labels in the order of what they are worth alone.

    Of the best feature, the label is bought whose share alone has the least expected loss.
    Requests under way count as bought.

    Parameters
    ----------
    max_depth
        Look at most this many purchases of a feature ahead; as far as the money goes unless given.
    loss
        ``gini``, ``entropy`` or ``zero_one``.
    engine, particles
        As for `budgeted.value.feature_lookahead`.

    Examples
    --------
    >>> from budgeted import Feature, Problem, Purchase, State
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1), Feature("cough", ("no", "yes"), 1)],
    ...                   ("well", "ill"), prior=(0.5, 0.5), budget=50)
    >>> state = State.start(problem).after(Purchase(0, 1, value=1, cost=1))
    >>> choice = PairLookahead(max_depth=30).choose(state, np.random.default_rng(0))
    >>> choice.action.feature, choice.reason, choice.engine
    (1, "least expected gini loss, 0.4103, after 30 purchases of 'cough', shared by the labels", \
'spectral')
    """

    name: ClassVar[str] = "pair-lookahead"
    summary: ClassVar[str] = "like sfl, but judging a feature with the money shared by its labels"

    def choose(self, state: State, rng: np.random.Generator) -> Choice | None:
        """Return a cell of the best feature; the scores are the features' expected losses."""
        depths = state.depths(at_most=self.max_depth)
        if not depths.any():
            return None
        total = self._totals(state, depths)
        even = -(-total // depths.shape[1])[:, None]  # rounded up
        alone = np.minimum(depths, even)
        shares = evenly(total, depths)
        odd = (shares.sum(axis=1) < total)[:, None]
        if odd.any():
            worth = self._look(lookahead, state, np.where(odd, alone, 0), rng)
            shares = rest_to_the_best(shares, total, depths, worth.values)
        found = self._look(feature_lookahead, state, shares, rng)
        best_features = found.best()[:, None]
        worth = self._look(lookahead, state, np.where(best_features, alone, 0), rng)
        asked = depths > 0
        least = np.where(np.isnan(worth.values), np.inf, worth.values).min(axis=1, keepdims=True)
        tied = best_features & (worth.values <= least + worth.resolution)
        cells = [Action(*cell) for cell in np.argwhere(asked).tolist()]
        best = cells[cheapest(state, cells, tied[asked], rng)]
        number = int(shares[best.feature].sum())
        reason = (
            f"least expected {self.loss} loss, {found.values[best.feature]:.4f}, after {number} "
            f"purchase{'s' if number > 1 else ''} of "
            f"{state.problem.features[best.feature].name!r}, shared by the labels"
        )
        scores = {cell: float(found.values[cell.feature]) for cell in cells}
        return Choice(best, scores, reason, found.engine, resolution=found.resolution)

    def _look(
        self,
        function: Callable[..., CellEstimates],
        state: State,
        depths: Integers,
        rng: np.random.Generator,
    ) -> CellEstimates:
        return function(
            state.belief,
            depths,
            self.loss,
            given=state.under_way(),
            engine=self.engine,
            particles=self.particles,
            rng=rng,
        )

    def _totals(self, state: State, depths: Integers) -> Integers:
        """Return how often each feature could be bought with the free money, whatever the label."""
        most = NO_LIMIT if self.max_depth is None else self.max_depth
        result: Integers = np.minimum(state.purchases(depths), most)
        return result


def evenly(total: Integers, most: Integers) -> Integers:
    """Share purchases of each feature evenly between its labels, and leave what does not divide.

    >>> evenly(np.array([7, 7]), np.array([[9, 9], [9, 2]])).tolist()
    [[3, 3], [5, 2]]
    """
    result = np.zeros_like(most)
    left = total.copy()
    for _ in range(most.shape[1]):  # each time round a label is full, or all have the same
        takes = result < most
        share = left // np.maximum(takes.sum(axis=1), 1)
        more = np.minimum(np.where(takes, share[:, None], 0), most - result)
        result += more
        left -= more.sum(axis=1)
    return result


def rest_to_the_best(shares: Integers, total: Integers, most: Integers, losses: Floats) -> Integers:
    """Return the shares with what was left given one each to the labels of the least losses.

    >>> losses = np.array([[0.2, 0.1]])
    >>> rest_to_the_best(np.array([[3, 3]]), np.array([7]), np.array([[9, 9]]), losses).tolist()
    [[3, 4]]
    """
    left = total - shares.sum(axis=1)
    order = np.where(shares < most, losses, np.inf).argsort(axis=1, kind="stable")
    result: Integers = shares + (order.argsort(axis=1) < left[:, None])
    return result
