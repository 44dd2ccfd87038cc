"""Drawn cases in place of all: anything, with a reported standard error.

What a case costs after some purchases is nearly what it costs now. So of drawn cases only the
difference is averaged, which varies far less, and the loss now is added to it (`loss_now`)::

    E[loss then]  =  E[loss now]  −  mean over drawn cases of (loss now − loss then)

The loss now takes no outcomes of purchases: where there are few cases it is summed over all of
them, and otherwise averaged over more of them than are drawn for the difference. It is a control
variate (Owen, *Monte Carlo theory, methods and examples*, 2013, section 8.9).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from budgeted.learners.belief import Belief
from budgeted.learners.layout import Floats, Integers, number_of_cases
from budgeted.value import beta_binomial
from budgeted.value.base import CellEstimates, Estimate, OfBeliefs, Sampling
from budgeted.value.beta_binomial import few_outcomes
from budgeted.value.loss import Loss
from budgeted.value.one_cell import after_purchases, by_feature, loss_of_all_cases, purchases

ROUNDING = 1e-12
MOST_CASES = 2**16
"""Up to so many are gone through, one and all: a few milliseconds."""
MORE = 4
"""So many times as many cases are drawn where there are too many to go through. Their loss now
takes about a fifth of the time of a lookahead, and halves the standard error.
"""


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


class Strata(NamedTuple):
    """How many cases are drawn from each label."""

    labels: Integers  # label of each case
    weights: Floats  # what each case counts, so that the mean is that over the model
    prior: Floats  # shares of the labels

    @classmethod
    def of(cls, belief: Belief, number: int) -> Strata:
        """Share so many cases: half of them evenly, half by the prior, so that rare labels count.

        >>> from budgeted import Feature, Problem
        >>> problem = Problem([Feature("a", ("no", "yes"), 1)], ("well", "ill"), (0.9, 0.1), 9)
        >>> np.bincount(Strata.of(Belief.prior(problem), 100).labels).tolist()
        [70, 30]
        """
        prior = np.asarray(belief.problem.prior)
        per_label = np.ceil(number * (prior + 1 / len(prior)) / 2).astype(int)
        labels = np.repeat(np.arange(len(prior)), per_label)
        return cls(labels, (prior / per_label)[labels], prior)

    def values(self, belief: Belief, feature: int, rng: np.random.Generator) -> Integers:
        """Draw the value of a feature of each case, from the current mean of its label."""
        thresholds = belief.means[:, belief.columns(feature)].cumsum(axis=1)[self.labels, :-1]
        drawn: Integers = (rng.random(len(self.labels))[:, None] >= thresholds).sum(axis=1)
        return drawn

    def standard_errors(self, numbers: Floats, least: float, most: float) -> Floats:
        """Return the standard error of the mean of each row of numbers.

        Two made-up cases count too, one at either end of what a number is thought to be: a sample
        that happened to miss a rare case must not report a standard error of zero.
        """
        # Cases come label by label.
        cases = np.bincount(self.labels, minlength=len(self.prior))
        first = np.cumsum(cases) - cases
        mean = (np.add.reduceat(numbers, first, axis=1) + least + most) / (cases + 2)
        apart = np.add.reduceat((numbers - mean[:, self.labels]) ** 2, first, axis=1)
        apart += (least - mean) ** 2 + (most - mean) ** 2
        variance = apart @ (self.prior**2 / ((cases + 1) * cases))
        result: Floats = np.sqrt(variance)
        return result


@dataclass(frozen=True)
class Drawn:
    """What is known of drawn cases as things are, without the purchases under way."""

    strata: Strata  # where they come from
    terms: Floats  # log θ of each value now, features × labels × cases
    now: Estimate

    @cached_property
    def log_joint(self) -> Floats:
        """Log P(x, label) now, labels × cases."""
        result: Floats = self.terms.sum(axis=0) + np.log(self.strata.prior)[:, None]
        return result

    def losses(self, loss: Loss) -> Floats:
        """Return the loss of each case now."""
        return loss(shares(self.log_joint), axis=0)

    def losses_without(self, belief: Belief, feature: int, loss: Loss) -> Floats:
        """Return the same, expected over the values of a feature given all others."""
        others = shares(self.log_joint - self.terms[feature])
        means = belief.means[:, belief.columns(feature)]
        losses: Floats = loss(others[:, None] * means[..., None], axis=0).sum(axis=0)
        return losses

    def after(self, gains: Floats) -> tuple[Floats, Floats]:
        """Return the mean loss after gains, purchases × cases, and its standard error.

        No case is thought to gain more than the most that was seen with any of the purchases; if
        nothing was seen, as is possible with a loss that is not smooth, than the loss now.
        """
        least, most = min(0.0, float(gains.min())), max(0.0, float(gains.max()))
        if most - least <= ROUNDING:
            most = float(self.now)
        errors = self.strata.standard_errors(gains, least, most)
        values: Floats = float(self.now) - gains @ self.strata.weights
        return values, np.hypot(errors, self.now.standard_error)


def loss_now(belief: Belief, loss: Loss, number: int, rng: np.random.Generator) -> Estimate:
    """Return the loss now, of all cases or of more cases than `number`.

    >>> from budgeted import Feature, Problem
    >>> from budgeted.value.loss import GINI
    >>> problem = Problem([Feature("a", ("no", "yes"), 1)], ("x", "y", "z"), (0.5, 0.3, 0.2), 9)
    >>> round(loss_now(Belief.prior(problem), GINI, 100, np.random.default_rng(0)), 10)
    0.62
    """
    if number_of_cases(belief.problem) <= MOST_CASES:
        return Estimate(loss_of_all_cases(belief, loss), "particles")
    strata = Strata.of(belief, MORE * number)
    joint = np.repeat(np.log(strata.prior)[:, None], len(strata.labels), axis=1)
    for feature in range(len(belief.problem.features)):
        terms = belief.log_means[:, belief.columns(feature)]
        joint += terms[:, strata.values(belief, feature, rng)]
    losses = loss(shares(joint), axis=0)
    (error,) = strata.standard_errors(losses[None], 0.0, loss.largest(len(strata.prior)))
    return Estimate(float(strata.weights @ losses), "particles", standard_error=float(error))


def current_terms(belief: Belief, values: Integers) -> Floats:
    """Return log θ of each value as it is believed now, features × labels × cases."""
    columns = (values + belief.layout.starts).T
    return np.ascontiguousarray(belief.log_means[:, columns].swapaxes(0, 1))


def shares(logs: Floats) -> Floats:
    """Return what logarithms, labels × cases, stand for, as shares of each case."""
    masses: Floats = np.exp(logs - logs.max(axis=0))
    masses /= masses.sum(axis=0)
    return masses


@dataclass(frozen=True)
class Scenarios:
    """Drawn cases and the log-likelihood of each of their values."""

    drawn: Drawn  # what is known of the cases as things are
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
