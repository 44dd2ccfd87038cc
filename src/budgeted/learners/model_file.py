"""A classifier as a JSON file: a frame that is the same for all, and what its learner wrote.

The frame has the labels, their shares and the features; ``predictor`` belongs to the learner that
is named beside it, which alone can read it. Other programs, in other languages, can use what the
learners of this package write (docs/studies.md).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from budgeted.errors import BudgetedError, LearnerError, ModelError
from budgeted.learners.base import Classifier, Reader
from budgeted.learners.members import check_keys
from budgeted.listing import listed
from budgeted.problem import Feature, Problem
from budgeted.problem.values import kind, parameters_of

FORMAT = "budgeted-model"
VERSION = 1
_KEYS = {
    "format", "version", "about", "labels", "prior", "study_prior", "features", "learner",
    "predictor",
}  # fmt: skip
_FEATURE_KEYS = {"name", "kind", "parameters", "values"}


def write(predictor: Classifier, prior: Sequence[float], about: Mapping[str, Any]) -> str:
    """Return a classifier as JSON, for a population with these shares of the labels."""
    problem = predictor.problem
    plain = {
        "format": FORMAT,
        "version": VERSION,
        "about": dict(about),
        "labels": problem.labels,
        "prior": prior,
        "study_prior": problem.prior,
        "features": [
            {
                "name": each.name,
                "kind": each.kind.name,
                "parameters": parameters_of(each.kind),
                "values": each.values,
            }
            for each in problem.features
        ],
        "learner": predictor.learner,
        "predictor": predictor.to_plain(),
    }
    try:
        return json.dumps(plain, indent=2, allow_nan=False) + "\n"
    except (TypeError, ValueError) as error:
        raise LearnerError(
            f"learner {predictor.learner!r}: to_plain must return what JSON can hold: {error}"
        ) from None


def read(text: str) -> tuple[Classifier, tuple[float, ...], dict[str, Any]]:
    """Return the classifier, the shares of the labels and where it comes from."""
    try:
        plain = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise ModelError(f"this is no JSON: {error}") from None
    if not isinstance(plain, dict) or plain.get("format") != FORMAT:
        raise ModelError(f'this is no model: it has no "format": "{FORMAT}"')
    version = plain.get("version")
    if type(version) is not int or version != VERSION:
        newer = type(version) is int and version > VERSION
        raise ModelError(
            f"this is a model of version {version!r}, and version {VERSION} is known here"
            + (": it was written by a newer version of budgeted, update the package" * newer)
        )
    try:
        return _classifier(plain)
    except (KeyError, TypeError, AttributeError, OverflowError) as error:
        raise ModelError(f"this model makes no sense: {error!r}") from None
    except BudgetedError as error:
        raise ModelError(f"this model makes no sense: {error}") from None


def _classifier(plain: dict[str, Any]) -> tuple[Classifier, tuple[float, ...], dict[str, Any]]:
    check_keys(plain, _KEYS, "the model")
    if not isinstance(plain["about"], dict):
        raise ModelError(f"about: must be an object, got {plain['about']!r}")
    features = [_feature(each) for each in plain["features"]]
    # A problem checks names and shares, and lists all mistakes.
    problem = Problem(features, plain["labels"], plain["study_prior"], 0)
    prior = Problem(features, plain["labels"], plain["prior"], 0).prior
    return _read(plain["learner"], problem, plain["predictor"]), prior, dict(plain["about"])


def _feature(plain: dict[str, Any]) -> Feature:
    check_keys(plain, _FEATURE_KEYS, f"feature {plain.get('name')!r}")
    made = kind(plain["kind"], **plain["parameters"])
    if made.categories != tuple(plain["values"]):
        raise ModelError(
            f"feature {plain['name']!r}: values: must be those of its kind, "
            f"{listed(made.categories)}, got {plain['values']!r}"
        )
    return Feature(plain["name"], made, 1)


def _read(learner: str, problem: Problem, plain: Any) -> Classifier:
    reader = _reader(learner)
    try:
        return reader.read(problem, plain)
    except BudgetedError:
        raise
    except Exception as error:  # of a package that is not this one
        raise ModelError(
            f"its learner {learner!r} cannot read it: {type(error).__name__}: {error}"
        ) from error


def _reader(name: str) -> Reader:
    from budgeted.learners import LEARNERS  # noqa: PLC0415 - those of this package import models

    try:
        found = LEARNERS.find(name)
    except LearnerError as error:
        raise ModelError(
            f"it was made by the learner {name!r}, which alone can read it; install the package "
            f"that has it ({error})"
        ) from None
    if not callable(getattr(found, "read", None)):
        raise ModelError(f"it was made by the learner {name!r}, which has no read(problem, plain)")
    reader: Reader = found  # type: ignore[assignment]  # a class method
    return reader


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no number")
