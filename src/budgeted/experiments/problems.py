"""The problem of an experiment: what its file says, what is wrong with that, and its worlds."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from budgeted.errors import BudgetedError, ExperimentError
from budgeted.experiments.sources import Source
from budgeted.listing import did_you_mean
from budgeted.problem.budgets import Terms
from budgeted.problem.budgets import from_table as from_budget_table
from budgeted.problem.prices import from_table
from budgeted.problem.values import from_table as from_kind_table
from budgeted.simulation.datasets import Rehearsal, load, split
from budgeted.simulation.synthetic import SYNTHETIC, Synthetic
from budgeted.simulation.tables import Reading, Table, parse_csv

TABLE_KEYS = ("table", "missing", "bins", "prior_counts", "case_rule", "training_share", "costs",
              "features")  # fmt: skip
_READING_KEYS = ("label", "ignore", "delimiter", "encoding")
FILE_KEYS = ("file", *_READING_KEYS, *TABLE_KEYS[1:])
_JUDGES = ("validation", "truth")


def problem_of(
    document: Mapping[str, Any], folder: Path
) -> tuple[Mapping[str, Any], Source | None, list[str]]:
    """Return the problem, the user's file of its cases, and what is wrong with them."""
    problem = document.get("problem", {})
    if not isinstance(problem, Mapping):
        return {}, None, [f"problem: must be a table, as below [problem], got {problem!r}"]
    if "problem" not in document:
        return {}, None, []
    table, mistakes = None, _mistakes(problem)
    if isinstance(problem.get("file"), str):
        try:
            table = Source.at(folder / problem["file"], "problem.file")
        except ExperimentError as error:
            mistakes += error.mistakes
    return problem, table, mistakes


def prices_of(document: Mapping[str, Any]) -> tuple[Mapping[str, Any], list[str]]:
    """Return the table of the price list, and what is wrong with it."""
    if "prices" not in document:
        return {}, []
    try:
        from_table(document["prices"])
    except BudgetedError as error:
        return {}, [f"prices: {each}" for each in getattr(error, "mistakes", [error])]
    return document["prices"], []


def drawn(
    problem: Mapping[str, Any],
    own: Source | None,
    prices: Mapping[str, Any],
    seed: int,
    budget: str,
) -> Rehearsal:
    """Return one world of a problem."""
    knobs = dict(problem)
    terms = terms_of(budget)
    listed = from_table(prices) if prices else None
    if "synthetic" in knobs:
        judge = knobs.pop("judge", "validation")
        made = replace(SYNTHETIC[knobs.pop("synthetic")], **knobs).draw(seed, terms, listed)
        return made.judged_by_truth() if judge == "truth" else made
    if own is not None:
        given = {key: knobs.pop(key) for key in ("file", *_READING_KEYS) if key in knobs}
        table = _own_table(
            own,
            given["label"],
            tuple(given.get("ignore", ())),
            given.get("delimiter"),
            given.get("encoding", "utf-8"),
        )
    else:
        table = load(knobs.pop("table"))
    kinds = {name: from_kind_table(each) for name, each in knobs.pop("features", {}).items()}
    return split(table, seed, terms, **knobs, price_list=listed, kinds=kinds)


@lru_cache(maxsize=2)
def _own_table(
    source: Source, label: str, ignore: tuple[str, ...], delimiter: str | None, encoding: str
) -> Table:
    """Read once in each process: every run splits the same table."""
    name, reading = Path(source.path).stem, Reading(label, ignore)
    return parse_csv(source.content(), reading, name=name, delimiter=delimiter, encoding=encoding)


def _mistakes(problem: Mapping[str, Any]) -> list[str]:
    if "synthetic" in problem:
        knobs = [each.name for each in fields(Synthetic)]
        mistakes = unknown("problem.", problem, ["synthetic", "judge", *knobs])
        if problem.get("judge", "validation") not in _JUDGES:
            mistakes.append(f"problem.judge: must be one of {', '.join(_JUDGES)}")
        if problem["synthetic"] not in SYNTHETIC:
            known = ", ".join(SYNTHETIC)
            mistakes.append(f"problem.synthetic: must be one of {known}")
        return mistakes
    if "file" in problem:
        lacks = [] if "label" in problem else ["problem.label: is missing; name the label column"]
        if not isinstance(problem["file"], str):
            lacks.append(f"problem.file: must be the name of a CSV file, got {problem['file']!r}")
        return lacks + unknown("problem.", problem, FILE_KEYS) + _kind_mistakes(problem)
    missing = [] if "table" in problem else ["problem: needs 'synthetic', 'table' or 'file'"]
    return missing + unknown("problem.", problem, TABLE_KEYS) + _kind_mistakes(problem)


def _kind_mistakes(problem: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with what the values of some features are said to be."""
    tables = problem.get("features", {})
    if not isinstance(tables, Mapping):
        return [f"problem.features: must be tables, such as [problem.features.age], got {tables!r}"]
    found = []
    for name, table in tables.items():
        where = f"problem.features.{name}"
        if not isinstance(table, Mapping):
            found.append(f"{where}: must be a table with a kind and its parameters, got {table!r}")
            continue
        try:
            from_kind_table(table)
        except BudgetedError as error:
            found += [f"{where}: {each}" for each in getattr(error, "mistakes", (error,))]
    return found


def unknown(prefix: str, entries: Mapping[str, Any], known: Collection[str]) -> list[str]:
    """Return which keys there are not, and which were probably meant."""
    found = []
    for key in entries:
        if key not in known:
            hint = did_you_mean(key, known).rstrip()
            found.append(f"{prefix}{key}: unknown" + (f"; {hint}" if hint else ""))
    return found


def as_text(given: Any) -> str:
    """Return a budget as one text.

    >>> as_text(100), as_text({"amount": 90, "limit": 100, "rate": "0.2", "point_worth": 5})
    ('100', '{"amount": 90, "limit": 100, "point_worth": 5, "rate": "0.2"}')
    """
    if isinstance(given, Mapping):
        return json.dumps(given, sort_keys=True, default=str)
    return str(given)


def terms_of(text: str) -> Terms:
    """Return the terms of a budget.

    >>> terms_of('{"amount": 90, "limit": 100, "rate": "0.2", "point_worth": 5}').limit
    Decimal('100')
    """
    return from_budget_table(json.loads(text) if text.startswith("{") else text)
