"""All cases and all outcomes, one after the other: anything small, exact but for rounding."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from budgeted.errors import EngineError
from budgeted.learners.belief import Belief
from budgeted.learners.layout import Integers, every_case, number_of_cases
from budgeted.value import beta_binomial
from budgeted.value.base import (
    CELLS,
    FEATURES,
    GAINS,
    CellEstimates,
    Estimate,
    Known,
    OfBeliefs,
    Sampling,
)
from budgeted.value.beta_binomial import every_outcome
from budgeted.value.loss import Loss
from budgeted.value.one_cell import (
    TILE,
    after_purchases,
    by_feature,
    loss_of_all_cases,
    masses_of_all_cases,
    purchases,
)
from budgeted.value.particles import ROUNDING, current_terms

MOST_TERMS = 10**8
"""More terms than this are refused: minutes, not seconds."""
_SMALL = 2**20
"""Up to so many terms are enumerated rather than sampled."""
_FEW_CASES = 4096
"""In a lookahead up to so many cases are enumerated; each costs as much as a particle."""


class Enumeration(OfBeliefs):
    """Goes through everything; any loss and any number of labels."""

    name: ClassVar[str] = "enumeration"

    def feasible(self, known: Known, question: str, depths: Integers, given: Integers) -> bool:
        """Whether there is little to go through."""
        if question == GAINS:  # how much there will be to go through is not known yet
            return False
        if question == CELLS:
            return number_of_cases(known.problem) <= _FEW_CASES and not given.any()
        if question == FEATURES:
            return sum(terms(known, each) for _, each in _alone(depths, given)) <= _SMALL
        return terms(known, depths) <= _SMALL

    def expected(
        self, known: Belief, allocation: Integers, loss: Loss, sampling: Sampling
    ) -> Estimate:
        """Return the expected loss over all cases and all outcomes."""
        return expected_by_enumeration(known, allocation, loss)

    def cells(
        self, known: Belief, depths: Integers, given: Integers, loss: Loss, sampling: Sampling
    ) -> CellEstimates:
        """Return the expected loss of each cell; at once if nothing is under way."""
        values = np.full(depths.shape, np.nan)
        if not given.any():
            _check_number(number_of_cases(known.problem))
            outcomes = every_outcome(purchases(known, depths, given))
            for feature, bought, here in by_feature(depths, outcomes):
                others = masses_of_all_cases(known, without=feature)
                means = known.means[:, known.columns(feature), None]
                losses = after_purchases(here, bought, others, means, loss)
                values[feature, bought] = losses.sum(axis=1)
            return CellEstimates(values, self.name, ROUNDING, np.zeros(depths.shape))
        for feature, label in np.argwhere(depths).tolist():
            bought = given.copy()
            bought[feature, label] += depths[feature, label]
            values[feature, label] = expected_by_enumeration(known, bought, loss)
        return CellEstimates(values, self.name, ROUNDING)

    def features(
        self, known: Belief, depths: Integers, given: Integers, loss: Loss, sampling: Sampling
    ) -> CellEstimates:
        """Return the expected loss of each feature, one after the other."""
        values = np.full(len(depths), np.nan)
        for feature, allocation in _alone(depths, given):
            values[feature] = expected_by_enumeration(known, allocation, loss)
        return CellEstimates(values, self.name, ROUNDING, np.zeros(len(depths)))


def _alone(depths: Integers, given: Integers) -> list[tuple[int, Integers]]:
    """Each feature that is bought, with what is bought in all if it alone is."""
    found = []
    for feature in np.flatnonzero(depths.any(axis=1)).tolist():
        allocation = given.copy()
        allocation[feature] += depths[feature]
        found.append((feature, allocation))
    return found


def terms(known: Known, allocation: Integers) -> int:
    """Return how many (case, outcome) pairs the enumeration of an allocation has."""
    return number_of_cases(known.problem) * math.prod(int(n) + 1 for n in allocation.ravel())


def expected_by_enumeration(belief: Belief, allocation: Integers, loss: Loss) -> Estimate:
    """Return the expected loss after an allocation, over all cases and all outcomes."""
    _check_number(terms(belief, allocation))
    if not allocation.any():
        return exactly(loss_of_all_cases(belief, loss))
    values = every_case(belief.problem)
    joint = current_terms(belief, values).sum(axis=0).T + np.log(belief.problem.prior)
    bought = [(i, j) for i, j in np.argwhere(allocation).tolist()]
    outcomes = math.prod(int(allocation[cell]) + 1 for cell in bought)
    total = 0.0
    sections = min(len(joint), -(-len(joint) * outcomes // TILE))
    for rows in np.array_split(np.arange(len(joint)), sections):
        # cases × outcomes so far × labels; each bought cell multiplies the outcomes
        logs, chances = joint[rows, None, :], np.ones((len(rows), 1))
        for feature, label in bought:
            columns = belief.layout.offsets[feature] + values[rows, feature]
            counts, depth = belief.counts[label, columns], int(allocation[feature, label])
            totals = np.full(len(rows), belief.totals[label, feature])
            after = (counts[:, None] + np.arange(depth + 1)) / (totals[:, None] + depth)
            gain = np.log(after) - belief.log_means[label, columns][:, None]
            logs = np.repeat(logs, depth + 1, axis=1)
            logs[:, :, label] += np.tile(gain, (1, chances.shape[1]))
            here = beta_binomial.weights(counts, totals, depth)
            chances = (chances[:, :, None] * here[:, None, :]).reshape(len(rows), -1)
        total += float((chances * loss(np.exp(logs))).sum())
    return exactly(total)


def exactly(value: float) -> Estimate:
    """Return an expected loss that is exact but for rounding."""
    return Estimate(value, Enumeration.name, resolution=ROUNDING)


def _check_number(terms: int) -> None:
    if terms > MOST_TERMS:
        raise EngineError(
            f"enumeration would need {terms:.3g} terms, more than {MOST_TERMS:.0e}; "
            "use engine='particles', or 'auto'"
        )
