"""Drawn cases, together with what the purchases under way will have taught about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from budgeted.learners.belief import Belief
from budgeted.learners.layout import Floats, Integers
from budgeted.value.drawn import ROUNDING, Drawn, shares
from budgeted.value.estimate import CellEstimates
from budgeted.value.loss import Loss
from budgeted.value.one_cell import after_purchases, by_feature, purchases
from budgeted.value.quadrature import few_outcomes


@dataclass(frozen=True)
class Scenarios:
    """Drawn cases and the log-likelihood of each of their values.

    Attributes
    ----------
    drawn
        What is known of the cases as things are.
    log_terms
        log θ of each value after the purchases under way, features × labels × cases.
    outcomes
        For the features with purchases under way: their parameters after one random outcome
        that knows nothing of the case, labels × values × cases.
    """

    drawn: Drawn
    log_terms: Floats
    outcomes: Mapping[int, Floats]

    def log_joint(self, belief: Belief) -> Floats:
        """Return log P(x, label), labels × cases."""
        result: Floats = self.log_terms.sum(axis=0) + np.log(belief.problem.prior)[:, None]
        return result


def cells(
    belief: Belief, scenarios: Scenarios, depths: Integers, given: Integers, loss: Loss
) -> CellEstimates:
    """Return the expected loss after `depths` more purchases of each cell alone, of drawn cases.

    `given` are the purchases under way that the scenarios were drawn with.
    """
    joint, drawn = scenarios.log_joint(belief), scenarios.drawn
    values, errors = np.full(depths.shape, np.nan), np.zeros(depths.shape)
    outcomes = few_outcomes(purchases(belief, depths, given), loss)
    for feature, bought, here in by_feature(depths, outcomes):
        others = shares(joint - scenarios.log_terms[feature])
        means = scenarios.outcomes.get(feature, belief.means[:, belief.columns(feature), None])
        then = after_purchases(here, bought, others, means, loss)
        gains = drawn.losses_without(belief, feature, loss) - then
        values[feature, bought], errors[feature, bought] = drawn.after(gains)
    return CellEstimates(values, "particles", ROUNDING, errors)
