"""Which features go together within a label: a forest of pairs, found by their Bayes factors.

That each feature says most of one other was proposed by Chow and Liu; within the labels it makes
the classifier *tree-augmented naive Bayes* (Friedman, Geiger and Goldszmidt). Here a pair is joined
only if the cases on which both were bought make that more probable than not. So what comes out is a
forest, and naive Bayes where no values, or too few, were bought together.

What is believed of the values of a feature alone, `shares`, is as it is; that values were bought
together changes how they go together. The joint shares of a pair are Dirichlet around independence,
with one of several strengths: the fewer cases that counts, the more two features may have to do
with each other. How much more probable that makes what was seen than independence does is the Bayes
factor of the pair, with the strengths equally probable. Before anything is seen an edge between two
of d features has probability 1/d: about half an edge for each of them. The most probable forest is
the spanning one of the largest sum, less the edges that are improbable (Kruskal). Nothing in it has
a direction.

Chow and Liu, *Approximating discrete probability distributions with dependence trees*, IEEE
Transactions on Information Theory 14 (1968). Friedman, Geiger and Goldszmidt, *Bayesian network
classifiers*, Machine Learning 29 (1997). Heckerman, Geiger and Chickering, *Learning Bayesian
networks*, Machine Learning 20 (1995).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from budgeted.errors import LearnerError
from budgeted.learners.layout import Floats, by_feature, layout_of
from budgeted.learners.special import log_rising
from budgeted.problem import Problem
from budgeted.problem.orders import Purchase

_MOST_VALUES = 5_000
"""Of all features: a table of all pairs of values takes 200 MB then."""
_DIGITS = 9
"""What two pairs differ by beyond these digits is rounding."""
_CLOSE, _MOST_ROUNDS = 1e-13, 10_000


@dataclass(frozen=True, eq=False)
class Edge:
    """Two features that go together.

    Attributes
    ----------
    one, two
        Their positions, the lower one first.
    joint
        P(value of one, value of two | label), labels × values × values.
    """

    one: int
    two: int
    joint: Floats


def forest(
    problem: Problem, purchases: Sequence[Purchase], shares: Floats, strengths: Sequence[float]
) -> list[Edge]:
    """Return the pairs of features that are joined.

    Parameters
    ----------
    problem, purchases
        What was bought, with a value each.
    shares
        P(value | label), labels × values of all features, which the pairs keep.
    strengths
        How many cases it may count, for each label, that a pair is independent.

    Examples
    --------
    >>> from budgeted import Feature
    >>> features = [Feature(name, ("no", "yes"), 1) for name in "abc"]
    >>> problem = Problem(features, ("well", "ill"), (0.5, 0.5), 99)
    >>> bought = [Purchase(at, case % 2, (case // 2) % 2 if at < 2 else (case // 4) % 2, 1, case)
    ...           for case in range(16) for at in range(3)]
    >>> (edge,) = forest(problem, bought, np.full((2, 6), 0.5), strengths=[4])
    >>> edge.one, edge.two, edge.joint[0].round(2).tolist()
    (0, 1, [[0.42, 0.08], [0.08, 0.42]])
    """
    if shares.shape[1] > _MOST_VALUES:
        raise LearnerError(
            f"pairs of {shares.shape[1]} values are too many; it takes {_MOST_VALUES} values of "
            "all features together. The learner 'hierarchical' takes more"
        )
    together = list(_together(problem, purchases))
    factors = np.stack(
        [_log_bayes_factors(problem, together, shares, each) for each in strengths]
    ) - math.log(len(strengths))
    evidence = np.logaddexp.reduce(factors, axis=0)
    names, alone = [each.name for each in problem.features], by_feature(problem, shares)
    against = math.log(max(len(names) - 1, 1))
    ranked = sorted(
        (-round(float(evidence[one, two]), _DIGITS), sorted((names[one], names[two])), one, two)
        for one, two in np.argwhere(np.triu(evidence > against, 1)).tolist()
    )  # which features are listed first does not matter, even where two pairs are as good
    tree_of, edges, columns = list(range(len(names))), [], layout_of(problem).columns
    for _, _, one, two in ranked:
        if tree_of[one] == tree_of[two]:
            continue
        seen = np.stack([each[columns(one), columns(two)] for each in together])
        chances = np.exp(factors[:, one, two] - evidence[one, two])
        joint = sum(
            chance * _fitted(seen, alone[one], alone[two], strength)
            for chance, strength in zip(chances.tolist(), strengths, strict=True)
        )
        edges.append(Edge(one, two, np.asarray(joint)))
        old, new = tree_of[two], tree_of[one]
        tree_of = [new if each == old else each for each in tree_of]
    return sorted(edges, key=lambda each: (each.one, each.two))


def _together(problem: Problem, purchases: Sequence[Purchase]) -> Iterator[Floats]:
    """How often two values were seen on one case of a label, values × values, label by label."""
    rows: dict[object, int] = {}
    starts, (labels, values) = layout_of(problem).starts, layout_of(problem).shape
    places = [
        (each.label, rows.setdefault((each.label, each.case), len(rows)), each.feature, each.value)
        for each in purchases
        if each.case is not None
    ]
    label, row, feature, value = np.array(places, dtype=np.int64).reshape(-1, 4).T
    several = np.bincount(row, minlength=1)[row] > 1
    for at in range(labels):
        own = several & (label == at)
        _, place = np.unique(row[own], return_inverse=True)
        seen = np.zeros((place.max(initial=-1) + 1, values))
        seen[place, starts[feature[own]] + value[own]] = 1
        yield seen.T @ seen


def _log_bayes_factors(
    problem: Problem, together: Sequence[Floats], shares: Floats, strength: float
) -> Floats:
    """By how much pairs are more probable than if they were independent, features × features."""
    offsets, number = layout_of(problem).offsets, len(problem.features)
    result = np.zeros((number, number))
    for table, own in zip(together, shares, strict=True):
        alone = np.outer(own, own)
        each, seen = log_rising(strength * alone, table) - table * np.log(alone), table
        for axis in (0, 1):
            each = np.add.reduceat(each, offsets, axis=axis)
            seen = np.add.reduceat(seen, offsets, axis=axis)
        result += each - log_rising(np.full(seen.shape, strength), seen)
    return result


def _fitted(seen: Floats, one: Floats, two: Floats, strength: float) -> Floats:
    """Return the joint shares of a pair, which keep those of each feature.

    What was seen together, and so many cases of independence; then rows and columns are scaled in
    turn until both are as they must be (iterative proportional fitting; Deming and Stephan, 1940).
    """
    joint = seen + strength * one[:, :, None] * two[:, None, :]
    joint /= joint.sum(axis=(1, 2), keepdims=True)
    for _ in range(_MOST_ROUNDS):
        joint *= (one / joint.sum(axis=2))[:, :, None]
        off = joint.sum(axis=1)
        joint *= (two / off)[:, None, :]
        if np.abs(off - two).max() < _CLOSE:
            break
    return joint
