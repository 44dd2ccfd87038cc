r"""Do several features say the same? How much their evidence counts together.

Naive Bayes adds up what all features say as if they spoke independently. Where they repeat each
other, the sum scatters more than it should: if what feature i says of a case, its log-likelihood,
has standard deviation sd_i within a label, and any two are correlated by ρ on average, then the
variance of the sum is larger than that of independent ones by ::

    f² = 1 + ρ (n − 1),    n = (Σ sd_i)² / Σ sd_i²

where n is the effective number of features, and the sum is worth 1/f² of what it seems to be worth.
For one known feature n is 1, and nothing changes.

ρ is learned from the cases of which several values were bought: how well do the others of a case's
values tell its label, when their sum counts 1/f²? Each value is left out of what it is judged by.
Labels count alike there, however frequent they are: which ones were bought is the buyer's choice.
Before anything is seen, ρ ~ Beta(1, 9).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from budgeted.belief import Floats, Integers
from budgeted.learners.posterior import Posterior
from budgeted.problem import Problem
from budgeted.purchase import Purchase

CORRELATIONS: Floats = np.array([0, 0.01, 0.03, 0.06, 0.1, 0.16, 0.25, 0.4, 0.6, 0.9])
"""Values of ρ that are weighed."""


def prior_weights(independence: float) -> Floats:
    """Return the probability of each correlation under Beta(1, independence).

    >>> prior_weights(9.0).round(2).tolist()
    [0.04, 0.12, 0.17, 0.19, 0.19, 0.16, 0.1, 0.03, 0.0, 0.0]
    """
    edges = np.concatenate([[0.0], (CORRELATIONS[1:] + CORRELATIONS[:-1]) / 2, [1.0]])
    result: Floats = -np.diff((1 - edges) ** independence)
    return result


def spreads(problem: Problem, means: Floats) -> Floats:
    """Return how much what each feature says of a case scatters within a label.

    The standard deviation of its log-likelihoods, each minus their mean over the labels, averaged
    over labels by their shares. A feature that says nothing has 0.
    """
    prior, logs = np.asarray(problem.prior), np.log(means)
    said = logs - prior @ logs
    first = np.add.reduceat(means[:, None] * said, problem.offsets, axis=-1)
    second = np.add.reduceat(means[:, None] * said**2, problem.offsets, axis=-1)
    variance = np.einsum("y,z,yzf->f", prior, prior, np.maximum(second - first**2, 0))
    result: Floats = np.sqrt(variance)
    return result


def effective(known: NDArray[np.bool_] | Floats, spread: Floats) -> Floats:
    """Return the effective number of the known features of each case, cases × features.

    >>> effective(np.array([[True, True], [True, False]]), np.array([1.0, 1.0])).tolist()
    [2.0, 1.0]
    """
    total, squares = known @ spread, known @ spread**2
    result: Floats = np.where(squares > 0, total**2 / np.maximum(squares, 1e-300), 1.0)
    return result


def worth(number: Floats) -> Floats:
    """Return 1/f² for each correlation and effective number of features."""
    result: Floats = 1 / (1 + CORRELATIONS[:, None] * (number - 1))
    return result


def weigh(
    posterior: Posterior, means: Floats, purchases: Sequence[Purchase], independence: float
) -> Floats:
    """Return the probability of each correlation after these purchases.

    Parameters
    ----------
    posterior, means
        What they say of the parameters, and these on average.
    purchases
        All with a value.
    independence
        Of the prior.
    """
    prior = prior_weights(independence)
    rows = _case_of_each(purchases)
    several = np.flatnonzero(np.bincount(rows)[rows] > 1) if len(rows) else rows
    if not len(several):
        return prior
    _, rows = np.unique(rows[several], return_inverse=True)
    bought = [purchases[at] for at in several]
    feature = np.array([each.feature for each in bought])
    label = np.array([each.label for each in bought])
    column = np.asarray(posterior.problem.offsets)[feature] + [each.value for each in bought]
    said = np.log(_left_out(posterior, means)[label, column])  # values × labels
    cases = rows.max() + 1
    scores, own = np.zeros((cases, said.shape[1])), np.zeros(cases, dtype=np.int64)
    np.add.at(scores, rows, said)
    own[rows] = label
    known = np.zeros((cases, len(posterior.problem.features)))
    known[rows, feature] = 1.0
    share = worth(effective(known, spreads(posterior.problem, means)))
    scaled = share[..., None] * scores
    fits = scaled[:, np.arange(cases), own] - np.logaddexp.reduce(scaled, axis=-1)
    with np.errstate(divide="ignore"):  # those far beyond the prior are out of the question
        logs = fits.sum(axis=1) + np.log(prior)
    weights = np.exp(logs - logs.max())
    result: Floats = weights / weights.sum()
    return result


def _case_of_each(purchases: Sequence[Purchase]) -> Integers:
    """Number of the case of each purchase; one without a case is a case of its own."""
    places: dict[object, int] = {}
    keys = (("alone", at) if each.case is None else each.case for at, each in enumerate(purchases))
    return np.array([places.setdefault(key, len(places)) for key in keys], dtype=np.int64)


def _left_out(posterior: Posterior, means: Floats) -> Floats:
    """Parameters as they would be without one observed value, label × value × labels.

    Entry (j, k, y) is P(value k | label y) without one of the observations of value k among cases
    of label j. Only the counts change; the weights of settings and components and the common shares
    are held, which is many times faster and hardly another number.
    """
    problem, counts = posterior.problem, posterior.counts
    sizes, offsets = problem.sizes, problem.offsets
    every = np.repeat(posterior.chances, sizes, axis=0).T  # components × values
    chances, stated = every[:-1].reshape(*posterior.draws.shape), every[-1]
    pooled = counts.sum(axis=0)
    draws = posterior.draws[:, 0]
    together = np.repeat(np.add.reduceat(draws, offsets, axis=-1), sizes, axis=-1)
    seen = np.minimum(pooled, 1)
    common = (draws - seen) / (together - seen) - draws / together
    result = np.repeat((means + (chances[:, 0] * common).sum(axis=0)).T[None], len(counts), axis=0)
    totals = np.repeat(np.add.reduceat(counts, offsets, axis=1), sizes, axis=1)
    sums = np.repeat(np.add.reduceat(posterior.draws, offsets, axis=-1), sizes, axis=-1)
    prior = posterior.concentrations[1:] * (posterior.draws / sums)[:, 1:]
    stated_total = np.repeat(np.add.reduceat(problem.prior_counts, offsets, axis=1), sizes, axis=1)
    for label, row in enumerate(counts):
        seen = np.minimum(row, 1)
        own = _less_one(row, totals[label], seen, prior, posterior.concentrations[1:])
        own_stated = _less_one(
            row, totals[label], seen, problem.prior_counts[label], stated_total[label]
        )
        change = (chances[:, 1:] * own).sum(axis=(0, 1)) + stated * own_stated
        result[label, :, label] += change
    floored: Floats = np.maximum(result, 1e-12)
    return floored


def _less_one(counts: Floats, totals: Floats, seen: Floats, prior: Floats, sums: Floats) -> Floats:
    """By how much a share changes without one observation."""
    result: Floats = (counts - seen + prior) / (totals - seen + sums)
    result -= (counts + prior) / (totals + sums)
    return result
