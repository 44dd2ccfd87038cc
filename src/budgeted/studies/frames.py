"""A study as a dataframe of pandas, polars or pyarrow: the tables to take away, with types.

Amounts are `decimal.Decimal`, exact: a column of decimals in polars and pyarrow, of objects in
pandas. Times are in UTC and know it. Values are texts as they were told; in the wide table, those
of features that are measured in numbers are floats. What is not there is null.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from datetime import datetime
from decimal import Decimal
from types import ModuleType
from typing import Any

from budgeted.errors import StudyError
from budgeted.listing import did_you_mean
from budgeted.studies.snapshot import Snapshot
from budgeted.studies.tables import TABLES, Table

BACKENDS = ("pandas", "polars", "pyarrow")
DECIMALS = 10
"""Of amounts in columns that must say how many there are; prices have at most six."""

_AMOUNTS = ("price", "charged", "reserved", "amount", "amount_before", "budget", "spent", "free")
_WHOLE = ("request", "order", "corrected", "event", "number")
_TIMES = ("requested_at", "settled_at", "at")
Reader = Callable[[str], Any]


def frame_of(study: Snapshot, which: str, backend: str, labels: bool = True) -> Any:
    """Return a table of a study as a dataframe."""
    if which not in TABLES:
        guess = did_you_mean(which, TABLES)
        raise StudyError(f"there is no table {which!r}; {guess}there are: {', '.join(TABLES)}")
    table = TABLES[which](study, labels)
    if which != "wide":
        return framed(table, types_of(table), backend)
    features = study.state.problem.features
    numbers: dict[str, Reader] = {each.name: measured for each in features if not each.choices}
    return framed(table, numbers, backend)


def measured(told: str) -> float:
    """Return a number as it was told, with a point or a comma before its decimals.

    >>> measured("7.25"), measured("7,25")
    (7.25, 7.25)
    """
    return float(told.replace(",", "."))


def types_of(table: Table) -> dict[str, Reader]:
    """Return how to read the columns that are no texts, by their names."""
    kinds: tuple[tuple[tuple[str, ...], Reader], ...] = (
        (_AMOUNTS, Decimal), (_WHOLE, int), (_TIMES, datetime.fromisoformat),
    )  # fmt: skip
    return {name: read for names, read in kinds for name in names if name in table.columns}


def framed(table: Table, readers: Mapping[str, Reader], backend: str) -> Any:
    """Return a table as a dataframe of a library.

    >>> table = Table(("case", "cost"), [("P1", "1.50"), ("P2", "")])
    >>> print(framed(table, {"cost": Decimal}, "pyarrow").to_pylist())
    [{'case': 'P1', 'cost': Decimal('1.5000000000')}, {'case': 'P2', 'cost': None}]
    """
    library = _library(backend)
    columns: dict[str, list[Any]] = {}
    for at, name in enumerate(table.columns):
        read = readers.get(name, str)
        columns[name] = [None if row[at] == "" else read(row[at]) for row in table.rows]
    kinds = {name: readers.get(name, str) for name in table.columns}
    make = {"pandas": _pandas, "polars": _polars, "pyarrow": _pyarrow}[backend]
    return make(library, columns, kinds)


def _pandas(pandas: Any, columns: Mapping[str, list[Any]], kinds: Mapping[str, Reader]) -> Any:
    names: dict[Reader, str] = {int: "Int64", measured: "Float64", str: "string", Decimal: "object"}
    made = {}
    for name, cells in columns.items():
        if kinds[name] in names:
            made[name] = pandas.Series(cells, dtype=names[kinds[name]])
        else:
            made[name] = pandas.to_datetime(pandas.Series(cells, dtype="object"), utc=True)
    return pandas.DataFrame(made)


def _polars(polars: Any, columns: Mapping[str, list[Any]], kinds: Mapping[str, Reader]) -> Any:
    names: dict[Reader, Any] = {
        int: polars.Int64, measured: polars.Float64, str: polars.String,
        Decimal: polars.Decimal(38, DECIMALS),
    }  # fmt: skip
    times = polars.Datetime("us", "UTC")
    schema = {name: names.get(kinds[name], times) for name in columns}
    return polars.DataFrame(columns, schema=schema)


def _pyarrow(pyarrow: Any, columns: Mapping[str, list[Any]], kinds: Mapping[str, Reader]) -> Any:
    names: dict[Reader, Any] = {
        int: pyarrow.int64(), measured: pyarrow.float64(), str: pyarrow.string(),
        Decimal: pyarrow.decimal128(38, DECIMALS),
    }  # fmt: skip
    times = pyarrow.timestamp("us", "UTC")
    fields = [(name, names.get(kinds[name], times)) for name in columns]
    return pyarrow.table(dict(columns), schema=pyarrow.schema(fields))


def _library(backend: str) -> ModuleType:
    if backend not in BACKENDS:
        raise StudyError(f"backend: must be one of {', '.join(BACKENDS)}, got {backend!r}")
    try:
        return importlib.import_module(backend)
    except ImportError as error:
        raise StudyError(
            f"a dataframe of {backend} needs {backend}: pip install {backend}, or name another "
            f"backend: {', '.join(each for each in BACKENDS if each != backend)}"
        ) from error
