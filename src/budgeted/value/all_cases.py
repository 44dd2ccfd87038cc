"""All cases that there can be: what they weigh, and the loss now."""

from __future__ import annotations

import numpy as np

from budgeted.learners.belief import Belief
from budgeted.learners.layout import Floats
from budgeted.value.loss import Loss


def masses_of_all_cases(belief: Belief, without: int | None = None) -> Floats:
    """Return P(x, label) of all cases, labels × cases; of all features, or of all but one.

    They are the products of what each feature says: one more feature makes as many of every case as
    it has values. No case is ever written down.
    """
    masses = np.asarray(belief.problem.prior)[:, None]
    for feature in range(len(belief.problem.features)):
        if feature != without:
            means = belief.means[:, belief.columns(feature)]
            masses = (means[:, :, None] * masses[:, None]).reshape(len(masses), -1)
    return masses


def loss_of_all_cases(belief: Belief, loss: Loss) -> float:
    """Return the loss of a belief; nothing is bought, so each case has one outcome.

    Examples
    --------
    >>> from budgeted import Feature, Problem
    >>> from budgeted.value.loss import GINI
    >>> problem = Problem([Feature("a", ("no", "yes"), 1)], ("x", "y", "z"), (0.5, 0.3, 0.2), 9)
    >>> round(loss_of_all_cases(Belief.prior(problem), GINI), 10)
    0.62
    """
    return float(loss(masses_of_all_cases(belief).T).sum())
