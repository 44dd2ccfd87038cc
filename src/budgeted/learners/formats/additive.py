"""The best sum of points that comes close to a model, and the cases that judge it.

A score sheet can say nothing but sums. The best one is found by multinomial logistic regression on
what the model says of cases. A model that is additive itself comes back as it is. For others the
decisions matter more than the probabilities: the model's are also sharpened before they are fitted,
so that cases near a decision get most of the weight, and what changes the fewest decisions is
taken.

The cases are all there are, or many that are drawn. How many features of a case are known is
equally probable, from none to all, and so is which. Their values are those that the model expects
of its population; and once more as if every value were equally frequent, since a sheet must also
hold for cases unlike those that the model learned from.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from budgeted.errors import ModelError
from budgeted.learners.layout import Floats, Integers
from budgeted.learners.model import Model

_SHARPENED = (1.0, 3.0, 10.0)
_RIDGE = 1e-7
_ROUNDS, _HALVINGS = 60, 30
_CLOSE = 1e-10
MOST_NUMBERS = 1_500
"""That can be fitted within seconds."""
_MOST = 20_000
"""Up to so many different cases all are gone through; otherwise so many are drawn."""
_TIE = 1e-9
"""Labels that are this close are equally probable: whoever names one of them is right."""


@dataclass(frozen=True, eq=False)
class ReferenceCases:
    """Cases known in part, how frequent they are in two populations, and what the model says."""

    values: Integers  # positions of values, cases × features; -1 where one is unknown
    weights: Floats
    chances: Floats  # P(label | case), cases × labels
    sizes: tuple[int, ...]  # how many values each feature has
    complete: bool  # whether these are all cases that there are

    @cached_property
    def fine(self) -> NDArray[np.bool_]:
        """Whether a label is a most probable one of a case, cases × labels."""
        result: NDArray[np.bool_] = self.chances >= self.chances.max(axis=1, keepdims=True) - _TIE
        return result

    def changed(self, labels: Integers) -> Floats:
        """Return which share of the decisions is another one, in both populations."""
        wrong = ~self.fine[np.arange(len(labels)), labels]
        result: Floats = self.weights @ wrong
        return result

    @cached_property
    def indicators(self) -> Floats:
        """A column of ones, and one for each value: whether it is known, cases × columns."""
        columns = [np.ones(len(self.values))]
        for at, size in enumerate(self.sizes):
            columns += [(self.values[:, at] == value).astype(float) for value in range(size)]
        return np.stack(columns, axis=1)


def reference_cases(model: Model, seed: int = 0) -> ReferenceCases:
    """Return the cases of a model; the seed is for drawing, where there are too many.

    >>> from budgeted import Feature, Problem
    >>> from budgeted.learners import NaiveBayes
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.7, 0.3), 10)
    >>> found = reference_cases(Model.of(NaiveBayes().fit(problem, [])))
    >>> found.values.ravel().tolist(), found.weights.round(2).tolist()
    ([-1, 0, 1], [[0.5, 0.25, 0.25], [0.5, 0.25, 0.25]])
    """
    sizes = tuple(len(each.values) for each in model.features)
    shares = [_shares(model, at) for at in range(len(sizes))]
    if math.prod(size + 1 for size in sizes) <= _MOST:
        values = np.stack(
            [each.ravel() for each in np.meshgrid(*(np.arange(-1, size) for size in sizes),
                                                  indexing="ij")], axis=1
        )  # fmt: skip
        weights = np.stack([_frequencies(model, values, each)
                            for each in (shares, [_even(each) for each in shares])])  # fmt: skip
        return ReferenceCases(values, weights, model.probabilities(values), sizes, True)
    rng = np.random.default_rng(seed)
    values = np.concatenate([_drawn(model, each, rng)
                             for each in (shares, [_even(each) for each in shares])])  # fmt: skip
    weights = np.kron(np.eye(2), np.full(_MOST, 1 / _MOST))
    return ReferenceCases(values, weights, model.probabilities(values), sizes, False)


def _shares(model: Model, feature: int) -> Floats:
    """P(value | label), labels × values; even where the learner does not say."""
    found = model.shares(model.features[feature])
    size = len(model.features[feature].values)
    return np.full((len(model.labels), size), 1 / size) if found is None else found


def _even(shares: Floats) -> Floats:
    return np.full_like(shares, 1 / shares.shape[1])


def _frequencies(model: Model, values: Integers, shares: list[Floats]) -> Floats:
    """How frequent each of all cases is."""
    features = values.shape[1]
    masses = np.repeat(np.array(model.prior)[:, None], len(values), axis=1)
    for at, table in enumerate(shares):
        masses *= np.where(values[:, at] >= 0, table[:, values[:, at]], 1.0)
    known = (values >= 0).sum(axis=1)
    ways = np.array([math.comb(features, each) for each in range(features + 1)], dtype=float)
    result: Floats = masses.sum(axis=0) / (ways[known] * (features + 1))
    return result


def _drawn(model: Model, shares: list[Floats], rng: np.random.Generator) -> Integers:
    """Cases as they may come."""
    features = len(shares)
    label = rng.choice(len(model.labels), p=np.array(model.prior), size=_MOST)
    order = rng.random((_MOST, features)).argsort(axis=1).argsort(axis=1)
    known = order < rng.integers(0, features + 1, size=_MOST)[:, None]
    values = np.full((_MOST, features), -1, dtype=np.int64)
    for at, table in enumerate(shares):
        above = table.cumsum(axis=1)[label]
        value = (rng.random(_MOST)[:, None] * above[:, -1:] >= above).sum(axis=1)
        values[:, at] = np.where(known[:, at], np.minimum(value, table.shape[1] - 1), -1)
    return values


def additive(cases: ReferenceCases) -> Floats:
    """Return what each value adds, (1 + values) × labels; the first row is where one begins."""
    seen, weights = cases.indicators, cases.weights.mean(axis=0)
    numbers = seen.shape[1] * (cases.chances.shape[1] - 1)
    if numbers > MOST_NUMBERS:
        raise ModelError(
            f"a score sheet of {numbers} numbers is none that anybody adds up by hand; at most "
            f"{MOST_NUMBERS} are fitted"
        )
    best, least = None, np.inf
    for power in _SHARPENED:
        wanted = cases.chances**power
        found = fit(seen, wanted / wanted.sum(axis=1, keepdims=True), weights)
        changed = cases.changed((seen @ found).argmax(axis=1)).max()
        if changed < least:
            best, least = found, changed
    assert best is not None
    return best


def fit(seen: Floats, wanted: Floats, weights: Floats) -> Floats:
    """Return the coefficients of a multinomial logistic regression, columns × labels.

    Newton's method with steps that are halved until they help; the first label is held at 0.

    The probabilities to come close to are cases × labels; the weights of the cases sum to 1.

    >>> seen = np.array([[1.0, 0.0], [1.0, 1.0]])
    >>> odds = np.array([[0.8, 0.2], [0.5, 0.5]])
    >>> np.exp(fit(seen, odds, np.full(2, 0.5))).round(3).tolist()
    [[1.0, 0.25], [1.0, 4.0]]
    """
    columns, labels = seen.shape[1], wanted.shape[1]
    found = np.zeros((columns, labels))
    loss, chances = _loss(seen, wanted, weights, found)
    for _ in range(_ROUNDS):
        slope = seen.T @ (weights[:, None] * (chances - wanted)) + _RIDGE * found
        step = _newton(seen, weights, chances, slope)
        size = 1.0
        for _ in range(_HALVINGS):
            tried = found - size * step
            new, there = _loss(seen, wanted, weights, tried)
            if new < loss:
                break
            size /= 2
        else:
            break
        gained, found, loss, chances = loss - new, tried, new, there
        if gained < _CLOSE:
            break
    return found


def _loss(seen: Floats, wanted: Floats, weights: Floats, at: Floats) -> tuple[float, Floats]:
    scores = seen @ at
    logs = scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)
    loss = -(weights @ (wanted * logs).sum(axis=1)) + _RIDGE / 2 * (at**2).sum()
    return float(loss), np.exp(logs)


def _newton(seen: Floats, weights: Floats, chances: Floats, slope: Floats) -> Floats:
    """Return the step of Newton's method, columns × labels, with 0 for the first label."""
    columns, labels = slope.shape
    curved = np.zeros((labels - 1, columns, labels - 1, columns))
    for one in range(1, labels):
        for two in range(1, labels):
            joint = weights * chances[:, one] * ((one == two) - chances[:, two])
            curved[one - 1, :, two - 1] = seen.T @ (joint[:, None] * seen)
    matrix = curved.reshape((labels - 1) * columns, -1)
    matrix[np.diag_indices_from(matrix)] += _RIDGE
    found = np.linalg.solve(matrix, slope[:, 1:].T.ravel())
    return np.column_stack([np.zeros(columns), found.reshape(labels - 1, columns).T])
