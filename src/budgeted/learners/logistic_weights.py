"""Weights of features by penalised logistic regression: projected Newton steps, in a few lines.

A case with some values known says of each label y the sum of what its values say, each times the
weight of its feature::

    s_y = Σ_i w_i e_iy,    −log-likelihood = Σ_c a_c (log Σ_y exp s_cy − s_c,own),    w_i ≥ 0

With a normal prior of the weights that is convex, and has one minimum. Values that are not known
are not in the sum: e is the evidence of naive Bayes, and what nobody looked at drops out of it.

Bertsekas, *Projected Newton methods for optimization problems with simple constraints*, SIAM
Journal on Control and Optimization 20 (1982).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from budgeted.learners.layout import Floats, Integers

_MOST_STEPS = 100
_DONE = 1e-10
"""Of the gradient, per case: weights that are as good as the best."""
_MOST_HALVES = 40
_ENOUGH = 1e-4
"""Of the fall that the gradient promises, so much must come (Armijo's rule)."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """What the known values of some cases say of the labels, value by value."""

    rows: Integers
    features: Integers
    said: Floats  # what each value says of each label, values × labels
    own: Integers
    counts: Floats

    def scores(self, weights: Floats) -> Floats:
        """Return what the cases say of each label, cases × labels."""
        first = np.flatnonzero(np.diff(self.rows, prepend=-1))
        result: Floats = np.add.reduceat(weights[self.features][:, None] * self.said, first, axis=0)
        return result


def fit_weights(evidence: Evidence, middle: Floats, apart: float, together: float) -> Floats:
    """Return the most probable weights, one for each feature.

    A hundred cases with two values that always say the same, and are right as often as they say:

    >>> rows, own, says = np.repeat(np.arange(100), 2), np.arange(100) % 2, np.arange(100) % 2
    >>> says[::5] = 1 - says[::5]
    >>> said = np.log([[0.8, 0.2], [0.2, 0.8]])[says[rows]]
    >>> twice = Evidence(rows, np.tile([0, 1], 100), said, own, np.ones(100))
    >>> fit_weights(twice, np.ones(2), 1.0, 1.0).round(2).tolist()
    [0.5, 0.5]
    """
    return _Fit(evidence, middle, apart, together).best()


class _Fit:
    """The penalised likelihood with its derivatives, over the features that were bought."""

    def __init__(self, evidence: Evidence, middle: Floats, apart: float, together: float) -> None:
        self.evidence, self.middle = evidence, middle
        size = len(middle)
        # The inverse of apart² I + together² 11ᵀ, by Sherman and Morrison.
        self.own = 1 / apart**2
        self.shared = together**2 / (apart**2 * (apart**2 + size * together**2))
        self.total = float(evidence.counts.sum())
        bent = evidence.counts[evidence.rows] * (evidence.said**2).sum(axis=1)
        self.steep = self.own + np.bincount(evidence.features, bent, size)

    def best(self) -> Floats:
        weights = np.maximum(self.middle, 0.0)
        value, gradient, chances = self._look(weights)
        for _ in range(_MOST_STEPS):
            held = (weights <= 0) & (gradient >= 0)
            if np.abs(np.where(held, 0, gradient)).max(initial=0.0) <= _DONE * self.total:
                break
            found = self._along(self._newton(chances, gradient, held), weights, value, gradient)
            if found is None:  # a weight at its end is in the way
                found = self._along(gradient / self.steep, weights, value, gradient)
            if found is None:
                break  # nothing is left but rounding
            weights, (value, gradient, chances) = found
        return weights

    def _along(
        self, step: Floats, weights: Floats, value: float, gradient: Floats
    ) -> tuple[Floats, tuple[float, Floats, Floats]] | None:
        """Go so far along a step that the value falls, and see; None if it does not."""
        for halved in range(_MOST_HALVES):
            tried = np.maximum(weights - step / 2**halved, 0.0)
            found = self._look(tried)
            promised = float(gradient @ (weights - tried))
            if promised > 0 and found[0] <= value - _ENOUGH * promised:
                return tried, found
        return None

    def _look(self, weights: Floats) -> tuple[float, Floats, Floats]:
        """The value, its gradient, and P(label | case)."""
        evidence, cases = self.evidence, np.arange(len(self.evidence.own))
        scores = evidence.scores(weights)
        logs = scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)
        away = weights - self.middle
        pulled = self.own * away - self.shared * away.sum()
        value = -float(evidence.counts @ logs[cases, evidence.own]) + float(away @ pulled) / 2
        chances = np.exp(logs)
        wrong = chances.copy()
        wrong[cases, evidence.own] -= 1
        wrong *= evidence.counts[:, None]
        each = (wrong[evidence.rows] * evidence.said).sum(axis=1)
        gradient = np.bincount(evidence.features, each, len(weights)) + pulled
        return value, gradient, chances

    def _newton(self, chances: Floats, gradient: Floats, held: NDArray[np.bool_]) -> Floats:
        """Solve for the step of the weights that are not held, by conjugate gradients."""
        evidence, size, free = self.evidence, len(gradient), np.flatnonzero(~held)
        first = np.flatnonzero(np.diff(evidence.rows, prepend=-1))

        def times(direction: Floats) -> Floats:
            whole = np.zeros(size)
            whole[free] = direction
            scores = np.add.reduceat(
                whole[evidence.features][:, None] * evidence.said, first, axis=0
            )
            bent = chances * (scores - (chances * scores).sum(axis=1, keepdims=True))
            bent *= evidence.counts[:, None]
            each = (bent[evidence.rows] * evidence.said).sum(axis=1)
            pulled = self.own * whole - self.shared * whole.sum()
            result: Floats = (np.bincount(evidence.features, each, size) + pulled)[free]
            return result

        step = np.zeros(len(free))
        left = gradient[free].copy()
        direction, norm = left.copy(), float(left @ left)
        least = 1e-20 * norm
        for _ in range(len(free) + 10):
            if norm <= least:
                break
            bent = times(direction)
            far = norm / float(direction @ bent)
            step += far * direction
            left -= far * bent
            before, norm = norm, float(left @ left)
            direction = left + norm / before * direction
        result = np.zeros(size)
        result[free] = step
        return result
