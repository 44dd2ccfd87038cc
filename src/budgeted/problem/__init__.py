"""What can be bought, of which values, at what price: the fixed part of a budgeted study."""

from budgeted.problem.budgets import Firm, Soft
from budgeted.problem.features import Feature, PriorCounts
from budgeted.problem.names import position_of
from budgeted.problem.orders import Action, CaseSoFar, Order
from budgeted.problem.prices import PerFeature, PriceList, Tariff
from budgeted.problem.problem import Problem

__all__ = [
    "Action", "CaseSoFar", "Feature", "Firm", "Order", "PerFeature", "PriceList",
    "PriorCounts", "Problem", "Soft", "Tariff", "position_of",
]  # fmt: skip
