"""Buy training data piece by piece: the best classifier that a firm budget can buy.

The names below are loaded when they are first used, so that ``budgeted --help`` stays instant.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from budgeted.belief import Belief as Belief
    from budgeted.errors import BudgetedError as BudgetedError
    from budgeted.model import Model as Model
    from budgeted.problem import Action as Action
    from budgeted.problem import Feature as Feature
    from budgeted.problem import Problem as Problem
    from budgeted.purchase import Purchase as Purchase
    from budgeted.simulation import simulate as simulate
    from budgeted.state import State as State
    from budgeted.study import Study as Study
    from budgeted.table import Table as Table
    from budgeted.table import from_dataframe as from_dataframe
    from budgeted.table import read_csv as read_csv
    from budgeted.table.coding import Coding as Coding

__version__ = "0.1.0"

_HOMES = {
    "Action": "problem",
    "Belief": "belief",
    "BudgetedError": "errors",
    "Coding": "table.coding",
    "Feature": "problem",
    "Model": "model",
    "Problem": "problem",
    "Purchase": "purchase",
    "State": "state",
    "Study": "study",
    "Table": "table",
    "from_dataframe": "table",
    "read_csv": "table",
    "simulate": "simulation",
}

__all__ = ["__version__", *_HOMES]  # noqa: PLE0604 - a list of text all the same


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'budgeted' has no attribute {name!r}")
    return getattr(import_module(f"budgeted.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
