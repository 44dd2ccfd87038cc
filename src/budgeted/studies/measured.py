"""The error that was measured on validation cases, beside the one that was expected."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from budgeted.learners import Outlook, Predictor
from budgeted.learners.base import Confusion
from budgeted.learners.prospect import CONFIDENCE
from budgeted.simulation.judge import Validation
from budgeted.statistics import wilson


@dataclass(frozen=True)
class Measured:
    """How often a classifier is wrong on cases whose label is known."""

    error: float  # share of the cases that it gets wrong
    low: float
    high: float
    cases: int  # how many there are


def measure(predictor: Predictor, validation: Validation) -> Measured:
    """Return how often a classifier is wrong on validation cases.

    >>> import numpy as np
    >>> from budgeted import Feature, Problem
    >>> from budgeted.learners import NaiveBayes
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.6, 0.4), 10)
    >>> cases, labels = np.zeros((20, 1), dtype=int), np.array([0] * 18 + [1] * 2)
    >>> found = measure(NaiveBayes().fit(problem, []), Validation.of_table(problem, cases, labels))
    >>> f"{found.error:.2f} ({found.low:.2f} to {found.high:.2f})"
    '0.10 (0.03 to 0.26)'
    """
    number, error = len(validation.values), validation.error(predictor)
    return Measured(*wilson(error, number, CONFIDENCE), number)


def measured_confusion(predictor: Predictor, validation: Validation) -> Confusion:
    """Return how often each label was said of the validation cases of each label.

    The intervals are Wilson's, for the number of cases of the label. A label of which there is no
    case has NaN.

    >>> import numpy as np
    >>> from budgeted import Feature, Problem
    >>> from budgeted.learners import NaiveBayes
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.6, 0.4), 10)
    >>> cases, labels = np.zeros((20, 1), dtype=int), np.array([0] * 18 + [1] * 2)
    >>> validation = Validation.of_table(problem, cases, labels)
    >>> measured_confusion(NaiveBayes().fit(problem, []), validation).shares.tolist()
    [[1.0, 0.0], [1.0, 0.0]]
    """
    counts = validation.confusion(predictor) * len(validation.values)
    of_label = counts.sum(axis=1)
    tables = np.full((3, *counts.shape), np.nan)
    for row, column in np.ndindex(counts.shape):
        number = round(float(of_label[row]))
        if number:
            share = min(1.0, float(counts[row, column]) / number)
            tables[:, row, column] = wilson(share, number, CONFIDENCE)
    return Confusion(*tables)


def disagreement(expected: Outlook, measured: Measured) -> str:
    """Say so where what was measured is not what was expected; nothing if they agree.

    >>> disagreement(Outlook(0.1, 0.05, 0.15), Measured(0.12, 0.08, 0.17, 100))
    ''
    """
    if measured.low > expected.high:
        return (
            "That is more than expected: the validation cases may be unlike those bought, or known "
            "only in part, or have other shares of labels; or features may repeat each other in a "
            "way that the bought cases do not show. Trust what was measured."
        )
    if measured.high < expected.low:
        return (
            "That is less than expected: the validation cases may be easier than those bought. "
            "Trust what was measured if they are like the cases to come."
        )
    return ""
