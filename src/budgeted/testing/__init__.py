"""Contracts of all that can be added, for those who write some.

Each check plays a member through small problems and raises an `AssertionError` that says what is
wrong. They need nothing but this package, and run in whatever tests you have:

>>> from budgeted.policies import policy
>>> from budgeted.learners import learner
>>> check_policy(policy("round-robin"))
>>> check_learner(learner("naive-bayes"))
>>> from budgeted.problem.prices import price_list
>>> check_price_list(price_list("per-feature"))
"""

from budgeted.testing.learners import check_learner
from budgeted.testing.losses import check_loss
from budgeted.testing.policies import check_policy
from budgeted.testing.prices import check_price_list

__all__ = [
    "check_learner", "check_loss", "check_policy", "check_price_list",
]  # fmt: skip
