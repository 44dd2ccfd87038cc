"""Buy training data piece by piece: the best classifier that a firm budget can buy.

The names below are loaded when they are first used, so that ``budgeted --help`` stays instant.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from budgeted.errors import BudgetedError as BudgetedError
    from budgeted.learners.belief import Belief as Belief
    from budgeted.learners.model import Model as Model
    from budgeted.policies import policy as policy
    from budgeted.problem import Action as Action
    from budgeted.problem import Feature as Feature
    from budgeted.problem import Firm as Firm
    from budgeted.problem import Order as Order
    from budgeted.problem import PriceList as PriceList
    from budgeted.problem import Problem as Problem
    from budgeted.problem import Soft as Soft
    from budgeted.problem.orders import Purchase as Purchase
    from budgeted.problem.values import Categorical as Categorical
    from budgeted.problem.values import Number as Number
    from budgeted.simulation.simulator import simulate as simulate
    from budgeted.simulation.tables import Table as Table
    from budgeted.simulation.tables import from_dataframe as from_dataframe
    from budgeted.simulation.tables import read_csv as read_csv
    from budgeted.simulation.tables.coding import Coding as Coding
    from budgeted.state import State as State
    from budgeted.studies.study import Study as Study

__version__ = "0.2.0"

_HOMES = {
    "Action": "problem",
    "Belief": "learners.belief",
    "BudgetedError": "errors",
    "Categorical": "problem.values",
    "Coding": "simulation.tables.coding",
    "Feature": "problem",
    "Firm": "problem",
    "Model": "learners.model",
    "Number": "problem.values",
    "Order": "problem",
    "PriceList": "problem",
    "Problem": "problem",
    "Purchase": "problem.orders",
    "Soft": "problem",
    "State": "state",
    "Study": "studies.study",
    "Table": "simulation.tables",
    "from_dataframe": "simulation.tables",
    "policy": "policies",
    "read_csv": "simulation.tables",
    "simulate": "simulation.simulator",
}

__all__ = ["__version__", *_HOMES]  # noqa: PLE0604 - a list of text all the same


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'budgeted' has no attribute {name!r}")
    return getattr(import_module(f"budgeted.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
