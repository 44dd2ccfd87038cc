"""Cases drawn from the model, and how far the loss then lies below the loss now, on average.

What a case costs after some purchases is nearly what it costs now. So of drawn cases only the
difference is averaged, which varies far less, and the loss now is added to it (`loss_now`)::

    E[loss then]  =  E[loss now]  −  mean over drawn cases of (loss now − loss then)

The loss now takes no outcomes of purchases: where there are few cases it is summed over all of
them, and otherwise averaged over more of them than are drawn for the difference. It is a control
variate (Owen, *Monte Carlo theory, methods and examples*, 2013, section 8.9).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from budgeted.learners.belief import Belief
from budgeted.learners.layout import Floats, Integers, number_of_cases
from budgeted.value.all_cases import loss_of_all_cases
from budgeted.value.estimate import Estimate
from budgeted.value.loss import Loss

ROUNDING = 1e-12
MOST_CASES = 2**16
"""Up to so many are gone through, one and all: a few milliseconds."""
MORE = 4
"""So many times as many cases are drawn where there are too many to go through. Their loss now
takes about a fifth of the time of a lookahead, and halves the standard error.
"""


class Strata(NamedTuple):
    """How many cases are drawn from each label.

    Attributes
    ----------
    labels
        Label of each case.
    weights
        What each case counts, so that the mean is that over the model.
    prior
        Shares of the labels.
    """

    labels: Integers
    weights: Floats
    prior: Floats

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
    """What is known of drawn cases as things are, without the purchases under way.

    Attributes
    ----------
    strata
        Where they come from.
    terms
        log θ of each value now, features × labels × cases.
    now
        The loss now.
    """

    strata: Strata
    terms: Floats
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

    Examples
    --------
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
