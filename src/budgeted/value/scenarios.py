"""Any loss, any number of labels: a weighted set of cases, all of them or a sample.

A *scenario* is a case x, together with what the purchases under way will have taught about it.
Two engines share everything but where the scenarios come from: `enumeration` has each x with its
probability; `particles` draws x from the model, and counts the standard error
(`budgeted.value.drawn`).

The loss of one x depends on x only through its joint masses, so its expectation is a mean of
``loss(posterior)`` over scenarios. For purchases of one cell (i, j) more is exact: only θ_ij
moves, and the terms with x_i = k see only θ_ijk, whose number of sightings is beta-binomial. So
with feature i divided out of the scenario (ρ), the sum over k and over all outcomes is done
exactly, in r(n + 1) terms instead of the C(n + r − 1, n) joint outcomes of the paper's eq. 4::

    Σ_k Σ_c BetaBinomial(c; n, α_ijk, N_ij − α_ijk) · loss(ρ_1 θ_i1k, …, ρ_j (α_ijk+c)/(N_ij+n), …)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from budgeted.learners.belief import Belief
from budgeted.learners.layout import Floats, Integers
from budgeted.value.drawn import ROUNDING, Drawn, shares
from budgeted.value.estimate import CellEstimates, Estimate
from budgeted.value.loss import Loss
from budgeted.value.quadrature import (
    Bought,
    Outcomes,
    every_outcome,
    few_outcomes,
    side_by_side,
)

TILE = 2**15
"""Entries of the largest temporary matrix: they stay in the processor's cache."""


@dataclass(frozen=True)
class Scenarios:
    """Weighted cases and the log-likelihood of each of their values.

    Attributes
    ----------
    values
        Positions of the values, scenarios × features.
    weights
        Share of each scenario; they sum to one.
    log_terms
        log θ of each value after the purchases under way, features × scenarios × labels.
    drawn
        What is known of them besides if they are a sample; None when all cases are there.
    outcomes
        For the features with purchases under way: their parameters after one random outcome
        that knows nothing of x, scenarios × labels × values.
    """

    values: Integers
    weights: Floats
    log_terms: Floats
    drawn: Drawn | None = None
    outcomes: Mapping[int, Floats] = field(default_factory=dict)

    @property
    def engine(self) -> str:
        """What these scenarios are called in results."""
        return "enumeration" if self.drawn is None else "particles"

    def log_joint(self, belief: Belief) -> Floats:
        """Return log P(x, label), scenarios × labels."""
        result: Floats = self.log_terms.sum(axis=0) + np.log(belief.problem.prior)
        return result


def cells(
    belief: Belief, scenarios: Scenarios, depths: Integers, given: Integers, loss: Loss
) -> CellEstimates:
    """Return the expected loss after `depths` more purchases of each cell alone.

    `given` are the purchases under way that the scenarios were drawn with.
    """
    joint = scenarios.log_joint(belief)
    values = np.full(depths.shape, np.nan)
    errors = np.zeros(depths.shape)
    outcomes = _outcomes(belief, depths, given, loss, all_of_them=scenarios.drawn is None)
    for feature in np.flatnonzero(depths.any(axis=1)).tolist():
        others, log_total = shares(joint - scenarios.log_terms[feature])
        rows, weights = slice(None), scenarios.weights
        if scenarios.drawn is None:  # each case without the feature once, with its probability
            rows = scenarios.values[:, feature] == 0
            others, weights = others[rows], np.exp(log_total[rows])
        means = scenarios.outcomes.get(feature, belief.means[:, belief.columns(feature)][None])
        bought = np.flatnonzero(depths[feature])
        may_come = [outcomes[feature, label] for label in bought.tolist()]
        per_case = _after_purchases(side_by_side(may_come), bought, others, means, loss)
        if scenarios.drawn is None:
            values[feature, bought] = per_case @ weights
        else:
            gains = scenarios.drawn.losses_without(belief, feature, loss) - per_case
            values[feature, bought], errors[feature, bought] = scenarios.drawn.after(gains)
    left_out = max((each.error for each in outcomes.values()), default=0.0)
    return CellEstimates(values, scenarios.engine, ROUNDING, errors, left_out=left_out)


def _outcomes(
    belief: Belief, depths: Integers, given: Integers, loss: Loss, all_of_them: bool
) -> dict[tuple[int, int], Outcomes]:
    """What may come of the purchases of each cell: all of it, or a few that stand for all."""
    cells = [(feature, label) for feature, label in np.argwhere(depths).tolist()]
    bought = [
        Bought(
            belief.counts[label, belief.columns(feature)],
            float(belief.totals[label, feature]),
            int(given[feature, label] + depths[feature, label]),
        )
        for feature, label in cells
    ]
    made = map(every_outcome, bought) if all_of_them else few_outcomes(bought, loss)
    return dict(zip(cells, made, strict=True))


def _after_purchases(
    outcomes: Outcomes, labels: Integers, others: Floats, means: Floats, loss: Loss
) -> Floats:
    """Expected loss of each scenario over all values of the feature and all outcomes of a cell.

    For each of the labels of which values are bought, labels × scenarios.
    """
    everyone = np.arange(others.shape[1])
    fixed = np.stack([np.delete(everyone, label) for label in labels])
    chances = outcomes.chances.reshape(len(labels), -1, 1)
    result = np.empty((len(labels), len(others)))
    tile = max(1, TILE // outcomes.after.size)
    for start in range(0, len(others), tile):
        rows = slice(start, start + tile)
        here = means if len(means) == 1 else means[rows]
        shares_here = others[rows].T[:, :, None]
        # bought labels × labels that stay × scenarios × values; the one that moves, × outcomes
        masses = (shares_here * np.moveaxis(here, 0, 1))[fixed]
        moving = shares_here[labels, :, :, None] * outcomes.after[:, None]
        stay = loss.gather.reduce(loss.term(masses), axis=1)[..., None]
        gathered = loss.gather(stay, loss.term(moving))
        moving += masses.sum(axis=1)[..., None]  # now all masses together
        losses = loss.finish(moving, gathered)
        result[:, rows] = (losses.reshape(*losses.shape[:2], -1) @ chances)[..., 0]
    return result


def exactly(value: float) -> Estimate:
    """Return an expected loss that is exact but for rounding."""
    lower, upper = value - ROUNDING, value + ROUNDING
    return Estimate(value, "enumeration", lower=lower, upper=upper, resolution=ROUNDING)
