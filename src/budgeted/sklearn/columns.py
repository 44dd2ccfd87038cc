"""The columns of X, whatever X is: a dataframe of pandas or polars, an array, or lists."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from budgeted.errors import TableError
from budgeted.simulation.tables import MISSING
from budgeted.simulation.tables.contents import Cell, find_column
from budgeted.simulation.tables.dataframes import columns_of, declared_values, plain_cell
from budgeted.sklearn.releases import check_names_and_number, checked_array


class Column(NamedTuple):
    """A column of X.

    Attributes
    ----------
    name
        As the dataframe calls it; x0, x1 and so on where X has no names.
    cells
        Texts, numbers, and None where a value is missing.
    declared
        All texts that can stand there, where the type of the column says so.
    """

    name: str
    cells: Sequence[Cell]
    declared: tuple[str, ...] = ()


def columns_for(estimator: BaseEstimator, X: Any, *, reset: bool) -> list[Column]:
    """Return the columns of X, after the checks that scikit-learn makes of it.

    Parameters
    ----------
    estimator
        Whose ``n_features_in_`` and ``feature_names_in_`` X must fit.
    X
        The cases.
    reset
        Whether these are learned from X, as in ``fit``.
    """
    if _is_dataframe(X):
        check_names_and_number(estimator, X, reset=reset)
        if not X.shape[0]:
            raise ValueError("Found array with 0 sample(s): X has no rows; give at least one case")
        _, columns = columns_of(X, "X")
        return [
            Column(name, [_known(cell) for cell in cells], values)
            for name, cells, values in zip(
                names_of(estimator), columns, declared_values(X), strict=True
            )
        ]
    array = checked_array(estimator, _not_as_texts(X), reset=reset)
    if array.dtype.kind in "US" and (array == "nan").any():
        raise ValueError(
            f"X is an array of texts, and 'nan' stands there {int((array == 'nan').sum())} times: "
            f"NumPy made texts of missing cells; make the array with dtype=object"
        )
    names = names_of(estimator)
    return [Column(name, _cells(array[:, at], name)) for at, name in enumerate(names)]


def names_of(estimator: BaseEstimator) -> list[str]:
    """Return the names of the columns that an estimator knows."""
    known = getattr(estimator, "feature_names_in_", None)
    if known is None:
        return [f"x{at}" for at in range(estimator.n_features_in_)]
    return [str(name) for name in known]


def place_of(column: Any, names: Sequence[str], parameter: str) -> int:
    """Return the position of a column that a parameter gives by its name or position.

    >>> place_of("age", ["fever", "age"], "prices"), place_of(np.int64(0), ["fever"], "prices")
    (1, 0)
    """
    whole = isinstance(column, Integral) and not isinstance(column, bool)
    return find_column(int(column) if whole else column, names, parameter)


def is_missing(raw: object) -> bool:
    """Whether an object stands for nothing: None, not a number, or the NA and NaT of pandas."""
    if raw is None or type(raw).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(raw, float | np.floating) and isnan(raw)


def _is_dataframe(X: object) -> bool:
    return (hasattr(X, "columns") or hasattr(X, "column_names")) and hasattr(X, "shape")


def _not_as_texts(X: Any) -> Any:
    """Return lists with texts as an array of objects: NumPy would make texts of all of it."""
    if isinstance(X, list | tuple) and np.asarray(X).dtype.kind in "US":
        return np.array(X, dtype=object)
    return X


def _cells(column: Any, name: str) -> list[Cell]:
    if column.dtype.kind in "biuf":
        return [None if isnan(cell) else cell for cell in column.astype(float).tolist()]
    if column.dtype.kind == "S":
        raise TableError(f"column {name!r} holds bytes; make texts of them, as with .astype(str)")
    return [
        None if is_missing(raw) else _known(plain_cell(raw, name, row))
        for row, raw in enumerate(column.tolist())
    ]


def _known(cell: Cell) -> Cell:
    """Return a cell without blanks around it; None where it says that nothing is known."""
    if not isinstance(cell, str):
        return cell
    text = cell.strip()
    return None if text in MISSING else text
