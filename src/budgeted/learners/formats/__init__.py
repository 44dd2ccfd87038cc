"""In which formats a classifier can be taken away, one file each.

>>> list(model_formats())[:1]
['json']
>>> model_format("javascript").ending
'js'
"""

from __future__ import annotations

from budgeted.errors import ModelError, UnknownError
from budgeted.learners.base import Learner
from budgeted.learners.formats.base import ModelFormat, check_format
from budgeted.learners.formula import has_formula
from budgeted.registry import Registry

__all__ = ["FORMATS", "ModelFormat", "model_format", "model_formats", "offered"]

FORMATS: Registry[ModelFormat] = Registry(
    "format",
    "budgeted.model_formats",
    ModelError,
    __name__,
    check_format,
    first=("json", "html", "score-sheet", "xlsx"),
    like=ModelFormat,
)
"""Every format by its name; `FORMATS.register` adds one, and pages and commands list it."""


def model_formats() -> dict[str, ModelFormat]:
    """Return all formats by their names, the usual one first."""
    return FORMATS.available()


def model_format(name: str) -> ModelFormat:
    """Return a format by its name."""
    try:
        return FORMATS.find(name)
    except ModelError as error:
        raise UnknownError(str(error)) from None


def offered(learner: Learner) -> list[ModelFormat]:
    """Return the formats that a list should offer for models of a learner.

    >>> from budgeted.learners import Hierarchical, TreeAugmented
    >>> "pmml" in [each.name for each in offered(Hierarchical())]
    False
    >>> "sql" in [each.name for each in offered(TreeAugmented())]
    False
    """
    with_formula = has_formula(learner)
    return [
        each
        for each in model_formats().values()
        if not each.missing
        and (with_formula or not each.of_formula)
        and (not each.learners or learner.name in each.learners)
    ]
