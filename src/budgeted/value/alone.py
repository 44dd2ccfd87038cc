"""The loss of each feature alone."""

from __future__ import annotations

import numpy as np

from budgeted.learners.belief import Floats
from budgeted.learners.layout import layout_of
from budgeted.problem import Problem
from budgeted.value.loss import Loss


def losses_alone(problem: Problem, parameters: Floats, loss: Loss) -> Floats:
    """Return, for each feature, the loss of a classifier that knows nothing but it.

    Parameters
    ----------
    problem
        Its features and label shares.
    parameters
        A model, as `budgeted.learners.belief.Belief.sample` draws it.
    loss
        Which one.
    """
    masses = parameters.T * np.asarray(problem.prior)
    result: Floats = np.add.reduceat(loss(masses), layout_of(problem).offsets)
    return result
