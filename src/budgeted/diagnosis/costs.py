"""What wrong answers cost: a table of answers and labels, or one amount for all of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from budgeted.diagnosis.experience import Floats
from budgeted.errors import DiagnosisError

WrongCosts = float | int | str | Mapping[str, Mapping[str, Any]] | Sequence[Sequence[Any]] | None
"""One amount for each wrong answer, or a table of answers and labels; None: each counts as one."""


def cost_matrix(labels: Sequence[str], given: WrongCosts) -> Floats:
    """Return what each answer costs if each label is true, answers × labels.

    Parameters
    ----------
    labels
        What is told apart; the answers are the same.
    given
        One amount for every wrong answer; a table by answer and true label; or its rows, one for
        each answer, in the order of the labels. What is left out of the table costs nothing where
        the answer is right, and is a mistake where it is wrong.

    Examples
    --------
    To send somebody home who is ill costs ten times as much as to keep somebody who is well:

    >>> cost_matrix(("well", "ill"), {"well": {"ill": 500}, "ill": {"well": 50}}).tolist()
    [[0.0, 500.0], [50.0, 0.0]]
    >>> cost_matrix(("well", "ill"), [[0, 500], [50, 0]]).tolist()
    [[0.0, 500.0], [50.0, 0.0]]
    >>> cost_matrix(("well", "ill"), {"well": {"ill": -1}, "ill": {"well": 50}})
    Traceback (most recent call last):
    ...
    budgeted.errors.DiagnosisError: wrong answers: 'well' where 'ill' is right: must be an amount \
from 0, got -1
    """
    number = len(labels)
    if isinstance(given, Sequence) and not isinstance(given, str):
        given = _by_names(labels, given)
    if given is None or not isinstance(given, Mapping):
        amount, words = _amount(1 if given is None else given)
        if words:
            raise DiagnosisError(f"wrong answers: {words}")
        if amount == 0:
            raise DiagnosisError(
                "wrong answers: they cost nothing, so that no test could be worth its price"
            )
        return amount * (1 - np.eye(number))
    result, mistakes = np.zeros((number, number)), list(_unknown(labels, given))
    for at, answer in enumerate(labels):
        mistakes += _fill(result[at], labels, answer, given.get(answer, {}))
    if not mistakes:
        mistakes += _rewards(labels, result)
        if not result.any():
            mistakes.append("they cost nothing, so that no test could be worth its price")
    if mistakes:
        raise DiagnosisError([f"wrong answers: {each}" for each in mistakes])
    return result


def _fill(costs: Floats, labels: Sequence[str], answer: str, row: object) -> list[str]:
    """Enter what an answer costs for each true label, and return what is wrong with it."""
    if not isinstance(row, Mapping):
        return [f"{answer!r}: must be a table of labels and amounts, got {row!r}"]
    mistakes = []
    for place, label in enumerate(labels):
        where = f"{answer!r} where {label!r} is right"
        if row.get(label) is None:
            if label != answer:
                mistakes.append(f"{where}: say what that costs")
            continue
        costs[place], words = _amount(row[label])
        if words:
            mistakes.append(f"{where}: {words}")
    return mistakes


def _by_names(
    labels: Sequence[str], rows: Sequence[Sequence[Any]]
) -> Mapping[str, Mapping[str, Any]]:
    """Return a table by names, after a look whether it is as wide and as long as it must be."""
    number = len(labels)
    lengths = [
        len(row) if isinstance(row, Sequence) and not isinstance(row, str) else None for row in rows
    ]
    if lengths != [number] * number:
        raise DiagnosisError(
            f"wrong answers: must be {number} rows of {number} amounts, a row for each answer and "
            f"a column for each label ({', '.join(map(repr, labels))}); got {rows!r}"
        )
    return {
        answer: dict(zip(labels, row, strict=True))
        for answer, row in zip(labels, rows, strict=True)
    }


def _unknown(labels: Sequence[str], given: Mapping[str, Any]) -> list[str]:
    said = [*given, *(label for row in given.values() if isinstance(row, Mapping) for label in row)]
    strange = [each for each in dict.fromkeys(said) if each not in labels]
    return [
        f"there is no label {each!r}; there are {', '.join(map(repr, labels))}" for each in strange
    ]


def _rewards(labels: Sequence[str], costs: Floats) -> list[str]:
    """Return where a wrong answer would be cheaper than the right one."""
    right = np.diag(costs)
    return [
        f"{labels[answer]!r} where {labels[label]!r} is right costs {costs[answer, label]:g}, less "
        f"than the right answer ({right[label]:g}); that would reward errors"
        for answer, label in zip(*np.nonzero(costs < right[None, :]), strict=True)
    ]


def _amount(given: object) -> tuple[float, str]:
    """Return an amount, and what is wrong with it."""
    try:
        found = float(given)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return 0.0, f"must be an amount, got {given!r}"
    if isinstance(given, bool) or not math.isfinite(found) or found < 0:
        return 0.0, f"must be an amount from 0, got {given!r}"
    return found, ""
