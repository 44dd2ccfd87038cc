"""Contracts: what every policy and every learner must do, for those who write their own.

Each check plays a member through small problems and raises an `AssertionError` that says what is
wrong. They need nothing but this package, and run in whatever tests you have:

>>> from budgeted.policies import policy
>>> from budgeted.learners import learner
>>> check_policy(policy("round-robin"))
>>> check_learner(learner("naive-bayes"))
"""

from budgeted.testing.learners import check_learner
from budgeted.testing.policies import check_policy

__all__ = ["check_learner", "check_policy"]
