"""Slow and obvious: the paper's formulas by brute force, sharing no code with the package.

A model is a list of features, each a list of rows (one per label) of Dirichlet counts.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from scipy import special, stats


def counts_of(belief):
    """The Dirichlet counts as nested lists: feature, label, value."""
    model, start = [], 0
    for feature in belief.problem.features:
        stop = start + len(feature.values)
        rows = []
        for label in range(len(belief.problem.labels)):
            seen = belief.observed[label, start:stop].tolist()
            alphas = prior_row(feature, label)
            rows.append([alpha + number for alpha, number in zip(alphas, seen, strict=True)])
        model.append(rows)
        start = stop
    return model


def prior_row(feature, label):
    """A feature's prior counts under a label: one number, one per value, or a row per label."""
    given = feature.prior_counts
    if isinstance(given, int | float):
        return [float(given)] * len(feature.values)
    return list(given[label] if isinstance(given[0], tuple | list) else given)


def all_masses(model, prior):
    """P(x, y) for all x (rows) and y (columns), by multiplying everything out."""
    columns = []
    for label, share in enumerate(prior):
        masses = np.array([share])
        for feature in model:
            theta = np.array(feature[label]) / math.fsum(feature[label])
            masses = np.multiply.outer(masses, theta).ravel()
        columns.append(masses)
    return np.stack(columns, axis=1)


def brute_loss(model, prior, kind):
    """The loss of the posterior means, by its textbook definition (eq. 6 for GINI)."""
    masses = all_masses(model, prior)
    totals = masses.sum(axis=1, keepdims=True)
    posterior = masses / totals
    if kind == "gini":
        terms = masses * (1 - posterior)
    elif kind == "entropy":
        terms = -masses * np.log(posterior)
    else:
        terms = totals * (1 - posterior.max(axis=1, keepdims=True))
    return math.fsum(terms.ravel())


def log_evidence_of_level(table, kappa, beta, steps=40_000):
    """Log-probability of the counts of a Boolean feature, integrated over the common share."""
    share = (np.arange(steps) + 0.5) / steps
    logs = stats.beta.logpdf(share, beta, beta)
    for row in table:
        logs += special.betaln(kappa * share + row[0], kappa * (1 - share) + row[1])
        logs -= special.betaln(kappa * share, kappa * (1 - share))
    return special.logsumexp(logs) - math.log(len(share))


def compositions(total, parts):
    """All ways to write `total` as an ordered sum of `parts` whole numbers."""
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in compositions(total - first, parts - 1):
            yield (first, *rest)


def outcome_chance(alphas, seen):
    """Eq. 5 times the number of orders: the Dirichlet-multinomial chance, as an urn draws."""
    chance, total = 1.0, math.fsum(alphas)
    drawn = 0
    for alpha, number in zip(alphas, seen, strict=True):
        for step in range(number):
            drawn += 1
            chance *= (alpha + step) / (total + (drawn - 1)) * drawn / (step + 1)
    return chance


def brute_expected_loss(model, prior, allocation, kind):
    """Eq. 2: over all joint outcomes of all cells, and all x in each."""
    cells = [(cell, number) for cell, number in allocation.items() if number]
    terms = []
    ways = [list(compositions(number, len(model[i][j]))) for (i, j), number in cells]
    for outcome in itertools.product(*ways):
        after = [[list(row) for row in feature] for feature in model]
        chance = 1.0
        for ((i, j), _), seen in zip(cells, outcome, strict=True):
            chance *= outcome_chance(model[i][j], seen)
            after[i][j] = [alpha + more for alpha, more in zip(model[i][j], seen, strict=True)]
        terms.append(chance * brute_loss(after, prior, kind))
    return math.fsum(terms)


def brute_size(model, allocation):
    """How many (outcome, x) pairs that takes."""
    outcomes = math.prod(
        math.comb(number + len(model[i][j]) - 1, number) for (i, j), number in allocation.items()
    )
    return outcomes * math.prod(len(feature[0]) for feature in model)


def slow_sfl_scores(model, prior, depths, kind):
    """SFL as the paper describes it: enumerate the compositions of each cell alone."""
    return {
        cell: brute_expected_loss(model, prior, {cell: depth}, kind)
        for cell, depth in depths.items()
        if depth
    }


def brute_optimal(model, prior, costs, budget, kind):
    """The least expected loss: every order of purchases and answers, nothing remembered."""
    best = brute_loss(model, prior, kind)
    for i, feature in enumerate(model):
        if costs[i] > budget:
            continue
        for j, alphas in enumerate(feature):
            terms = []
            for k, alpha in enumerate(alphas):
                after = [[list(row) for row in rows] for rows in model]
                after[i][j][k] += 1
                value = brute_optimal(after, prior, costs, budget - costs[i], kind)
                terms.append(alpha / math.fsum(alphas) * value)
            best = min(best, math.fsum(terms))
    return best


def even_shares(total, room, held):
    """One purchase after the other: to the label with least of them, then least held before."""
    shares = [0] * len(room)
    for _ in range(total):
        open_ = [label for label in range(len(room)) if shares[label] < room[label]]
        best = min(open_, key=lambda label: (shares[label], held[label], label))
        shares[best] += 1
    return shares
