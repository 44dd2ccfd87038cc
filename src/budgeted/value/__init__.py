"""The loss of a belief, and the expected loss after any allocation of purchases.

One entry point per question; each picks the most exact engine that the question allows, and the
result says which one it was:

=============  ================================================  ==============================
engine         for                                               exact to
=============  ================================================  ==============================
``spectral``   two labels; GINI and entropy                      1e-11
``grid``       two labels; 0/1 error                             a reported resolution
``enumeration``  anything small                                  rounding
``particles``  anything                                          a reported standard error
=============  ================================================  ==============================

These compute with a plain `Belief`. What purchases are worth under what a learner believes is asked
of `gains`; ``information`` and, for 0/1 error, ``mistakes`` are the engines of the hierarchical
learner, in which features may be irrelevant; ``bounded`` is that of a classifier that may spend a
limit on each case. A question that none supports is an error in words.
"""

from __future__ import annotations

from budgeted.value.base import CellEstimates, Estimate, Gains
from budgeted.value.questions import (
    ENGINES,
    Allocation,
    check_engine_options,
    expected_loss,
    feature_lookahead,
    gains,
    lookahead,
    loss,
)

__all__ = [
    "ENGINES",
    "Allocation",
    "CellEstimates",
    "Estimate",
    "Gains",
    "check_engine_options",
    "expected_loss",
    "feature_lookahead",
    "gains",
    "lookahead",
    "loss",
]
