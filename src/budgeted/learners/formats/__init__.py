"""The forms in which a classifier can be taken away: JSON, a page, a score sheet, a graph.

>>> list(FORMATS)
['json', 'html', 'score-sheet', 'onnx']
>>> model_format("onnx").ending
'onnx'
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from typing import Any

from budgeted.errors import ModelError, UnknownError
from budgeted.learners.base import Learner
from budgeted.learners.formats.onnx_graph import onnx
from budgeted.learners.formats.page import html
from budgeted.learners.formats.score_sheet import sheet_page
from budgeted.learners.formula import has_formula
from budgeted.learners.model import Model
from budgeted.listing import did_you_mean

__all__ = ["FORMATS", "ModelFormat", "model_format", "offered", "schema", "schema_text"]


@dataclass(frozen=True)
class ModelFormat:
    """A way to write a classifier down.

    Attributes
    ----------
    name, title
        Of the format, and what it is, for people, in a few words.
    media_type, ending
        What a server says that it is, and how the names of such files end.
    write
        Returns the bytes of the file, or raises an error that says why there are none.
    needs
        A package that must be importable to write it, which the extra of the same name brings.
    of_formula
        Whether it writes the formula of a predictor, which not every learner's has.
    """

    name: str
    title: str
    media_type: str
    ending: str
    write: Callable[[Model], bytes]
    needs: str = ""
    of_formula: bool = False

    @property
    def is_text(self) -> bool:
        """Whether people can read it, and a terminal can show it."""
        return self.media_type != "application/octet-stream"

    @property
    def missing(self) -> str:
        """What must be installed first, in words; "" if it can be written here."""
        if not self.needs or find_spec(self.needs) is not None:
            return ""
        return (
            f"the format {self.name!r} needs the extra {self.needs!r}: pip install "
            f"'budgeted[{self.needs}]'"
        )

    def content(self, model: Model) -> bytes:
        """Return a classifier in this format, or raise an error that says why it cannot be."""
        if said := self.missing:
            raise ModelError(said)
        return self.write(model)


FORMATS = {
    each.name: each
    for each in (
        ModelFormat(
            "json", "JSON, for any program", "application/json", "json",
            lambda model: model.to_json().encode(),
        ),
        ModelFormat(
            "html", "A page that classifies a case, off line", "text/html", "html", html,
            of_formula=True,
        ),
        ModelFormat(
            "score-sheet", "A score sheet to print, as a page", "text/html", "html", sheet_page
        ),
        ModelFormat(
            "onnx", "ONNX, for its runtimes", "application/octet-stream", "onnx", onnx,
            needs="onnx", of_formula=True,
        ),
    )
}  # fmt: skip
"""Every format by its name, the usual one first."""


def model_format(name: str) -> ModelFormat:
    """Return a format by its name."""
    if name not in FORMATS:
        meant = did_you_mean(name, FORMATS)
        raise UnknownError(f"there is no format {name!r}; {meant}there are {', '.join(FORMATS)}")
    return FORMATS[name]


def offered(learner: Learner) -> list[ModelFormat]:
    """Return the formats that can be written here for models of a learner."""
    with_formula = has_formula(learner)
    return [
        each
        for each in FORMATS.values()
        if not each.missing and (with_formula or not each.of_formula)
    ]


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
