"""Where a plan takes its models from: a pilot table, assumptions, or both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from budgeted.errors import ObservationError, PlanError
from budgeted.learners import Learner, fitted
from budgeted.learners.imagined import ImaginedModel
from budgeted.listing import did_you_mean, listed, nearest, shortened
from budgeted.problem import Feature, Problem
from budgeted.problem.names import spelled
from budgeted.problem.orders import Purchase
from budgeted.seeds import PLAN, stream
from budgeted.studies.csv_rows import UNKNOWN, repeated, table_rows
from budgeted.studies.forecast.runs import possible_model
from budgeted.studies.planning.assumptions import Assumptions, drawn_again

DRAWN = 20
"""For each model of a plan so many are drawn, of which those are taken that fit what is assumed."""
_FEWEST = 5.0
"""Models that the weights must be worth; with fewer, pilot and assumptions contradict."""
_UNSEEN = 2_000
"""Models that tell what the learner expects before any data."""


_ALIKE = 0.85
"""How much like the name of a test that is missing a column must be to be a slip."""


@dataclass(frozen=True)
class Models:
    """Models that a plan is played in."""

    models: tuple[ImaginedModel, ...]  # as many as there are runs
    worth: float  # how many independent ones they are worth, where assumptions weigh them


def possible_models(
    problem: Problem,
    learner: Learner,
    number: int,
    *,
    pilot: Sequence[Purchase] = (),
    assumptions: Assumptions | None = None,
    seed: int = 0,
) -> Models:
    """Draw models of a study that is to come."""
    said = Assumptions() if assumptions is None else assumptions
    said.check(problem)
    predictor = fitted(learner, problem, pilot)
    if not said.any:
        drawn = [possible_model(predictor, stream(seed, PLAN, at)) for at in range(number)]
        return Models(tuple(drawn), float(number))
    many = max(number * DRAWN, _UNSEEN)
    drawn = [possible_model(predictor, stream(seed, PLAN, at)) for at in range(many)]
    nothing = fitted(learner, problem, ()) if pilot else predictor
    unseen = [possible_model(nothing, stream(seed, PLAN, many + at)) for at in range(_UNSEEN)]
    weights = said.log_weights(drawn, unseen)
    chosen, worth = drawn_again(weights, number, stream(seed, PLAN, many + _UNSEEN))
    if worth < _FEWEST or not said.fits(drawn):
        raise PlanError(
            f"the pilot table and what is assumed contradict each other ({said.words()}): next to "
            f"no model fits both; leave one of them out, or assume something else"
            if pilot
            else f"next to no model is as assumed ({said.words()}); assume less"
        )
    return Models(tuple(drawn[at] for at in chosen), worth)


def pilot_values(
    table: str | PathLike[str] | bytes,
    problem: Problem,
    *,
    label_column: str = "label",
    delimiter: str | None = None,
    encoding: str = "utf-8",
) -> tuple[Purchase, ...]:
    """Return the values in a table of old cases; an error lists all that is wrong with it.

    Columns that are called like tests of the study hold their values, read as the study reads them
    (numbers fall between its cuts); cells that are empty or hold a question mark are not known, and
    other columns are left alone.

    Parameters
    ----------
    table, problem
        The CSV, as a file or as its content in bytes; and the tests of the study that is planned.
    label_column, delimiter, encoding
        Of the file; see `budgeted.studies.files.read_study`.
    """
    name = "table" if isinstance(table, bytes) else Path(table).name
    header, rows, lines = table_rows(table, name, delimiter, encoding)
    columns = {each: at for at, each in enumerate(header)}
    tests = [(at, each) for at, each in enumerate(problem.features) if each.name in columns]
    mistakes = repeated(
        [each for each in header if each == label_column or each in problem.by_name]
    )
    if label_column not in columns:
        mistakes.append(
            f"there is no column {label_column!r}; say which one holds the labels; "
            f"the columns are {listed(header)}"
        )
    if not tests:
        tests_of_study = listed([each.name for each in problem.features])
        mistakes.append(
            f"no column is called like a test of the study, which are {tests_of_study}; "
            f"the columns are {listed(header)}"
        )
    if not rows:
        mistakes.append("there are no rows")
    missing = [each.name for each in problem.features if each.name not in columns]
    for each in header:
        known = each in problem.by_name or each == label_column
        if not known and (meant := nearest(each, missing, _ALIKE)) is not None:
            mistakes.append(
                f"the column {each!r} is no test of the study; rename it to {meant!r}, or remove it"
            )
    if mistakes:
        raise PlanError(f"{name}: {each}" for each in mistakes)
    found: list[Purchase] = []
    for row, line in zip(rows, lines, strict=True):
        written = row[columns[label_column]]
        told = spelled(written, problem.labels)
        if told is None:
            meant = did_you_mean(written, problem.labels)
            there_are = listed(problem.labels)
            mistakes.append(
                f"{name}, line {line}: there is no label {written!r}; {meant}there are {there_are}"
            )
            continue
        label = problem.labels.index(told)
        for at, feature in tests:
            text = row[columns[feature.name]]
            value = None if text in UNKNOWN else _position(feature, text)
            if isinstance(value, str):
                mistakes.append(f"{name}, line {line}: {value}")
            elif value is not None:
                found.append(Purchase(at, label, value, 0, line))
    if mistakes:
        raise PlanError(shortened(mistakes))
    return tuple(found)


def _position(feature: Feature, text: str) -> int | str:
    """Return the category of a cell, or what is wrong with it."""
    try:
        return feature.category(feature.read(text))
    except ObservationError as error:
        return str(error)
