"""Validation files: cases known in full, to measure the error of a study's classifier on.

They are never in the journal, and no policy ever sees them; the server keeps them beside the
database.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from budgeted.errors import BudgetedError, ObservationError, StudyFileError
from budgeted.listing import shortened
from budgeted.problem import Feature, Problem
from budgeted.simulation.judge import Validation
from budgeted.studies.csv_rows import UNKNOWN, parse_rows, repeated
from budgeted.studies.log import as_csv

_FILE = "validation file"


def read_validation(
    content: bytes,
    problem: Problem,
    label_column: str = "label",
    delimiter: str | None = None,
    encoding: str = "utf-8",
    later: Collection[str] = (),
) -> Validation:
    r"""Return the judge in a CSV; an error lists what is wrong, with lines.

    >>> from budgeted import Feature, Problem
    >>> from budgeted.learners import NaiveBayes
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.6, 0.4), 10)
    >>> judge = read_validation(b"fever,label\nno,well\nyes,ill\n,ill\n", problem)
    >>> round(judge.error(NaiveBayes().fit(problem, [])), 3)
    0.667
    """
    rows, lines = _rows(content, problem, label_column, delimiter, encoding, later)
    values = np.full((len(rows), len(problem.features)), -1, dtype=np.int64)
    labels = np.zeros(len(rows), dtype=np.int64)
    mistakes = []
    for at, (row, line) in enumerate(zip(rows, lines, strict=True)):
        if row[0] in problem.labels:
            labels[at] = problem.labels.index(row[0])
        else:
            mistakes.append(f"line {line}, {label_column!r}: there is no label {row[0]!r}")
        for position, (feature, cell) in enumerate(zip(problem.features, row[1:], strict=True)):
            if cell in UNKNOWN:
                continue
            try:
                # It only measures, so what is outside a range counts where it belongs.
                values[at, position] = feature.category(feature.read(cell, force=True))
            except ObservationError as error:
                mistakes.append(f"line {line}: {error}")
    if not rows:
        mistakes.append("there are no rows below the header")
    if mistakes:
        raise StudyFileError(_FILE, shortened(mistakes))
    return Validation.of_table(problem, values, labels)


class ValidationFile:
    """A validation file that is kept: its cases are coded for the features of the moment.

    The file has values as people wrote them. Where the cuts of a feature change, they belong to
    other categories from then on.
    """

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._known: tuple[tuple[Feature, ...], Validation | None] = ((), None)

    def judge(self, problem: Problem) -> Validation | None:
        """Return the judge for a problem; None if the file does not fit it (any more)."""
        features, found = self._known
        if features != problem.features:
            names = [each.name for each in problem.features]
            try:
                # Features may have been added to the study since.
                found = read_validation(self._content, problem, later=names)
            except BudgetedError:  # it only measures
                found = None
            if found is not None and (found.values < 0).all():
                found = None
            self._known = (problem.features, found)
        return found


def learned_from(
    content: bytes,
    bought: Collection[str],
    delimiter: str | None = None,
    encoding: str = "utf-8",
    case_column: str = "case",
) -> int:
    r"""Return of how many cases in a CSV values were bought; 0 if it has no column of their names.

    A classifier is wrong less often on cases that it learned from.

    >>> learned_from(b"case,fever,label\nP1,no,well\nP2,yes,ill\n", {"P2", "P7"})
    1
    """
    header, rows, _ = parse_rows(content, _FILE, delimiter, encoding)
    if case_column not in header:
        return 0
    at = header.index(case_column)
    return len({row[at] for row in rows} & set(bought))


def tidy_validation(content: bytes, problem: Problem, label_column: str = "label") -> bytes:
    """Return the file with just the label and the features, after checking it."""
    read_validation(content, problem, label_column)
    rows, _ = _rows(content, problem, label_column)
    header = ("label", *(feature.name for feature in problem.features))
    return as_csv(header, rows).encode()


def _rows(
    content: bytes,
    problem: Problem,
    label_column: str,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    later: Collection[str] = (),
) -> tuple[list[list[str]], list[int]]:
    """The label and the value of each feature, row by row; and the lines of the rows."""
    header, rows, lines = parse_rows(content, _FILE, delimiter, encoding)
    # A feature may be called "label": the kept file has the label first.
    names = [feature.name for feature in problem.features]
    missing = [f"there is no column {name!r}; its columns are {', '.join(map(repr, header))}"
               for name in (label_column, *names)
               if name not in header and name not in later]  # fmt: skip
    # The kept file of a study with a feature of the label's name has that name twice.
    twice = label_column in names
    missing += repeated([each for each in header if each in names and each != label_column])
    missing += repeated([each for each in header if each == label_column][int(twice) :])
    if missing:
        raise StudyFileError(_FILE, shortened(missing))
    last = {name: at for at, name in enumerate(header)}
    places = [header.index(label_column), *(last.get(name) for name in names)]
    return [["" if at is None else row[at] for at in places] for row in rows], lines
