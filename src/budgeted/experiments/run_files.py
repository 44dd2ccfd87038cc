"""A run, or many, as a Parquet file that says where it comes from.

The table has a row per purchase, with names beside the positions, so that any reader of Parquet
understands it. What else there is to know is JSON in the metadata of the file, under ``budgeted``.
Parquet has a checksum for each page, so that a damaged one is never believed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from math import nan
from pathlib import Path
from typing import Any

import numpy as np

from budgeted.errors import DamagedError, RunnerError
from budgeted.experiments.measured import COLUMNS
from budgeted.experiments.runs import Names, Run
from budgeted.files import write_atomically
from budgeted.provenance import Provenance

try:
    import pyarrow
    import pyarrow.compute
    import pyarrow.parquet
except ImportError:
    raise RunnerError(
        "results need the extra 'experiments': pip install 'budgeted[experiments]'"
    ) from None

Table = pyarrow.Table
concat = pyarrow.concat_tables

FORMAT = 1
_MONEY = pyarrow.decimal128(28, 10)
"""Holds every amount that `budgeted.problem.money` takes."""


def write(table: pyarrow.Table, facts: Mapping[str, Any], target: Path) -> None:
    """Write a table and its facts; nobody ever reads half a file."""
    told = json.dumps({"format": FORMAT, **facts}, ensure_ascii=False, default=str)
    buffer = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(
        table.replace_schema_metadata({"budgeted": told}), buffer, compression="zstd",
        write_page_checksum=True,
    )  # fmt: skip
    try:
        write_atomically(target, buffer.getvalue().to_pybytes(), private=False)
    except OSError as error:
        raise RunnerError(f"{target}: cannot be written: {error.strerror or error}") from error


def read(path: Path) -> tuple[pyarrow.Table, dict[str, Any]]:
    """Return the table and the facts of a file; a damaged one is refused."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DamagedError(f"{path}: cannot be read: {error.strerror or error}") from error
    try:
        table = pyarrow.parquet.read_table(
            pyarrow.BufferReader(content), page_checksum_verification=True
        )
        told: dict[str, Any] = json.loads(table.schema.metadata[b"budgeted"])
        version = told["format"]
    except (pyarrow.ArrowException, OSError, ValueError, LookupError, TypeError, MemoryError):
        state = "is empty" if not content else "is damaged, or was not written by this program"
        raise DamagedError(f"{path}: {state}") from None
    if version != FORMAT:
        raise DamagedError(
            f"{path}: was written by a newer version of budgeted: update the package"
        )
    return table, told


def as_table(policy: str, number: int, played: Run) -> pyarrow.Table:
    """Return a row per purchase: positions for programs, names for people."""
    rows, names = len(played.feature), played.names
    features, labels = played.feature.tolist(), played.label.tolist()
    values = [None if value < 0 else value for value in played.value.tolist()]
    named = [
        None if value is None else names.values[feature][value]
        for feature, value in zip(features, values, strict=True)
    ]
    whole, text, real = pyarrow.int32(), pyarrow.string(), pyarrow.float64()
    discriminative = ",".join(names.features[each] for each in played.discriminative)
    columns = {
        "policy": pyarrow.array([policy] * rows, text),
        "run": pyarrow.array([number] * rows, whole),
        "purchase": pyarrow.array(range(1, rows + 1), whole),
        "feature": pyarrow.array([names.features[each] for each in features], text),
        "label": pyarrow.array([names.labels[each] for each in labels], text),
        "value": pyarrow.array(named, text),
        "feature_index": pyarrow.array(features, whole),
        "label_index": pyarrow.array(labels, whole),
        "value_index": pyarrow.array(values, whole),
        "cost": pyarrow.array(played.cost, _MONEY),
        "spent": pyarrow.array(played.spent, _MONEY),
        "error": pyarrow.array(played.error, real),
        "complete": pyarrow.array([played.complete] * rows, real),
        "single": pyarrow.array([played.single] * rows, real),
        "discriminative": pyarrow.array([discriminative] * rows, text),
        **{
            COLUMNS[name]: pyarrow.array(taken, real, from_pandas=True)  # NaN: was not taken
            for name, taken in played.measures.items()
        },
    }
    return pyarrow.table(columns)


def run_of(table: pyarrow.Table, told: Mapping[str, Any]) -> Run:
    """Return the run in the rows of a table, with the facts of its file."""
    measures = {name: each for name, each in COLUMNS.items() if each in table.column_names}
    columns = table.select(
        ["feature_index", "label_index", "value_index", "cost", "spent", "error",
         *measures.values()]
    ).to_pydict()  # fmt: skip
    return Run(
        np.array(columns["feature_index"], dtype=np.int64),
        np.array(columns["label_index"], dtype=np.int64),
        np.array([-1 if at is None else at for at in columns["value_index"]], dtype=np.int64),
        tuple(_plain(amount) for amount in columns["cost"]),
        tuple(_plain(amount) for amount in columns["spent"]),
        np.array(columns["error"], dtype=float),
        complete=told["complete"],
        single=told["single"],
        discriminative=tuple(told["discriminative"]),
        names=Names(
            tuple(told["names"]["features"]),
            tuple(told["names"]["labels"]),
            tuple(map(tuple, told["names"]["values"])),
        ),
        measures={name: np.array(columns[each], dtype=float) for name, each in measures.items()},
    )


def runs_of(
    table: pyarrow.Table, policy: str, runs: int, names: Mapping[str, Any]
) -> tuple[Run, ...]:
    """Return the runs of a policy in a table of many."""
    mine = table.filter(pyarrow.compute.field("policy") == policy)
    found = []
    for number in range(runs):
        rows = mine.filter(pyarrow.compute.field("run") == number)
        first = {key: next(iter(rows[key].to_pylist()), None)
                 for key in ("complete", "single", "discriminative")}  # fmt: skip
        known = [each for each in (first["discriminative"] or "").split(",") if each]
        told = {
            "complete": nan if first["complete"] is None else first["complete"],
            "single": nan if first["single"] is None else first["single"],
            "discriminative": [names["features"].index(each) for each in known],
            "names": {"values": (), **names},
        }
        found.append(run_of(rows, told))
    return tuple(found)


def named(table: pyarrow.Table, name: str) -> pyarrow.Table:
    """Return a table of results whose first column says of which table of cases it is."""
    column = pyarrow.array([name] * len(table), pyarrow.string())
    return table.replace_schema_metadata(None).add_column(0, "table", column)


def of_name(table: pyarrow.Table, name: str) -> pyarrow.Table:
    """Return the rows of one table of cases."""
    return table.filter(pyarrow.compute.field("table") == name).drop_columns(["table"])


def facts_of(played: Run, provenance: Provenance) -> dict[str, Any]:
    """Return what is known of a run besides its purchases."""
    return {
        "provenance": provenance.document(),
        "names": {
            "features": played.names.features,
            "labels": played.names.labels,
            "values": played.names.values,
        },
        "complete": played.complete,
        "single": played.single,
        "discriminative": played.discriminative,
    }


def _plain(amount: Decimal) -> Decimal:
    """Drop the zeros that the fixed scale of the file added.

    >>> _plain(Decimal("1.5000000000")), _plain(Decimal("100.0000000000"))
    (Decimal('1.5'), Decimal('100'))
    """
    short = amount.normalize()
    return short.quantize(Decimal(1)) if short == short.to_integral() else short
