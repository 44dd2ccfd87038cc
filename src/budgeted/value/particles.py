"""Drawn cases in place of all: anything, with a reported standard error."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np

from budgeted.learners.belief import Belief
from budgeted.learners.layout import Floats, Integers
from budgeted.value import beta_binomial
from budgeted.value.base import Sampling
from budgeted.value.estimate import CellEstimates, Estimate
from budgeted.value.loss import Loss
from budgeted.value.of_beliefs import OfBeliefs
from budgeted.value.scenarios import Scenarios, cells, current_terms, estimate, shares


class Particles(OfBeliefs):
    """Draws cases from the model; any loss, any number of labels, any size."""

    name: ClassVar[str] = "particles"
    rank: ClassVar[int] = 90
    draws: ClassVar[bool] = True

    def expected(
        self, known: Belief, allocation: Integers, loss: Loss, sampling: Sampling
    ) -> Estimate:
        """Return the mean loss of drawn cases, with one outcome of the purchases each."""
        drawn = draw_particles(known, allocation, sampling.particles, sampling.generator())
        return expected(known, drawn, loss)

    def cells(
        self, known: Belief, depths: Integers, given: Integers, loss: Loss, sampling: Sampling
    ) -> CellEstimates:
        """Return the expected loss of each cell; all share the same cases."""
        drawn = draw_particles(known, given, sampling.particles, sampling.generator())
        return cells(known, drawn, depths, given, loss)

    def features(
        self, known: Belief, depths: Integers, given: Integers, loss: Loss, sampling: Sampling
    ) -> CellEstimates:
        """Return the expected loss of each feature; they share cases, but not outcomes."""
        values, errors = np.full(len(depths), np.nan), np.zeros(len(depths))
        same = replace(sampling, rng=int(sampling.generator().integers(2**63)))
        for feature in np.flatnonzero(depths.any(axis=1)).tolist():
            allocation = given.copy()
            allocation[feature] += depths[feature]
            found = self.expected(known, allocation, loss, same)
            values[feature], errors[feature] = found, found.standard_error
        return CellEstimates(values, self.name, 0.0, errors)


def draw_particles(
    belief: Belief, given: Integers, number: int, rng: np.random.Generator
) -> Scenarios:
    """Draw cases from the model, with one outcome each of the purchases under way.

    Half of the particles are shared evenly between the labels, half by their prior, so that a
    rare label is seen too. A value of a case of label y is drawn from the current mean; given it,
    the number of sightings in the purchases of cell (i, y) has one more prior sighting.
    """
    problem = belief.problem
    prior = np.asarray(problem.prior)
    per_label = np.ceil(number * (prior + 1 / len(prior)) / 2).astype(int)
    strata = np.repeat(np.arange(len(prior)), per_label)
    values = np.empty((len(strata), len(problem.features)), dtype=np.int64)
    for feature in range(len(problem.features)):
        thresholds = belief.means[:, belief.columns(feature)].cumsum(axis=1)[strata, :-1]
        values[:, feature] = (rng.random(len(strata))[:, None] >= thresholds).sum(axis=1)
    log_terms = current_terms(belief, values)
    outcomes = {}
    for feature in np.flatnonzero(given.any(axis=1)).tolist():
        log_terms[feature] = _log_terms_after(belief, feature, given[feature], values, strata, rng)
        outcomes[feature] = _outcomes_after(belief, feature, given[feature], len(strata), rng)
    weights = (prior / per_label)[strata]
    return Scenarios(values, weights, log_terms, strata, outcomes)


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
    result: Floats = (counts + np.stack(seen, axis=1)) / totals[:, None]
    return result


def expected(belief: Belief, scenarios: Scenarios, loss: Loss) -> Estimate:
    """Return the expected loss after the purchases that the scenarios were drawn with."""
    return estimate(scenarios, loss(shares(scenarios.log_joint(belief))[0]), loss, belief)
