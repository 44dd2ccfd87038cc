"""Naive Bayes models with weights from a model file, after a look whether they make sense."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from budgeted.errors import ModelError
from budgeted.learners.dependence import CORRELATIONS, WAYS
from budgeted.learners.layout import Floats, layout_of
from budgeted.learners.members import Members
from budgeted.problem import Problem

_ROUNDING = 1e-6
_KEYS = {"formula", "weights", "correlations", "features"}
_FEATURE_KEYS = {"probabilities", "bought", "sensitivity"}


def read_members(problem: Problem, plain: Mapping[str, Any], learner: str) -> Members:
    """Return the classifier that `budgeted.learners.members_file.plain` wrote down."""
    check_keys(plain, _KEYS, "predictor")
    _check_shares(plain["weights"], "weights")
    check_each(problem, plain["features"])
    for feature, each in zip(problem.features, plain["features"], strict=True):
        what = f"feature {feature.name!r}"
        check_keys(each, _FEATURE_KEYS, what)
        shape = len(problem.labels), len(feature.values)
        _check_tables(each["probabilities"], len(plain["weights"]), shape, what)
        _check_bought(each["bought"], shape, what)
        if not (is_number(each["sensitivity"]) and 0 <= each["sensitivity"] < math.inf):
            raise ModelError(
                f"{what}: sensitivity: must be a number from 0, got {each['sensitivity']!r}"
            )
    tables = [np.array(each["probabilities"], dtype=float) for each in plain["features"]]
    bought = [np.array(each["bought"], dtype=np.int64) for each in plain["features"]]
    made = Members(
        problem,
        np.array(plain["weights"], dtype=float),
        np.concatenate(tables, axis=2),
        _correlations(plain["correlations"]),
        np.concatenate(bought, axis=1),
        learner,
    )
    for feature, each, follows in zip(
        problem.features, plain["features"], made.sensitivities.tolist(), strict=True
    ):
        if not math.isclose(each["sensitivity"], follows, rel_tol=_ROUNDING, abs_tol=_ROUNDING):
            raise ModelError(
                f"feature {feature.name!r}: sensitivity: {each['sensitivity']:g} does not follow "
                f"from its probabilities, which give {follows:g}"
            )
    assert made.members.shape[1:] == layout_of(problem).shape
    return made


def check_keys(plain: Any, wanted: set[str], what: str) -> None:
    """Raise an error unless an object of a file has these keys and no others."""
    if not isinstance(plain, Mapping) or set(plain) != wanted:
        got = ", ".join(sorted(plain)) if isinstance(plain, Mapping) else repr(plain)
        raise ModelError(f"{what} must have the keys {', '.join(sorted(wanted))}, got {got}")


def _check_shares(row: Any, what: str) -> None:
    """Raise an error unless these are numbers above 0 that sum to 1."""
    fits = len(row) > 0 and all(is_number(share) and 0 < share <= 1 for share in row)
    if not fits or not math.isclose(math.fsum(row), 1, abs_tol=_ROUNDING):
        raise ModelError(f"{what}: must be numbers above 0 that sum to 1, got {row}")


def check_each(problem: Problem, features: Any) -> None:
    """Raise an error unless there is something for each feature of a problem."""
    if len(features) != len(problem.features):
        raise ModelError(
            f"predictor: features: must be one for each of {len(problem.features)} features, got "
            f"{len(features)}"
        )


def check_table(table: Any, shape: tuple[int, int], what: str) -> None:
    """Raise an error unless this is P(value | label), a row per label and a column per value."""
    for row in table:
        _check_shares(row, f"{what}: probabilities: each row")
    if [len(row) for row in table] != [shape[1]] * shape[0]:
        raise ModelError(
            f"{what}: probabilities: must be {shape[0]} rows (labels) of {shape[1]} (values)"
        )


def _check_tables(tables: Any, members: int, shape: tuple[int, int], what: str) -> None:
    if len(tables) != members:
        raise ModelError(
            f"{what}: probabilities: must be one table for each of {members} weights, got "
            f"{len(tables)}"
        )
    for table in tables:
        check_table(table, shape, what)


def _check_bought(rows: Any, shape: tuple[int, int], what: str) -> None:
    """Raise an error unless these are whole numbers, a row per label and one per value."""
    whole = all(type(number) is int and number >= 0 for row in rows for number in row)
    if not whole or [len(row) for row in rows] != [shape[1]] * shape[0]:
        raise ModelError(
            f"{what}: bought: must be whole numbers from 0, a row per label and one per value"
        )


def _correlations(ways: Any) -> Floats:
    """Probability of each way and correlation, after a look whether these are pairs of them."""
    check_keys(ways, set(WAYS), "correlations")
    if not all(isinstance(ways[way], list) for way in WAYS):
        raise ModelError("correlations: must have a list for each of " + " and ".join(WAYS))
    rows = [row for way in WAYS for row in ways[way]]
    for row in rows:
        if len(row) != 2 or not (is_number(row[0]) and row[0] in CORRELATIONS):
            known = ", ".join(f"{rho:g}" for rho in CORRELATIONS)
            raise ModelError(
                f"correlations: must be pairs of a correlation, one of {known}, and how probable "
                f"it is, got {row}"
            )
    _check_shares([chance for _, chance in rows], "correlations: the probabilities")
    result = np.zeros((len(WAYS), len(CORRELATIONS)))
    for at, way in enumerate(WAYS):
        for rho, chance in ways[way]:
            result[at, CORRELATIONS.tolist().index(float(rho))] += chance
    return result


def is_number(number: object) -> bool:
    """Whether something from a file is a number."""
    return isinstance(number, int | float) and not isinstance(number, bool)
