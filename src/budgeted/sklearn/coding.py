"""Cells as positions of values, with what is unknown refused or taken as missing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from budgeted.errors import ObservationError, TableError
from budgeted.learners.layout import Integers
from budgeted.problem import Feature
from budgeted.problem.values import Number
from budgeted.simulation.tables.contents import Cell
from budgeted.sklearn.columns import Column

ERROR, TAKEN_AS_MISSING = "error", "missing"


def check_handling(handle_unknown: object) -> None:
    """Raise an error unless this says what to do with values that a feature does not have."""
    if handle_unknown not in (ERROR, TAKEN_AS_MISSING):
        raise ValueError(
            f"handle_unknown: must be {ERROR!r} or {TAKEN_AS_MISSING!r}, got {handle_unknown!r}"
        )


def coded(columns: Sequence[Column], features: Sequence[Feature], handle_unknown: str) -> Integers:
    """Return the position of the category of each cell, cases × features; -1 where it is missing.

    Parameters
    ----------
    columns, features
        As many of each.
    handle_unknown
        With ``error`` a value that a feature does not have is refused, with its place; with
        ``missing`` it is as if it were not known.

    Examples
    --------
    >>> pain = Feature("pain", ("no", "yes"), 1)
    >>> coded([Column("pain", ["yes", None, "maybe"])], [pain], "missing").tolist()
    [[1], [-1], [-1]]
    >>> coded([Column("pain", ["yes", None, "maybe"])], [pain], "error")
    Traceback (most recent call last):
    ...
    budgeted.errors.TableError: X, row 2: feature 'pain' has no value 'maybe'; there are 'no', \
'yes'; handle_unknown='missing' takes such cells as not known
    """
    check_handling(handle_unknown)
    table = [
        _codes(column.cells, feature, handle_unknown)
        for column, feature in zip(columns, features, strict=True)
    ]
    return np.array(table, dtype=np.int64).T


def _codes(cells: Sequence[Cell], feature: Feature, handle_unknown: str) -> Integers:
    kind = feature.kind
    if (
        isinstance(kind, Number)
        and not kind.ranged
        and not any(isinstance(cell, str) for cell in cells)
    ):
        return _categories(cells, kind)
    known: dict[Cell, int] = {None: -1}
    for row, cell in enumerate(cells):
        if cell in known:
            continue
        try:
            known[cell] = feature.category(feature.read(cell))
        except ObservationError as error:
            if handle_unknown == ERROR:
                raise TableError(
                    f"X, row {row}: {error}; handle_unknown={TAKEN_AS_MISSING!r} takes such cells "
                    f"as not known"
                ) from None
            known[cell] = -1
    return np.array([known[cell] for cell in cells], dtype=np.int64)


def _categories(cells: Sequence[Cell], kind: Number) -> Integers:
    """Return what `Number.category` says of many numbers, at once.

    The shortest decimals of floats are in the order of the floats, so that nothing is lost.
    """
    numbers = np.array([np.nan if cell is None else cell for cell in cells], dtype=float)
    found = np.searchsorted(np.asarray(kind.cuts, dtype=float), numbers, side="right")
    return np.where(np.isnan(numbers), -1, found)
