"""The best additive approximation of a model: what each value adds to the score of each label.

That is multinomial logistic regression on what the model says of cases. A model that is additive
itself comes back as it is. For others the decisions matter more than the probabilities: the model's
are also sharpened before they are fitted, so that cases near a decision get most of the weight, and
what changes the fewest decisions is taken.
"""

from __future__ import annotations

import numpy as np

from budgeted.errors import ModelError
from budgeted.learners.formats.reference_cases import ReferenceCases
from budgeted.learners.layout import Floats

_SHARPENED = (1.0, 3.0, 10.0)
_RIDGE = 1e-7
_ROUNDS, _HALVINGS = 60, 30
_CLOSE = 1e-10
MOST_NUMBERS = 1_500
"""That can be fitted within seconds."""


def additive(cases: ReferenceCases) -> Floats:
    """Return what each value adds, (1 + values) × labels; the first row is where one begins.

    Parameters
    ----------
    cases
        Of the model.
    """
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

    Parameters
    ----------
    seen
        Cases × columns.
    wanted
        The probabilities to come close to, cases × labels.
    weights
        Of the cases; they sum to 1.

    Examples
    --------
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
