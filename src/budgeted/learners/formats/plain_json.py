"""JSON, the format that this package reads again, and the JSON Schema that says what is in it."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

from budgeted.learners.formats.base import ModelFormat

JSON = ModelFormat(
    "json",
    "JSON, for any program",
    "application/json",
    lambda model: model.to_json().encode(),
)


def schema_text() -> str:
    """Return the JSON Schema of model files, as text; docs/model.schema.json is the same."""
    return (files(__package__) / "model.schema.json").read_text(encoding="utf-8")


@cache
def schema() -> dict[str, Any]:
    """Return the JSON Schema of model files.

    What a schema cannot say, such as that shares sum to 1 and that tables are as large as features
    and labels ask for, is said by `budgeted.learners.model.Model.from_json`.

    >>> schema()["properties"]["format"]
    {'const': 'budgeted-model'}
    """
    result: dict[str, Any] = json.loads(schema_text())
    return result
