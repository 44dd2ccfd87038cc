"""The columns of any dataframe, as texts and numbers."""

from __future__ import annotations

import datetime
import math
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

from budgeted.errors import TableError
from budgeted.simulation.tables.contents import Cell, name_of


def columns_of(frame: Any, name: str, *, exact: bool = False) -> tuple[list[str], list[list[Cell]]]:
    """Return the names and the cells of the columns; null and not-a-number become None."""
    nw = _narwhals()
    try:
        eager = nw.from_native(frame, eager_only=True)
        header = [str(each) for each in eager.columns]
        series = [eager[:, at] for at in range(len(header))]
    except (TypeError, ValueError) as error:
        raise TableError(f"{name}: this {type(frame).__name__} cannot be read: {error}") from error
    columns = []
    for column_name, column in zip(header, series, strict=True):
        cells = zip(column.to_list(), column.is_null().to_list(), strict=True)
        columns.append(
            [
                None if null else plain_cell(raw, column_name, row, exact)
                for row, (raw, null) in enumerate(cells)
            ]
        )
    return header, columns


def declared_values(frame: Any) -> list[tuple[str, ...]]:
    """Return for each column the names of all values that its type allows, if it says so.

    A categorical column of pandas and an Enum of polars do; a Categorical of polars shares its
    texts with other columns.

    >>> import pandas
    >>> pain = pandas.Categorical([1, None], categories=[1, 2])
    >>> declared_values(pandas.DataFrame({"pain": pain, "age": [1, 2]}))
    [('1', '2'), ()]
    """
    nw = _narwhals()
    eager = nw.from_native(frame, eager_only=True)
    found = []
    for at, name in enumerate(eager.columns):
        column = eager[:, at]
        values: Any = ()
        if column.dtype == nw.Enum:
            values = column.dtype.categories
        elif column.dtype == nw.Categorical and eager.implementation.is_pandas_like():
            values = column.to_native().dtype.categories
        cells = [plain_cell(each, str(name), at) for at, each in enumerate(values)]
        found.append(tuple(name_of(cell) for cell in cells if cell is not None))
    return found


def _narwhals() -> Any:
    try:
        import narwhals as nw  # noqa: PLC0415 - only dataframes need it
    except ImportError as error:
        raise TableError("dataframes need narwhals: pip install 'budgeted[dataframes]'") from error
    return nw


def plain_cell(raw: Any, column: str, row: int, exact: bool = False) -> Cell:
    """Return an object of a dataframe as a text or a number."""
    if raw is None:
        return None
    if isinstance(raw, str):
        return raw
    if type(raw).__name__ in ("bool", "bool_"):
        return "true" if raw else "false"
    if isinstance(raw, Integral) and abs(int(raw)) >= 10**15:
        return str(int(raw))  # as in a CSV file: too many digits for a float
    if isinstance(raw, Real | Decimal):
        number = float(raw)
        if math.isinf(number):
            raise TableError(f"column {column!r}, row {row}: infinity is not a value; replace it")
        held = f"{raw:f}" if exact and isinstance(raw, Decimal) else number + 0.0
        return None if math.isnan(number) else held
    if isinstance(raw, datetime.date | datetime.time):
        return raw.isoformat()
    raise TableError(
        f"column {column!r}, row {row} holds a {type(raw).__name__}; cells must be texts, numbers "
        f"or truth values: convert the column or ignore it"
    )
