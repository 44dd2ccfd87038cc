"""Which test does this new case need next? An active classifier, made of a model and prices.

Once a study is over, its classifier can be used with all tests known, or economically: order a
test, look at its value, and order another one or answer. What is best is a Markov decision process
(Greiner, Grove and Roth, *Learning cost-sensitive active classifiers*, Artificial Intelligence 139,
2002; Turney, *Types of cost in inductive concept learning*, 2000); `budgeted.diagnosis.programme`
solves it exactly where it is small, and looks some tests ahead where it is not.
"""

from __future__ import annotations

from budgeted.diagnosis.active import ActiveClassifier, Decision
from budgeted.diagnosis.costs import cost_matrix
from budgeted.diagnosis.experience import Experience
from budgeted.diagnosis.strategy import Node, Strategy

__all__ = ["ActiveClassifier", "Decision", "Experience", "Node", "Strategy", "cost_matrix"]
