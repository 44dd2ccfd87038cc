"""Estimators for scikit-learn: learn from cases known in part, or buy values and learn from those.

`BudgetedClassifier` is fitted on cases of which some values are known. `BudgetedPurchaser` is given
a full table as the oracle, prices and a budget; it buys as a policy says, and learns from what it
bought. Both need the extra ``budgeted[sklearn]``; nothing else of the package imports scikit-learn.
"""

from __future__ import annotations

try:
    import sklearn  # noqa: F401 - to say in words that it is missing
except ImportError as error:
    raise ImportError("estimators need scikit-learn: pip install 'budgeted[sklearn]'") from error

from budgeted.sklearn.classifier import BudgetedClassifier
from budgeted.sklearn.purchaser import BudgetedPurchaser

__all__ = ["BudgetedClassifier", "BudgetedPurchaser"]
