"""A study as people write it: a TOML file with what is for sale, and a CSV with the cases."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from budgeted.errors import (
    BudgetedError,
    PriceListError,
    ProblemError,
    StopRuleError,
    StudyFileError,
    TableError,
)
from budgeted.learners import learner_from
from budgeted.listing import shortened
from budgeted.policies import policy, unfit
from budgeted.problem import Feature, Problem
from budgeted.problem.numbers import MARKS
from budgeted.problem.prices import from_table
from budgeted.simulation.tables.contents import by_number_then_text
from budgeted.simulation.tables.csv_file import read_bytes
from budgeted.state.cases import RULES
from budgeted.studies.case_lists import (
    CaseList,
    Cases,
    Columns,
    case_list,
    feature_names,
    known_mistakes,
)
from budgeted.studies.creation import case_mistakes
from budgeted.studies.csv_rows import read_rows
from budgeted.studies.feature_tables import feature_mistakes, feature_of, with_decimal
from budgeted.studies.naming import there_are
from budgeted.studies.proposed_cuts import with_own_cuts
from budgeted.studies.stop_rules import StopRules
from budgeted.studies.stop_rules import from_table as stop_rules_from
from budgeted.value.loss import LOSSES

LARGEST_TOML = 10_000_000
_STUDY_KEYS = ("name", "labels", "prior", "budget", "case_rule", "seed", "loss", "learner",
               "prices", "policy", "features", "decimal", "plan", "stop")  # fmt: skip
# What stands under [plan] is for `budgeted plan`, and no part of the study.


@dataclass(frozen=True)
class StudyFile:
    """Everything that a study begins with."""

    name: str
    problem: Problem
    cases: Cases
    policy: str
    parameters: dict[str, Any]
    case_rule: str | None
    seed: int
    loss: str
    learner: str | dict[str, Any] | None = None
    known: tuple[tuple[str, str, str], ...] = ()
    groups: Mapping[str, str] = field(default_factory=dict)
    stop: Mapping[str, Any] = field(default_factory=dict)


def read_study(
    path: str | PathLike[str],
    cases: str | PathLike[str],
    *,
    id_column: str = "case",
    label_column: str = "label",
    group_column: str = "group",
    delimiter: str | None = None,
    encoding: str = "utf-8",
) -> StudyFile:
    """Return the study in a TOML file with the cases in a CSV; an error lists all mistakes."""
    source = Path(path)
    try:
        content = read_bytes(source, LARGEST_TOML)
    except TableError as error:
        raise StudyFileError(str(source), [str(error)]) from None
    plain = parse_toml(content, str(source))
    header, rows, lines = read_rows(cases, delimiter, encoding)
    columns = Columns(id_column, label_column, group_column)
    listed = case_list(header, rows, str(cases), feature_names(plain), columns)
    plain, wrong = with_own_cuts(plain, listed)
    return study_of(
        {"name": source.stem} | plain,
        listed,
        str(source),
        lambda position: f"{cases}, line {lines[position]}",
        wrong,
    )


def parse_toml(content: bytes, source: str) -> dict[str, Any]:
    """Return what a study file holds; `source` names it in messages."""
    try:
        return tomllib.loads(content.decode().removeprefix("\ufeff"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise StudyFileError(source, [f"is no TOML: {error}"]) from None


def study_of(
    plain: dict[str, Any],
    listed: CaseList,
    source: str,
    places: Callable[[int], str] = "cases[{}]".format,
    wrong: Sequence[str] = (),
) -> StudyFile:
    """Return the study of a TOML file's content, or an error that lists all its mistakes."""
    cases = listed.cases
    mistakes = [*wrong, *study_mistakes(plain, listed, places)]
    if mistakes:
        raise StudyFileError(source, shortened(mistakes))
    chooser = plain.get("policy", {})
    return StudyFile(
        plain["name"],
        _problem(plain, list(map(feature_of, _tables(plain))), cases),
        cases,
        chooser.get("name", "auto"),
        {key: value for key, value in chooser.items() if key != "name"},
        plain.get("case_rule"),
        plain.get("seed", 0),
        plain.get("loss", "gini"),
        plain.get("learner"),
        listed.values,
        listed.groups,
        plain.get("stop", {}),
    )


def study_mistakes(
    plain: dict[str, Any], listed: CaseList, places: Callable[[int], str] = "cases[{}]".format
) -> Iterator[str]:
    """Yield everything that is wrong, with its path: keys first, then what they hold."""
    yield from _key_mistakes(plain, "", _STUDY_KEYS, required=("budget", "features"))
    features, right = [], []
    tables = plain.get("features", [])
    if not isinstance(tables, list):
        yield f"features: must be tables, each under [[features]], got {tables!r}"
        tables = []
    if plain.get("decimal", "point") not in tuple(MARKS):
        yield f"decimal: must be one of {', '.join(MARKS)}, got {plain['decimal']!r}"
    for at, table in enumerate(_tables({**plain, "features": tables})):
        found, wrong = feature_mistakes(table, f"features[{at}]")
        yield from wrong
        if found is not None:
            features.append(found)
        if found is not None and not wrong:
            right.append(found)
    stand_in = [] if not tables else [Feature("stand-in", ("a", "b"), 1)]
    sound = len(features) == len(tables)  # else prices may be about one that is not known
    wrong = list(_price_mistakes(plain, features if sound else (), _labels(plain, listed.cases)))
    yield from wrong
    unfit = set() if sound and not wrong else {"prices"}
    told = {key: value for key, value in plain.items() if key not in unfit}
    stop, wrong_rules = _stop_rules(plain)
    yield from wrong_rules
    misfits: list[str] = []
    try:
        problem = _problem({"budget": 0} | told, features or stand_in, listed.cases)
        misfits = [*stop.unfit(problem), *_misfits(plain.get("policy", {}), problem)]
        yield from case_mistakes(listed.cases, problem.labels, places)
    except ProblemError as error:
        yield from error.mistakes
    yield from misfits
    yield from known_mistakes(listed.known, right, places)
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


def _tables(plain: dict[str, Any]) -> list[Any]:
    """The tables of the features, with what the study says of all of them."""
    decimal = plain.get("decimal")
    usable = decimal if decimal in tuple(MARKS) else None
    return [with_decimal(table, usable) for table in plain["features"]]


def _key_mistakes(
    table: dict[str, Any], where: str, known: Sequence[str], required: Sequence[str]
) -> Iterator[str]:
    for key in table:
        if key not in known:
            yield f"{where}{key}: there is no such key; {there_are(key, known)}"
    yield from (f"{where}{key}: is missing" for key in required if key not in table)


def _price_mistakes(
    plain: dict[str, Any], features: Sequence[Feature], labels: Any
) -> Iterator[str]:
    named = isinstance(labels, list) and all(isinstance(each, str) for each in labels)
    try:
        if "prices" in plain:
            from_table(plain["prices"], features, labels if named else ())
    except PriceListError as error:
        yield from (f"prices: {each}" for each in error.mistakes)


def _stop_rules(plain: dict[str, Any]) -> tuple[StopRules, Sequence[str]]:
    """The rules for stopping, and what is wrong with them."""
    try:
        return stop_rules_from(plain.get("stop", {})), ()
    except StopRuleError as error:
        return StopRules(), error.mistakes


def _policy_mistakes(table: Any) -> Iterator[str]:
    if not isinstance(table, dict) or not isinstance(table.get("name", ""), str):
        yield f"policy: must be a table with a name and parameters, got {table!r}"
        return
    try:
        policy(**({"name": "auto"} | table))
    except (BudgetedError, TypeError) as error:
        yield f"policy: {error}"


def _misfits(table: Any, problem: Problem) -> list[str]:
    """Return what is wrong with a policy, which is one, for the problem."""
    if any(_policy_mistakes(table)):
        return []
    made = policy(**({"name": "auto"} | table))
    return [f"policy: {each}" for each in unfit(made, problem)]


def _problem(plain: dict[str, Any], features: Sequence[Feature], cases: Cases) -> Problem:
    """The problem of a study file; labels and prior come from the cases unless given."""
    counts = Counter(label for _, label in cases)
    labels = _labels(plain, cases)
    prior = plain.get("prior")
    if prior is None:
        told = labels if isinstance(labels, list) else []
        known = [label for label in told if isinstance(label, str) and counts[label]]
        total = sum(counts[label] for label in known)
        prior = [counts[label] / total for label in known]
        empty = [label for label in labels if label not in known] if known else []
        if empty:
            listed = ", ".join(map(repr, empty))
            raise ProblemError([f"prior: no case has the label {listed}; give the prior yourself"])
    prices = from_table(plain["prices"]) if "prices" in plain else None
    return Problem(features, labels, prior, plain["budget"], prices)


def _labels(plain: dict[str, Any], cases: Cases) -> Any:
    return plain.get("labels", sorted({label for _, label in cases}, key=by_number_then_text))
