r"""Do several features say the same? How much each of them counts.

Naive Bayes adds up what all features say as if they spoke independently. Where they repeat each
other, the same evidence is counted again and again, and can outvote a feature that knows better. So
each feature has a weight v_i from 0 to 1 (attribute weighting; Zaidi et al., 2013), which depends
on how much they repeat each other, on average by a correlation ρ within a label, and in which of
two ways. Let d_i be the sensitivity of a feature, d′ of signal detection theory: how far apart two
labels are in what it says (its log-likelihood ratio), in units of how much that scatters within a
label; with more than two labels, averaged over pairs of them by their shares. As if what each
feature says were normally distributed, with variance d² and with means d² apart:

- *copies*: each piece of evidence is present several times. The variance of the sum is then larger
  than that of independent features by a factor, and the sum is worth so much less ::

      v_i = 1 / (1 + ρ (n − 1)),    n = (Σ d_i)² / Σ d_i²

- *one cause* stands behind all of them. Then the best of them know it best, and those that are
  much weaker bring more noise than news. With the same correlation ρ between any two, the best
  linear combination without negative weights (Fisher's discriminant) has ::

      v_i = max(0, 1 − t/d_i) / (1 − ρ),    t = max over k of ρ (d_1 + … + d_k) / (1 + ρ (k − 1))

  where d_1 ≥ d_2 ≥ … are those of the known features. That is between two labels: with more labels,
  a feature that cannot tell one pair apart may be the best for another, so only copies are weighed.

Either way v is 1 if ρ is 0, and for a single known feature unless it says nothing at all.

ρ and the way are learned from the cases of which several values were bought: how well do a case's
values tell its label, with these weights? Each value is left out of what it is judged by. Labels
count alike there, however frequent they are: which ones were bought is the buyer's choice. At first
ρ ~ Beta(1, 6), whose mean is about the correlation within labels that was measured in complete
tables, and the ways are as likely as each other. But a problem that is as stated has independent
features: as probable as that setting is by the counts (`budgeted.learners.posterior`), ρ is 0.

Zaidi, Cerquides, Carman and Webb, *Alleviating naive Bayes attribute independence assumption by
attribute weighting*, JMLR 14 (2013).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from budgeted.learners.belief import Floats, Integers
from budgeted.learners.layout import layout_of
from budgeted.learners.posterior import Posterior
from budgeted.problem import Problem
from budgeted.problem.orders import Purchase

CORRELATIONS: Floats = np.array([0, 0.01, 0.03, 0.06, 0.1, 0.16, 0.25, 0.4, 0.6, 0.9])
"""Values of ρ that are weighed."""
WAYS = ("one cause", "copies")
"""The two ways in which features can repeat each other."""
_NOTHING = 1e-12
"""Labels that are no further apart than this in what a feature says are not apart."""
_TINY = 1e-300
"""As good as 0, but can be divided by, and has a logarithm."""
INDEPENDENT: Floats = np.outer((0, 1), CORRELATIONS == 0).astype(float)
"""How probable each way and correlation is if features are known not to repeat each other."""


def possible(chances: Floats) -> dict[str, list[tuple[float, float]]]:
    """Return the pairs of a correlation and its probability, way by way, but for impossible ones.

    >>> possible(INDEPENDENT)
    {'one cause': [], 'copies': [(0.0, 1.0)]}
    """
    return {
        way: [
            (rho, chance)
            for rho, chance in zip(CORRELATIONS.tolist(), row, strict=True)
            if chance > 0
        ]
        for way, row in zip(WAYS, chances.tolist(), strict=True)
    }


def prior_weights(independence: float, labels: int = 2, dependent: float = 1.0) -> Floats:
    """Return the probability of each way and correlation before cases are looked at.

    >>> prior_weights(6.0).sum(axis=0).round(2).tolist()
    [0.03, 0.08, 0.13, 0.15, 0.17, 0.18, 0.16, 0.08, 0.02, 0.0]
    """
    edges = np.concatenate([[0.0], (CORRELATIONS[1:] + CORRELATIONS[:-1]) / 2, [1.0]])
    chances = -np.diff((1 - edges) ** independence)
    ways = (0.5, 0.5) if labels == 2 else (0.0, 1.0)
    result: Floats = dependent * np.outer(ways, chances) + (1 - dependent) * INDEPENDENT
    return result


def sensitivities(problem: Problem, means: Floats) -> Floats:
    """Return d′ of each feature: how far apart labels are in what it says, in units of its scatter.

    A feature that says nothing has 0.
    """
    prior, logs, offsets = problem.prior, np.log(means), layout_of(problem).starts
    total, shares = np.zeros(len(offsets)), 0.0
    for one, two in combinations(range(len(prior)), 2):
        ratio = logs[one] - logs[two]
        centres, scatter = [], np.zeros(len(offsets))
        for label in (one, two):
            centre = np.add.reduceat(means[label] * ratio, offsets)
            away = ratio - np.repeat(centre, layout_of(problem).widths)
            scatter += np.add.reduceat(means[label] * away**2, offsets) / 2
            centres.append(centre)
        apart = centres[0] - centres[1]
        says = apart > _NOTHING
        sizes = np.where(says, apart, 0) / np.sqrt(np.where(says, np.maximum(scatter, _TINY), 1))
        total += prior[one] * prior[two] * sizes
        shares += prior[one] * prior[two]
    result: Floats = total / shares
    return result


def effective(sizes: Floats) -> Floats:
    """Return the effective number of positive sizes, over the last axis; 1 if all are 0.

    >>> effective(np.array([[1.0, 1.0], [1.0, 0.0]])).tolist()
    [2.0, 1.0]
    """
    largest = sizes.max(axis=-1, keepdims=True, initial=0.0)
    scaled = sizes / np.where(largest > 0, largest, 1)  # so that no square is too large
    squares = (scaled**2).sum(axis=-1)
    result: Floats = np.where(
        squares > 0, scaled.sum(axis=-1) ** 2 / np.where(squares > 0, squares, 1), 1.0
    )
    return result


def feature_weights(known: NDArray[np.bool_], sensitivity: Floats) -> Iterator[Floats]:
    """Yield the weight of each feature, cases × features, way by way and ρ by ρ.

    One feature knows twice as much as two others. If one cause stands behind all of them, these
    add little to it, or nothing; with copies all count less:

    >>> three = feature_weights(np.array([[True, True, True]]), np.array([2.0, 1.0, 1.0]))
    >>> cause = [each[0].round(2).tolist() for _, each in zip(CORRELATIONS, three)]
    >>> cause[4], cause[6], [each[0].round(2).tolist() for each in three][6]
    ([0.93, 0.74, 0.74], [0.89, 0.44, 0.44], [0.71, 0.71, 0.71])
    """
    falling = np.argsort(-sensitivity, kind="stable")
    sums = (known * sensitivity)[:, falling].cumsum(axis=1)
    others = np.maximum(known[:, falling].cumsum(axis=1) - 1, 0)
    says = known & (sensitivity > 0)
    inverse = 1 / np.where(sensitivity > 0, sensitivity, np.inf)
    for rho in CORRELATIONS:
        if rho == 0:
            yield known.astype(float)
        else:
            least = (rho * sums / (1 + rho * others)).max(axis=1, initial=0.0)
            yield says * np.maximum(1 - least[:, None] * inverse, 0) / (1 - rho)
    number = effective(known * sensitivity)
    for rho in CORRELATIONS:
        yield known / (1 + rho * (number - 1))[:, None]


def expected_weights(known: NDArray[np.bool_], sensitivity: Floats, chances: Floats) -> Floats:
    """Return the weight of each feature, on average over ways and correlations."""
    if chances[:, 0].sum() == 1:
        return known.astype(float)
    result = np.zeros(known.shape)
    for chance, each in zip(chances.flat, feature_weights(known, sensitivity), strict=True):
        if chance > 0:
            result += chance * each
    return result


def weigh(
    posterior: Posterior, means: Floats, purchases: Sequence[Purchase], independence: float
) -> Floats:
    """Return the probability of each way and correlation after these purchases."""
    # By what is not as stated, however improbable: 1 − its probability can round to 0.
    dependent = max(float(posterior.weights[:-1].sum()), _TINY)
    prior = prior_weights(independence, len(posterior.problem.labels), dependent)
    rows = case_of_each(purchases)
    several = np.flatnonzero(np.bincount(rows)[rows] > 1) if len(rows) else rows
    if not len(several):
        return prior
    several = several[np.argsort(rows[several], kind="stable")]  # case by case
    _, first, rows = np.unique(rows[several], return_index=True, return_inverse=True)
    bought = [purchases[at] for at in several]
    feature = np.array([each.feature for each in bought])
    label = np.array([each.label for each in bought])
    column = layout_of(posterior.problem).starts[feature] + [each.value for each in bought]
    said = np.log(left_out(posterior, means)[label, column])  # values × labels
    own = np.arange(len(first)), label[first]
    known = np.zeros((len(first), len(posterior.problem.features)), dtype=bool)
    known[rows, feature] = True
    fits = []
    for weights in feature_weights(known, sensitivities(posterior.problem, means)):
        scores = np.add.reduceat(weights[rows, feature][:, None] * said, first, axis=0)
        fits.append((scores[own] - np.logaddexp.reduce(scores, axis=-1)).sum())
    with np.errstate(divide="ignore"):  # those far beyond the prior are out of the question
        logs = np.reshape(fits, prior.shape) + np.log(prior)
    chances = np.exp(logs - logs.max())
    result: Floats = chances / chances.sum()
    return result


def case_of_each(purchases: Sequence[Purchase]) -> Integers:
    """Number of the case of each purchase; one without a case is a case of its own."""
    places: dict[object, int] = {}
    keys = (("alone", at) if each.case is None else each.case for at, each in enumerate(purchases))
    return np.array([places.setdefault(key, len(places)) for key in keys], dtype=np.int64)


def left_out(posterior: Posterior, means: Floats) -> Floats:
    """Parameters as they would be without one observed value, label × value × labels.

    Entry (j, k, y) is P(value k | label y) without one of the observations of value k among cases
    of label j. Only the counts change; the weights of settings and components and the common shares
    are held, which is many times faster and hardly another number.
    """
    problem, counts = posterior.problem, posterior.counts
    sizes, offsets = layout_of(problem).widths, layout_of(problem).starts
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
    stated_total = np.repeat(
        np.add.reduceat(layout_of(problem).prior_counts, offsets, axis=1), sizes, axis=1
    )
    for label, row in enumerate(counts):
        seen = np.minimum(row, 1)
        own = _less_one(row, totals[label], seen, prior, posterior.concentrations[1:])
        own_stated = _less_one(
            row, totals[label], seen, layout_of(problem).prior_counts[label], stated_total[label]
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
