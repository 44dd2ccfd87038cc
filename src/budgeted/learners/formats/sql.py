"""SQL: one query that predicts for every row of a table, for SQLite and PostgreSQL alike."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from budgeted.errors import ModelError
from budgeted.learners.formats.base import ModelFormat
from budgeted.learners.formats.program import free_name, plain, source
from budgeted.learners.model import Model

_MOST_FEATURES = 400
"""SQLite takes no more than 500 parts of a UNION."""
_LARGEST = "1.7e308"
"""What is beyond it is infinite, or not a number at all."""


def sql(model: Model) -> bytes:
    """Return a query over a table ``cases`` with a column for each feature and a key ``id``.

    SELECT cannot raise errors, so where something is no value of its feature, label and
    probabilities are NULL, and ``not_a_value`` names the feature.

    >>> from budgeted import Feature, Problem
    >>> from budgeted.learners import NaiveBayes
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.7, 0.3), 10)
    >>> print(sql(Model.of(NaiveBayes().fit(problem, []))).decode())  # doctest: +ELLIPSIS
    -- Says how probable each label is for every row of the table cases, ...
    """
    held = plain(model, "SQL")
    features = held["features"]
    if len(features) > _MOST_FEATURES:
        raise ModelError(
            f"the format 'sql' takes at most {_MOST_FEATURES} features, this model has "
            f"{len(features)}; take another format"
        )
    names = [each["name"] for each in features]
    kept = free_name("case_key", names)
    ways = held["correlations"]
    parts = {
        "KEY": _name(free_name("id", names)),
        "KEPT": kept,
        "TOLD": " UNION ALL\n".join(
            f"  SELECT t.{kept}, {at}, {_cell(each)} FROM told_cases t"
            for at, each in enumerate(features)
        ),
        "SAID": _rows(_said(features)),
        "SIZES": _rows((at, each["name"], each["sensitivity"]) for at, each in enumerate(features)),
        "WEIGHTS": _rows((at, math.log(each)) for at, each in enumerate(held["weights"])),
        "SHARES": _rows(
            (at, name, math.log(share))
            for at, (name, share) in enumerate(zip(held["labels"], held["prior"], strict=True))
        ),
        "WAYS": _rows((way, rho, chance) for way, pairs in ways.items() for rho, chance in pairs),
        "CHANCES": ",\n".join(
            f"  MAX(CASE WHEN w.feature IS NULL AND c.label = {at} THEN c.chance END) AS "
            f"{_name(f'P({name})')}"
            for at, name in enumerate(held["labels"])
        ),
    }
    return re.sub(r"<([A-Z]+)>", lambda found: parts[found[1]], source("predict.sql")).encode()


def _said(features: Sequence[dict[str, Any]]) -> Iterator[tuple[object, ...]]:
    for at, feature in enumerate(features):
        for member, labels in enumerate(feature["logs"]):
            for label, logs in enumerate(labels):
                for value, log in enumerate(logs):
                    cell = str(value) if "cuts" in feature else feature["categories"][value]
                    yield at, cell, member, label, log


def _cell(feature: dict[str, Any]) -> str:
    """What is told of a feature, as text: for a number the position of its category."""
    # With its table: alone, SQLite takes the name of a column that is not there for a text.
    column = f"t.{_name(feature['name'])}"
    if "cuts" not in feature:
        return f"CAST({column} AS TEXT) || ''"  # so that no collation of the column counts
    number = f"({column} + 0)"
    low = feature["least"] if feature["least"] is not None else f"-{_LARGEST}"
    high = feature["most"] if feature["most"] is not None else _LARGEST
    cases = " ".join(f"WHEN {number} < {cut} THEN '{at}'" for at, cut in enumerate(feature["cuts"]))
    return (
        f"CASE WHEN {column} IS NULL OR CAST({column} AS TEXT) IN ('', '?') THEN NULL "
        f"WHEN NOT ({column} = {column} + 0 AND {number} BETWEEN {low} AND {high}) THEN '-1' "
        f"{cases} ELSE '{len(feature['cuts'])}' END"
    )


def _rows(rows: Iterable[Iterable[object]]) -> str:
    return ",\n".join(f"  ({', '.join(map(_literal, row))})" for row in rows)


def _literal(item: object) -> str:
    if isinstance(item, str):
        return "'" + item.replace("'", "''") + "'"
    return repr(item)


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


SQL = ModelFormat(
    "sql", "SQL, a query for SQLite and PostgreSQL", "application/sql", sql, of_formula=True
)
