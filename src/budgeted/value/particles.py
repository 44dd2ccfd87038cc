"""Drawn cases in place of all: anything, with a reported standard error."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from budgeted.learners.belief import Belief
from budgeted.learners.layout import Floats, Integers
from budgeted.value import beta_binomial
from budgeted.value.base import OfBeliefs, Sampling
from budgeted.value.drawn import ROUNDING, Drawn, Strata, current_terms, loss_now, shares
from budgeted.value.estimate import CellEstimates, Estimate
from budgeted.value.loss import Loss
from budgeted.value.scenarios import Scenarios, cells


class Particles(OfBeliefs):
    """Draws cases from the model; any loss, any number of labels, any size."""

    name: ClassVar[str] = "particles"
    draws: ClassVar[bool] = True

    def expected(
        self, known: Belief, allocation: Integers, loss: Loss, sampling: Sampling
    ) -> Estimate:
        """Return the loss now, less the mean gain of drawn cases, of one outcome each."""
        rng = sampling.generator()
        now = loss_now(known, loss, sampling.particles, rng)
        return _expected(known, allocation, loss, now, sampling.particles, rng)

    def cells(
        self, known: Belief, depths: Integers, given: Integers, loss: Loss, sampling: Sampling
    ) -> CellEstimates:
        """Return the expected loss of each cell; all share the same cases."""
        rng = sampling.generator()
        now = loss_now(known, loss, sampling.particles, rng)
        drawn = draw_particles(known, given, now, sampling.particles, rng)
        return cells(known, drawn, depths, given, loss)

    def features(
        self, known: Belief, depths: Integers, given: Integers, loss: Loss, sampling: Sampling
    ) -> CellEstimates:
        """Return the expected loss of each feature; they share cases, but not outcomes."""
        values, errors = np.full(len(depths), np.nan), np.zeros(len(depths))
        rng = sampling.generator()
        now, seed = loss_now(known, loss, sampling.particles, rng), int(rng.integers(2**63))
        for feature in np.flatnonzero(depths.any(axis=1)).tolist():
            allocation = given.copy()
            allocation[feature] += depths[feature]
            same = np.random.default_rng(seed)
            found = _expected(known, allocation, loss, now, sampling.particles, same)
            values[feature], errors[feature] = found, found.standard_error
        return CellEstimates(values, self.name, ROUNDING, errors)


def draw_particles(
    belief: Belief, given: Integers, now: Estimate, number: int, rng: np.random.Generator
) -> Scenarios:
    """Draw cases from the model, with one outcome each of the purchases under way.

    A value of a case of label y is drawn from the current mean; given it, the number of sightings
    in the purchases of cell (i, y) has one more prior sighting.
    """
    strata = Strata.of(belief, number)
    values = np.column_stack([
        strata.values(belief, feature, rng) for feature in range(len(belief.problem.features))
    ])  # fmt: skip
    terms = current_terms(belief, values)
    log_terms = terms.copy() if given.any() else terms
    outcomes = {}
    for feature in np.flatnonzero(given.any(axis=1)).tolist():
        log_terms[feature] = _log_terms_after(
            belief, feature, given[feature], values, strata.labels, rng
        ).T
        outcomes[feature] = _outcomes_after(belief, feature, given[feature], len(values), rng)
    return Scenarios(Drawn(strata, terms, now), log_terms, outcomes)


def _log_terms_after(
    belief: Belief,
    feature: int,
    purchases: Integers,
    values: Integers,
    strata: Integers,
    rng: np.random.Generator,
) -> Floats:
    columns = belief.layout.offsets[feature] + values[:, feature]
    counts, totals = belief.counts[:, columns].T, belief.totals[:, feature]
    own = strata[:, None] == np.arange(len(totals))
    others = np.maximum(totals - counts, beta_binomial.LEAST)  # drowned in rounding, not gone
    chances = rng.beta(counts + own, others)
    result: Floats = np.log((counts + rng.binomial(purchases, chances)) / (totals + purchases))
    return result


def _outcomes_after(
    belief: Belief, feature: int, purchases: Integers, number: int, rng: np.random.Generator
) -> Floats:
    counts = belief.counts[:, belief.columns(feature)]
    seen = [
        rng.multinomial(bought, rng.dirichlet(row, size=number))
        for row, bought in zip(counts, purchases, strict=True)
    ]
    totals = belief.totals[:, feature] + purchases
    after = (counts + np.stack(seen, axis=1)) / totals[:, None]  # cases × labels × values
    return np.moveaxis(after, 0, -1)


def _expected(
    belief: Belief,
    allocation: Integers,
    loss: Loss,
    now: Estimate,
    number: int,
    rng: np.random.Generator,
) -> Estimate:
    scenarios = draw_particles(belief, allocation, now, number, rng)
    then = loss(shares(scenarios.log_joint(belief)), axis=0)
    gain = scenarios.drawn.losses(loss) - then
    (value,), (error,) = scenarios.drawn.after(gain[None])
    return Estimate(float(value), now.engine, standard_error=float(error))
