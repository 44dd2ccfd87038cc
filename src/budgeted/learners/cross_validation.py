"""The expected error by cross-validation, for learners that have no model to ask."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from budgeted.learners.base import Classifier, Outlook
from budgeted.learners.layout import Integers
from budgeted.learners.prospect import FINEST
from budgeted.problem import Problem
from budgeted.problem.orders import Purchase
from budgeted.statistics import wilson

CONFIDENCE = 0.9
_FOLDS = 10
_TIED = 1e-12


def cross_validated(
    fit: Callable[[Sequence[Purchase]], Classifier],
    problem: Problem,
    purchases: Sequence[Purchase],
    folds: int = _FOLDS,
) -> Outlook:
    """Return how often classifiers are wrong on the bought cases that they did not learn from.

    The cases are shared out in as many parts as there are folds, and each part is predicted by what
    is learned from the others. Labels count by their shares, whichever were bought. The interval is
    Wilson's for so many cases. Cases that are known in part are harder than those to come, which
    will be known in full: so this rather says too much than too little.

    Parameters
    ----------
    fit
        What makes a classifier of purchases.
    problem, purchases
        What was bought.
    folds
        In how many parts; the more, the slower.

    Examples
    --------
    >>> from budgeted import Feature
    >>> from budgeted.learners import NaiveBayes
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.5, 0.5), 99)
    >>> bought = [Purchase(0, at % 2, at % 2, 1, case=at) for at in range(40)]
    >>> cross_validated(lambda part: NaiveBayes().fit(problem, part), problem, bought)
    Outlook(error=0.0, low=0.0, high=0.063...)
    """
    cases = _cases(purchases)
    majority = 1 - max(problem.prior)
    if not cases:
        # It says the most frequent label, and is wrong as often as that is not the label.
        return Outlook(majority, max(0.0, majority - FINEST), majority + FINEST)
    right = np.empty(len(cases))
    for fold in range(min(folds, len(cases))):
        inside = range(fold, len(cases), folds)
        others = [each for at, case in enumerate(cases) if at % folds != fold for each in case]
        values = np.stack([_values(problem, cases[at]) for at in inside])
        said = fit(others).probabilities(values)
        best = said >= said.max(axis=1, keepdims=True) - _TIED
        own = [cases[at][0].label for at in inside]
        right[list(inside)] = best[np.arange(len(own)), own] / best.sum(axis=1)
    labels = np.array([case[0].label for case in cases])
    there = [label for label in range(len(problem.labels)) if (labels == label).any()]
    shares = np.array([problem.prior[label] for label in there])
    wrong = np.array([1 - right[labels == label].mean() for label in there])
    error = float(np.clip(wrong @ shares / shares.sum(), 0, 1))
    low, high = wilson(error, len(cases), CONFIDENCE)[1:]
    return Outlook(error, min(low, error), max(high, error))


def _cases(purchases: Sequence[Purchase]) -> list[list[Purchase]]:
    """The purchases of each case, in an order that does not depend on when they were bought."""
    found: dict[str, list[Purchase]] = {}
    for at, each in enumerate(purchases):
        if each.value is not None:
            key = f"alone {at}" if each.case is None else f"case {each.case!r}"
            found.setdefault(f"{each.label} {key}", []).append(each)
    return [found[key] for key in sorted(found)]


def _values(problem: Problem, case: Sequence[Purchase]) -> Integers:
    row = np.full(len(problem.features), -1, dtype=np.int64)
    for each in case:
        row[each.feature] = -1 if each.value is None else each.value
    return row
