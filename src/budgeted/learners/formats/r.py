"""R: two functions without any package, for one case and for a data frame of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from budgeted.learners.formats.base import ModelFormat
from budgeted.learners.formats.program import plain, source
from budgeted.learners.model import Model


def r(model: Model) -> bytes:
    """Return a script that defines ``predict_case`` and ``predict_cases``.

    >>> from budgeted import Feature, Problem
    >>> from budgeted.learners import NaiveBayes
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.7, 0.3), 10)
    >>> made = r(Model.of(NaiveBayes().fit(problem, []))).decode()
    >>> made.splitlines()[1]
    '  labels = c("well", "ill"),'
    """
    held = plain(model, "R")
    pairs = held["correlations"]
    ways = [
        f"  {name} = matrix({_vector([each for pair in pairs[way] for each in pair])}, "
        f"ncol = 2, byrow = TRUE)"
        for name, way in (("one_cause", "one cause"), ("copies", "copies"))
    ]
    parts = [
        f"  labels = {_vector(held['labels'])}",
        f"  prior = {_vector(held['prior'])}",
        f"  weights = {_vector(held['weights'])}",
        *ways,
        "  features = list(\n    " + ",\n    ".join(map(_feature, held["features"])) + "\n  )",
    ]
    return ("MODEL <- list(\n" + ",\n".join(parts) + f"\n)\n\n{source('predict.R')}").encode()


def _feature(held: dict[str, Any]) -> str:
    logs = np.array(held["logs"])  # members × labels × values; R counts the first index fastest
    shape = _vector([logs.shape[1], logs.shape[2], logs.shape[0]])
    fields = {
        "name": _text(held["name"]),
        "expects": _text(held["expects"]),
        "categories": _vector(held["categories"]),
        "sensitivity": repr(held["sensitivity"]),
        "logs": f"array({_vector(logs.transpose(0, 2, 1).ravel().tolist())}, {shape})",
    }
    if "cuts" in held:
        fields |= {"cuts": _vector(held["cuts"]), "decimal": _text(held["decimal"])}
        fields |= {key: repr(held[key]) for key in ("least", "most") if held[key] is not None}
    return "list(" + ", ".join(f"{key} = {text}" for key, text in fields.items()) + ")"


def _vector(items: Sequence[Any]) -> str:
    if not items:
        return "numeric(0)"
    return f"c({', '.join(_text(each) if isinstance(each, str) else repr(each) for each in items)})"


def _text(text: str) -> str:
    """Return a text as R writes it; what is not plain is written by its number."""
    return f'"{"".join(map(_letter, text))}"'


def _letter(letter: str) -> str:
    if letter in ('"', "\\"):
        return f"\\{letter}"
    return letter if " " <= letter <= "~" else f"\\U{ord(letter):08x}"


R = ModelFormat(
    "r", "R, two functions without packages", "text/x-r-source", r, "R", of_formula=True
)
