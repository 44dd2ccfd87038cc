"""How bad a classifier is, now and after purchases: the paper's eq. 1, 2 and 6.

A purchase makes a feature finer, and the expected loss is the plain loss of finer tables:

>>> import numpy as np
>>> from budgeted import Belief, Feature, Problem
>>> problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.5, 0.5), 9)
>>> belief = Belief.prior(problem).observe("fever", "ill", "yes")
>>> print(f"{loss(belief):.4f}, {expected_loss(belief, {('fever', 'well'): 3}):.4f}")
0.4857, 0.4599

`losses` has the losses, `tally` what purchases may bring, `tables` three ways to add it all up,
`expected` the questions, `within_limit` the loss of a classifier that may spend little on a case.
"""

from budgeted.loss.expected import (
    Allocation,
    Estimate,
    Losses,
    expected_loss,
    feature_lookahead,
    gains,
    lookahead,
    loss,
    replaced,
)
from budgeted.loss.losses import ENTROPY, GINI, LOSSES, ZERO_ONE, Loss, named

__all__ = [
    "ENTROPY",
    "GINI",
    "LOSSES",
    "ZERO_ONE",
    "Allocation",
    "Estimate",
    "Loss",
    "Losses",
    "expected_loss",
    "feature_lookahead",
    "gains",
    "lookahead",
    "loss",
    "named",
    "replaced",
]
