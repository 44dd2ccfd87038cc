"""What a program of another language needs of a model: its formula as plain data."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable
from importlib.resources import files
from typing import Any

from budgeted.learners.formula import formula_of, reading_of
from budgeted.learners.model import Model


def source(name: str) -> str:
    """Return a file that stands beside this one, in `sources`."""
    return (files(__package__) / "sources" / name).read_text(encoding="utf-8")


def plain(model: Model, format: str) -> dict[str, Any]:
    """Return the formula of a model, as JSON can hold it.

    Examples
    --------
    >>> from budgeted import Feature, Problem
    >>> from budgeted.learners import NaiveBayes
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.7, 0.3), 10)
    >>> held = plain(Model.of(NaiveBayes().fit(problem, [])), "JavaScript")
    >>> held["labels"], held["weights"], list(held["features"][0])
    (['well', 'ill'], [1.0], ['name', 'categories', 'expects', 'sensitivity', 'logs'])
    """
    formula = formula_of(model, format)
    return {
        "labels": list(formula.labels),
        "prior": list(formula.prior),
        "weights": formula.weights.tolist(),
        "correlations": {way: list(pairs) for way, pairs in formula.correlations.items()},
        "features": [
            {**reading, "sensitivity": float(size), "logs": logs.tolist()}
            for reading, size, logs in zip(
                reading_of(formula.features, format),
                formula.sensitivities,
                formula.logs,
                strict=True,
            )
        ],
    }


def lines_of(model: dict[str, Any]) -> str:
    r"""Return plain data as JSON, a line for each feature; it can stand within a page.

    >>> print(lines_of({"labels": ["</b>"], "features": [{"name": "a"}, {"name": "b"}]}))
    {"labels":["\u003c/b>"],
    "features":[
    {"name":"a"},
    {"name":"b"}]}
    """
    features = ",\n".join(_text(each) for each in model["features"])
    rest = _text({key: value for key, value in model.items() if key != "features"})
    return f'{rest[:-1]},\n"features":[\n{features}]}}'


def _text(plain: Any) -> str:
    written = json.dumps(plain, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    # A page would end its script there; and older JavaScript takes these two for ends of a line.
    for mark in ("<", "\u2028", "\u2029"):
        written = written.replace(mark, f"\\u{ord(mark):04x}")
    return written


def free_name(name: str, taken: Iterable[str]) -> str:
    """Return a name that is like no other, not even but for capitals; underscores make it so.

    >>> free_name("id", ["fever"]), free_name("id", ["ID", "id_"])
    ('id', 'id__')
    """
    known = {each.casefold() for each in taken}
    while name.casefold() in known:
        name += "_"
    return name


def digest(text: str) -> str:
    """Return how a content security policy names a text that stands in a page.

    >>> digest("")
    'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='
    """
    found = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"sha256-{found}"
