"""Predictions for the rows of a file, and what of the file the model could not use.

A misspelt column is the worst that can happen here: the model does without it, and its predictions
look like any others. So nothing is left out in silence. Columns that are no feature of the model
and cells that are no value are named, with what was probably meant; they are an error where the
predictions would suffer, and a note otherwise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from budgeted.errors import ModelError, ObservationError, StudyFileError
from budgeted.hints import Hint
from budgeted.learners.model import Model, is_unknown
from budgeted.listing import did_you_mean, listed, nearest, shortened
from budgeted.problem import Feature

PASSED = ("case", "label")
"""Columns that files usually have besides the features."""


class Predictions(NamedTuple):
    """The rows of a file with their predictions."""

    header: list[str]
    rows: list[list[str]]
    notes: list[str]  # what of the file was not used, and which features it lacks, for people


class Fit(NamedTuple):
    """How the columns of a file fit a model."""

    used: list[tuple[int, Feature]]  # position and feature of the columns that the model knows
    missing: list[str]  # features that the file does not have
    unknown: list[str]  # columns that are no feature, and that nobody said to pass on


def predict_rows(
    model: Model,
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    lines: Sequence[int],
    *,
    strict: bool | None = None,
    passed: Collection[str] = PASSED,
    source: str = "the file",
    force: bool = False,
) -> Predictions:
    """Return the rows of a CSV with predictions.

    >>> from budgeted import Feature, Problem, Purchase
    >>> from budgeted.learners import NaiveBayes
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.7, 0.3), 10)
    >>> model = Model.of(NaiveBayes().fit(problem, [Purchase(0, 1, 1, cost=1)]))
    >>> done = predict_rows(model, ["id", "fever"], [["a", "yes"], ["b", ""]], [2, 3])
    >>> done.rows[0]
    ['a', 'yes', 'well', '0.636364', '0.363636']
    >>> done.notes
    ["column 'id' is no feature of the model; it is passed on and not used"]
    >>> predict_rows(model, ["id", "Fever"], [["a", "yes"]], [2])
    Traceback (most recent call last):
    ...
    budgeted.errors.StudyFileError: the file:
      column 'id' is no feature of the model
      column 'Fever' is no feature of the model; did you mean 'fever'?
      the features of the model are 'fever'
      the file lacks 'fever'
    """
    fit = fit_of(model, header, passed)
    mistakes = list(_header_mistakes(model, header))
    if (fit.unknown and (strict or (strict is None and fit.missing))) or not fit.used:
        mistakes += _column_mistakes(model, fit)
    if mistakes:
        raise StudyFileError(source, shortened(mistakes))
    doubtful = list(_doubtful(model, fit.used, rows, lines, force))
    if doubtful and strict is not False:
        wrong = shortened([each.words for each in doubtful])
        cut = len(wrong) - 1 if len(wrong) < len(doubtful) else len(wrong)
        raise StudyFileError(source, wrong, [each.hint for each in doubtful[:cut]])
    cases = [{each.name: row[at] for at, each in fit.used
              if not doubtful or _is_value(model, each, row[at], force)}
             for row in rows]  # fmt: skip
    extended = []
    for row, chances in zip(rows, model.predict_many(cases, force), strict=True):
        best = max(model.labels, key=lambda label: chances[label])
        extended.append([*row, best, *(f"{chances[label]:.6f}" for label in model.labels)])
    counted = Counter(each.column for each in doubtful)
    notes = [*_notes(fit, header, passed), *(
        f"column {name!r}: {number} cells that are no value of it were taken for unknown"
        for name, number in counted.items()
    )]  # fmt: skip
    if force:
        notes += _insisted(fit.used, rows)
    if not rows:
        notes.append("there are no rows below the header")
    return Predictions([*header, *_added(model)], extended, notes)


def fit_of(model: Model, header: Sequence[str], passed: Collection[str] = PASSED) -> Fit:
    """Return how the columns of a file fit a model."""
    features = {each.name: each for each in model.features}
    return Fit(
        [(at, features[name]) for at, name in enumerate(header) if name in features],
        [name for name in features if name not in header],
        [name for name in header if name not in features and name not in passed],
    )


def _added(model: Model) -> list[str]:
    return ["predicted", *(f"P({label})" for label in model.labels)]


def _header_mistakes(model: Model, header: Sequence[str]) -> Iterator[str]:
    for name, times in Counter(header).items():
        if times > 1:
            yield f"{_column(name)} stands in the header {times} times; give each its own name"
    for name in _added(model):
        if name in header:
            yield f"column {name!r} would stand there twice; rename it: predictions go there"


def _column_mistakes(model: Model, fit: Fit) -> Iterator[str]:
    names = [each.name for each in model.features]
    for name in fit.unknown:
        close = did_you_mean(name, fit.missing or names).rstrip()
        yield f"{_column(name)} is no feature of the model" + (f"; {close}" if close else "")
    if not fit.used and not fit.unknown:
        yield "no column is a feature of the model"
    yield f"the features of the model are {listed(names)}"
    if fit.missing:
        yield f"the file lacks {listed(fit.missing)}"


class _Doubtful(NamedTuple):
    """A cell that cannot be used: its column, why not, and what to do about it."""

    column: str
    words: str
    hint: Hint | None


def _doubtful(
    model: Model,
    used: Sequence[tuple[int, Feature]],
    rows: Sequence[Sequence[str]],
    lines: Sequence[int],
    force: bool,
) -> Iterator[_Doubtful]:
    """Yield each cell that is no value of its feature."""
    for row, line in zip(rows, lines, strict=True):
        for at, each in used:
            if not is_unknown(row[at]):
                try:
                    model.value(each, row[at], force)
                except ModelError as error:
                    yield _Doubtful(each.name, f"line {line}: {error}", error.hint)


def _is_value(model: Model, feature: Feature, cell: str, force: bool) -> bool:
    try:
        if not is_unknown(cell):
            model.value(feature, cell, force)
    except ModelError:
        return False
    return True


def _insisted(used: Sequence[tuple[int, Feature]], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield how many cells of each column are outside the range of their feature."""
    for at, each in used:
        cells = [row[at] for row in rows if not is_unknown(row[at])]
        number = sum(bool(each.doubt(cell)) for cell in cells if _reads(each, cell))
        if number:
            yield f"column {each.name!r}: {number} cells outside its range were taken"


def _reads(feature: Feature, cell: str) -> bool:
    try:
        feature.read(cell, force=True)
    except ObservationError:
        return False
    return True


def _notes(fit: Fit, header: Sequence[str], passed: Collection[str]) -> Iterator[str]:
    used = [each.name for _, each in fit.used]
    for name in header:
        if name in fit.unknown:
            meant = nearest(name, fit.missing) if fit.missing else None
            close = "" if meant is None else f" (is it {meant!r}?)"
            yield (
                f"{_column(name)} is no feature of the model{close}; it is passed on and not used"
            )
        elif name in passed and name == "label" and name not in used:
            yield "column 'label' is passed on and not used: labels are predicted, not compared"
    for name in fit.missing:
        yield f"feature {name!r} of the model is in no column; it counts as unknown in every row"


def _column(name: str) -> str:
    return f"column {name!r}" if name else "a column without a name"
