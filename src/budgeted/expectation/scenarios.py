"""Any loss, any number of labels: a weighted set of cases, all of them or a sample.

A *scenario* is a case x, together with what the purchases under way will have taught about it.
Two engines share everything but where the scenarios come from: `enumeration` has each x with its
probability; `particles` draws x from the model, an honest share from each label, and counts the
standard error.

The loss of one x depends on x only through its joint masses, so its expectation is a mean of
``loss(posterior)`` over scenarios. For purchases of one cell (i, j) more is exact: only θ_ij
moves, and the terms with x_i = k see only θ_ijk, whose number of sightings is beta-binomial. So
with feature i divided out of the scenario (ρ), the sum over k and over all outcomes is done
exactly, in r(n + 1) terms instead of the C(n + r − 1, n) joint outcomes of the paper's eq. 4::

    Σ_k Σ_c BetaBinomial(c; n, α_ijk, N_ij − α_ijk) · loss(ρ_1 θ_i1k, …, ρ_j (α_ijk+c)/(N_ij+n), …)
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from budgeted.belief import Belief, Integers
from budgeted.errors import EngineError
from budgeted.expectation import beta_binomial
from budgeted.expectation.estimate import CellEstimates, Estimate
from budgeted.loss import Loss

Floats = NDArray[np.float64]

MOST_TERMS = 10**8
"""More terms than this are refused by the enumeration: minutes, not seconds."""
_TILE = 2**15
"""Entries of the largest temporary matrix: they stay in the processor's cache."""
ROUNDING = 1e-12


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
    strata
        Label that a sampled scenario was drawn from; None when all cases are there.
    outcomes
        For the features with purchases under way: their parameters after one random outcome
        that knows nothing of x, scenarios × labels × values.
    """

    values: Integers
    weights: Floats
    log_terms: Floats
    strata: Integers | None = None
    outcomes: Mapping[int, Floats] = field(default_factory=dict)

    @property
    def engine(self) -> str:
        """What these scenarios are called in results."""
        return "enumeration" if self.strata is None else "particles"

    def log_joint(self, belief: Belief) -> Floats:
        """Return log P(x, label), scenarios × labels."""
        result: Floats = self.log_terms.sum(axis=0) + np.log(belief.problem.prior)
        return result


def number_of_cases(belief: Belief) -> int:
    """Return how many different cases there are."""
    return math.prod(belief.problem.sizes)


def terms(belief: Belief, allocation: Integers) -> int:
    """Return how many (case, outcome) pairs the enumeration of an allocation has."""
    return number_of_cases(belief) * math.prod(int(n) + 1 for n in allocation.ravel())


def enumerate_cases(belief: Belief) -> Scenarios:
    """Return all cases, weighted by their probability."""
    if number_of_cases(belief) > MOST_TERMS:
        raise EngineError(_too_many(number_of_cases(belief)))
    sizes = belief.problem.sizes
    values = np.stack(np.unravel_index(np.arange(math.prod(sizes)), sizes), axis=1)
    scenarios = Scenarios(values, np.empty(0), _current_terms(belief, values))
    weights = np.exp(scenarios.log_joint(belief)).sum(axis=1)
    return Scenarios(values, weights, scenarios.log_terms)


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
    log_terms = _current_terms(belief, values)
    outcomes = {}
    for feature in np.flatnonzero(given.any(axis=1)).tolist():
        log_terms[feature] = _log_terms_after(belief, feature, given[feature], values, strata, rng)
        outcomes[feature] = _outcomes_after(belief, feature, given[feature], len(strata), rng)
    weights = (prior / per_label)[strata]
    return Scenarios(values, weights, log_terms, strata, outcomes)


def _current_terms(belief: Belief, values: Integers) -> Floats:
    columns = (values + np.asarray(belief.problem.offsets)).T
    return np.ascontiguousarray(np.moveaxis(belief.log_means[:, columns], 0, -1))


def _log_terms_after(
    belief: Belief,
    feature: int,
    purchases: Integers,
    values: Integers,
    strata: Integers,
    rng: np.random.Generator,
) -> Floats:
    columns = belief.problem.offsets[feature] + values[:, feature]
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
    return _estimate(scenarios, loss(_shares(scenarios.log_joint(belief))[0]), loss, belief)


def expected_by_enumeration(belief: Belief, allocation: Integers, loss: Loss) -> Estimate:
    """Return the expected loss after an allocation, over all cases and all outcomes."""
    if terms(belief, allocation) > MOST_TERMS:
        raise EngineError(_too_many(terms(belief, allocation)))
    scenarios = enumerate_cases(belief)
    bought = [(i, j) for i, j in np.argwhere(allocation).tolist()]
    outcomes = math.prod(int(allocation[cell]) + 1 for cell in bought)
    joint = scenarios.log_joint(belief)
    total = 0.0
    for rows in np.array_split(np.arange(len(joint)), -(-len(joint) * outcomes // _TILE)):
        # cases × outcomes so far × labels; each bought cell multiplies the outcomes
        logs, chances = joint[rows, None, :], np.ones((len(rows), 1))
        for feature, label in bought:
            columns = belief.problem.offsets[feature] + scenarios.values[rows, feature]
            counts, depth = belief.counts[label, columns], int(allocation[feature, label])
            totals = np.full(len(rows), belief.totals[label, feature])
            after = (counts[:, None] + np.arange(depth + 1)) / (totals[:, None] + depth)
            gain = np.log(after) - belief.log_means[label, columns][:, None]
            logs = np.repeat(logs, depth + 1, axis=1)
            logs[:, :, label] += np.tile(gain, (1, chances.shape[1]))
            here = beta_binomial.weights(counts, totals, depth)
            chances = (chances[:, :, None] * here[:, None, :]).reshape(len(rows), -1)
        total += float((chances * loss(np.exp(logs))).sum())
    return _exactly(total)


def cells(
    belief: Belief, scenarios: Scenarios, depths: Integers, given: Integers, loss: Loss
) -> CellEstimates:
    """Return the expected loss after `depths` more purchases of each cell alone.

    `given` are the purchases under way that the scenarios were drawn with.
    """
    joint = scenarios.log_joint(belief)
    values = np.full(depths.shape, np.nan)
    errors = np.zeros(depths.shape)
    for feature in np.flatnonzero(depths.any(axis=1)).tolist():
        others, log_total = _shares(joint - scenarios.log_terms[feature])
        rows, weights = slice(None), scenarios.weights
        if scenarios.strata is None:  # each case without the feature once, with its probability
            rows = scenarios.values[:, feature] == 0
            others, weights = others[rows], np.exp(log_total[rows])
        means = scenarios.outcomes.get(feature, belief.means[:, belief.columns(feature)][None])
        for label in np.flatnonzero(depths[feature]).tolist():
            bought = int(given[feature, label]) + int(depths[feature, label])
            per_case = _after_purchases(belief, feature, label, bought, others, means, loss)
            if scenarios.strata is None:
                values[feature, label] = weights @ per_case
            else:
                estimate = _estimate(scenarios, per_case, loss, belief)
                values[feature, label] = estimate
                errors[feature, label] = estimate.standard_error
    return CellEstimates(values, scenarios.engine, ROUNDING, errors)


def _after_purchases(
    belief: Belief,
    feature: int,
    label: int,
    purchases: int,
    others: Floats,
    means: Floats,
    loss: Loss,
) -> Floats:
    """Expected loss of each scenario over all values of the feature and all outcomes of a cell."""
    counts = belief.counts[label, belief.columns(feature)]
    totals = np.full(len(counts), belief.totals[label, feature])
    chances = beta_binomial.weights(counts, totals, purchases)
    after = (counts[:, None] + np.arange(purchases + 1)) / (totals[0] + purchases)
    fixed = np.delete(np.arange(others.shape[1]), label)
    result = np.empty(len(others))
    tile = max(1, _TILE // after.size)
    for start in range(0, len(others), tile):
        rows = slice(start, start + tile)
        here = means if len(means) == 1 else means[rows]
        # scenarios × values × labels that stay, and scenarios × values × outcomes of the one moving
        masses = others[rows, None, fixed] * np.moveaxis(here[:, fixed], 1, 2)
        moving = others[rows, label, None, None] * after
        gathered = loss.gather.reduce(loss.term(masses), axis=2)[:, :, None]
        total = masses.sum(axis=2)[:, :, None] + moving
        losses = loss.finish(total, loss.gather(gathered, loss.term(moving)))
        result[rows] = losses.reshape(len(losses), -1) @ chances.ravel()
    return result


def _shares(logs: Floats) -> tuple[Floats, Floats]:
    """Rows of logarithms as shares that sum to one, and the logarithm of what they summed to."""
    largest = logs.max(axis=-1, keepdims=True)
    masses = np.exp(logs - largest)
    total = masses.sum(axis=-1, keepdims=True)
    return masses / total, (largest + np.log(total))[..., 0]


def _estimate(scenarios: Scenarios, losses: Floats, loss: Loss, belief: Belief) -> Estimate:
    value = float(scenarios.weights @ losses)
    if scenarios.strata is None:
        return _exactly(value)
    variance = 0.0
    largest = loss.largest(len(belief.problem.labels))
    for label, share in enumerate(belief.problem.prior):
        seen = losses[scenarios.strata == label]
        # Two made-up particles, one at either end of what a loss can be: a sample that happened
        # to miss a rare case must not report a standard error of zero.
        seen = np.concatenate([seen, [0.0, largest]])
        variance += share**2 * float(seen.var(ddof=1)) / (len(seen) - 2)
    return Estimate(value, "particles", standard_error=math.sqrt(variance))


def _exactly(value: float) -> Estimate:
    lower, upper = value - ROUNDING, value + ROUNDING
    return Estimate(value, "enumeration", lower=lower, upper=upper, resolution=ROUNDING)


def _too_many(number: int) -> str:
    return (
        f"enumeration would need {number:.3g} terms, more than {MOST_TERMS:.0e}; "
        "use engine='particles', or 'auto'"
    )
