"""The loss now, summed over all cases that there can be."""

from __future__ import annotations

import numpy as np

from budgeted.learners.belief import Belief
from budgeted.value.loss import Loss


def loss_of_all_cases(belief: Belief, loss: Loss) -> float:
    """Return the loss of a belief; nothing is bought, so each case has one outcome.

    The masses P(x, label) of all cases are the products of what each feature says: one more feature
    makes as many of every one as it has values. No case is ever written down.

    Examples
    --------
    >>> from budgeted import Feature, Problem
    >>> from budgeted.value.loss import GINI
    >>> problem = Problem([Feature("a", ("no", "yes"), 1)], ("x", "y", "z"), (0.5, 0.3, 0.2), 9)
    >>> round(loss_of_all_cases(Belief.prior(problem), GINI), 10)
    0.62
    """
    masses = np.asarray(belief.problem.prior)[:, None]  # labels × cases so far: sums run along rows
    for feature in range(len(belief.problem.features)):
        means = belief.means[:, belief.columns(feature)]
        masses = (masses[:, :, None] * means[:, None, :]).reshape(len(masses), -1)
    return float(loss(masses.T).sum())
