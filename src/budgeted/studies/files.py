"""A study as people write it: a TOML file with what is for sale, and a CSV with the cases."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from budgeted.errors import (
    BudgetedError,
    PriceListError,
    ProblemError,
    StudyFileError,
    TableError,
)
from budgeted.learners import learner_from
from budgeted.listing import shortened
from budgeted.nearest import did_you_mean
from budgeted.policies import policy
from budgeted.problem import Feature, Problem
from budgeted.problem.prices import from_table
from budgeted.simulation.tables import LARGEST_FILE
from budgeted.simulation.tables.contents import by_number_then_text
from budgeted.simulation.tables.csv_file import read_bytes, rows_of
from budgeted.state.cases import RULES
from budgeted.studies.creation import case_mistakes
from budgeted.studies.feature_tables import feature_mistakes, feature_of
from budgeted.value.loss import LOSSES

Cases = tuple[tuple[str, str], ...]
"""Name and label of each case."""

LARGEST_TOML = 10_000_000
_STUDY_KEYS = ("name", "labels", "prior", "budget", "case_rule", "seed", "loss", "learner",
               "prices", "policy", "features")  # fmt: skip
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""A spreadsheet takes a cell that begins with one of these for a formula."""


@dataclass(frozen=True)
class StudyFile:
    """Everything that a study begins with.

    Attributes
    ----------
    name, problem, cases
        What is for sale, and from whom.
    policy, parameters, case_rule, seed, loss, learner
        Who chooses, and how; see `budgeted.studies.study.Study.create`.
    """

    name: str
    problem: Problem
    cases: Cases
    policy: str
    parameters: dict[str, Any]
    case_rule: str | None
    seed: int
    loss: str
    learner: str | dict[str, Any] | None = None


def read_study(
    path: str | PathLike[str],
    cases: str | PathLike[str],
    *,
    id_column: str = "case",
    label_column: str = "label",
    delimiter: str | None = None,
    encoding: str = "utf-8",
) -> StudyFile:
    """Return the study in a TOML file with the cases in a CSV; all mistakes are reported at once.

    Parameters
    ----------
    path, cases
        The two files.
    id_column, label_column
        Which columns of the CSV name the case and its label; others are left alone.
    delimiter, encoding
        What stands between the cells of the CSV, found out from its first line unless given; and
        how its text is written in bytes.
    """
    source = Path(path)
    try:
        content = read_bytes(source, LARGEST_TOML)
    except TableError as error:
        raise StudyFileError(str(source), [str(error)]) from None
    plain = parse_toml(content, str(source))
    header, rows, lines = read_rows(cases, delimiter, encoding)
    listed = _cases_of(header, rows, str(cases), id_column, label_column)
    return study_of(
        {"name": source.stem} | plain,
        listed,
        str(source),
        lambda position: f"{cases}, line {lines[position]}",
    )


def parse_toml(content: bytes, source: str) -> dict[str, Any]:
    """Return what a study file holds; `source` names it in messages."""
    try:
        return tomllib.loads(content.decode().removeprefix("\ufeff"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise StudyFileError(source, [f"is no TOML: {error}"]) from None


def study_of(
    plain: dict[str, Any],
    cases: Cases,
    source: str,
    places: Callable[[int], str] = "cases[{}]".format,
) -> StudyFile:
    """Return the study of a TOML file's content, or an error that lists all its mistakes.

    Parameters
    ----------
    plain
        What the file holds; the same keys may come from a form.
    cases
        Name and label of each case.
    source, places
        What to call it in messages, and what the place of each case.
    """
    mistakes = list(study_mistakes(plain, cases, places))
    if mistakes:
        raise StudyFileError(source, shortened(mistakes))
    chooser = plain.get("policy", {})
    return StudyFile(
        plain["name"],
        _problem(plain, [feature_of(each) for each in plain["features"]], cases),
        cases,
        chooser.get("name", "auto"),
        {key: value for key, value in chooser.items() if key != "name"},
        plain.get("case_rule"),
        plain.get("seed", 0),
        plain.get("loss", "gini"),
        plain.get("learner"),
    )


def read_values(
    path: str | PathLike[str],
    features: Sequence[str],
    *,
    id_column: str = "case",
    delimiter: str | None = None,
    encoding: str = "utf-8",
) -> list[tuple[str, str, str]]:
    """Return case, feature and value of every cell that is filled in, line by line.

    Parameters
    ----------
    path
        A CSV with a column that names the case and one for each of some features.
    features
        Those of the study; a column that is none of them is an error.
    id_column
        Which column names the case.
    delimiter, encoding
        What stands between the cells, found out from the first line unless given; and how the
        text is written in bytes.
    """
    header, rows, _ = read_rows(path, delimiter, encoding)
    absent = [name for name in features if name not in header]
    mistakes = [
        f"column {name!r}: is no feature of the study; {did_you_mean(name, absent)}Rename or "
        f"remove it"
        for name in header
        if name not in features and name != id_column
    ]
    mistakes += repeated(header)
    if id_column not in header:
        mistakes.append(f"there is no column {id_column!r} that names the case")
    if mistakes:
        raise StudyFileError(str(path), mistakes)
    at = header.index(id_column)
    return [
        (row[at], name, cell)
        for row in rows
        for name, cell in zip(header, row, strict=True)
        if name != id_column and cell not in ("", "?")
    ]


def read_rows(
    path: str | PathLike[str], delimiter: str | None = None, encoding: str = "utf-8"
) -> tuple[list[str], list[list[str]], list[int]]:
    """Return header, rows and line numbers of a CSV, with blanks and `safe_cell` undone."""
    source = Path(path)
    return parse_rows(read_bytes(source, LARGEST_FILE), source.name, delimiter, encoding)


def parse_rows(
    content: bytes, name: str, delimiter: str | None = None, encoding: str = "utf-8"
) -> tuple[list[str], list[list[str]], list[int]]:
    """Return the same for the bytes of a file; the name is for messages."""
    header, rows, lines = rows_of(content, name, None, delimiter, encoding)
    return [name.strip() for name in header], [list(map(plain_cell, row)) for row in rows], lines


def repeated(header: Sequence[str]) -> list[str]:
    """Return what is wrong with a header that names a column more than once.

    >>> repeated(["case", "age", "age", ""])
    ["the header has 'age' 2 times; give each column its own name"]
    """
    return [
        f"the header has {name!r} {times} times; give each column its own name"
        for name, times in Counter(header).items()
        if times > 1
    ]


def safe_cell(text: str) -> str:
    """Return a cell that no spreadsheet takes for a formula.

    >>> safe_cell("=SUM(A1)"), safe_cell("-1"), safe_cell("well")
    ("'=SUM(A1)", "'-1", 'well')
    """
    return f"'{text}" if text.startswith(_FORMULA) else text


def plain_cell(cell: str) -> str:
    """Return a cell without blanks around it, and with `safe_cell` undone."""
    text = cell.strip()
    return text[1:] if text[:1] == "'" and text[1:].startswith(_FORMULA) else text


def _cases_of(
    header: list[str], rows: list[list[str]], source: str, id_column: str, label_column: str
) -> Cases:
    missing = [f"there is no column {name!r}; its columns are {', '.join(map(repr, header))}"
               for name in (id_column, label_column) if name not in header]  # fmt: skip
    missing += repeated([name for name in header if name in (id_column, label_column)])
    if missing:
        raise StudyFileError(source, missing)
    case, label = header.index(id_column), header.index(label_column)
    return tuple((row[case], row[label]) for row in rows)


def study_mistakes(
    plain: dict[str, Any], cases: Cases, places: Callable[[int], str] = "cases[{}]".format
) -> Iterator[str]:
    """Yield everything that is wrong, with its path: keys first, then what they hold."""
    yield from _key_mistakes(plain, "", _STUDY_KEYS, required=("budget", "features"))
    features = []
    tables = plain.get("features", [])
    if not isinstance(tables, list):
        yield f"features: must be tables, each under [[features]], got {tables!r}"
        tables = []
    for at, table in enumerate(tables):
        found, wrong = feature_mistakes(table, f"features[{at}]")
        yield from wrong
        if found is not None:
            features.append(found)
    stand_in = [] if not tables else [Feature("stand-in", ("a", "b"), 1)]
    try:
        problem = _problem({"budget": 0} | plain, features or stand_in, cases)
        yield from case_mistakes(cases, problem.labels, places)
    except ProblemError as error:
        yield from error.mistakes
    except PriceListError as error:
        yield f"prices: {error}"
    choices = {"case_rule": RULES, "loss": LOSSES}
    for key, known in choices.items():
        if key in plain and plain[key] not in tuple(known):
            yield f"{key}: must be one of {', '.join(known)}, got {plain[key]!r}"
    try:
        learner_from(plain.get("learner", "naive-bayes"))
    except (BudgetedError, TypeError) as error:
        yield f"learner: {error}"
    seed = plain.get("seed", 0)
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        yield f"seed: must be a whole number from 0, got {seed!r}"
    if not isinstance(plain.get("name", "a"), str) or not plain.get("name", "a").strip():
        yield f"name: must be text that is not blank, got {plain['name']!r}"
    yield from _policy_mistakes(plain.get("policy", {}))


def _key_mistakes(
    table: dict[str, Any], where: str, known: Sequence[str], required: Sequence[str]
) -> Iterator[str]:
    for key in table:
        if key not in known:
            hint = did_you_mean(key, known)
            yield f"{where}{key}: there is no such key; {hint}There are {', '.join(known)}"
    yield from (f"{where}{key}: is missing" for key in required if key not in table)


def _policy_mistakes(table: Any) -> Iterator[str]:
    if not isinstance(table, dict) or not isinstance(table.get("name", ""), str):
        yield f"policy: must be a table with a name and parameters, got {table!r}"
        return
    try:
        policy(**({"name": "auto"} | table))
    except (BudgetedError, TypeError) as error:
        yield f"policy: {error}"


def _problem(plain: dict[str, Any], features: Sequence[Feature], cases: Cases) -> Problem:
    """The problem of a study file; labels and prior come from the cases unless given."""
    counts = Counter(label for _, label in cases)
    labels = plain.get("labels", sorted(counts, key=by_number_then_text))
    prior = plain.get("prior")
    if prior is None:
        known = [label for label in labels if counts[label]] if isinstance(labels, list) else []
        total = sum(counts[label] for label in known)
        prior = [counts[label] / total for label in known]
        empty = [label for label in labels if label not in known] if known else []
        if empty:
            listed = ", ".join(map(repr, empty))
            raise ProblemError([f"prior: no case has the label {listed}; give the prior yourself"])
    prices = from_table(plain["prices"]) if "prices" in plain else None
    return Problem(features, labels, prior, plain["budget"], prices)
