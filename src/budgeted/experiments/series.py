"""Several tables in one experiment: the same policies, budgets and seeds on each of them.

::

    budget = 60
    runs = 20

    [problem]
    tables = ["car", "votes", "mushroom"]
    missing = "own value"

    [[policy]]
    name = "auto"

or, where tables differ in more than their names, a ``[[problem]]`` for each, which may have a
``name`` and a ``budget`` of its own. Each table is an `Experiment` by itself, called after both:
its runs are kept, gone on with and checked as those of any other.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from budgeted.errors import ExperimentError, RunnerError
from budgeted.experiments import run_files
from budgeted.experiments.runs import Runs
from budgeted.experiments.spec import Experiment, document_of, parse
from budgeted.experiments.store import Store, read_results, results_of

Results = tuple[str, dict[str, Any], dict[str, Runs]]
"""The name of a table, what its file says of itself, and the runs of each policy."""


@dataclass(frozen=True)
class Series:
    """An experiment on one table or on several."""

    name: str
    title: str
    tables: Mapping[str, Experiment]
    several: bool  # whether the file asks for several, if only one is left

    def with_runs(self, runs: int) -> Series:
        """Return the same with another number of runs."""
        return replace(self, tables={at: each.with_runs(runs) for at, each in self.tables.items()})

    @property
    def results_name(self) -> str:
        """What the file of all tables is called."""
        first = next(iter(self.tables.values()))
        return self.name if first.planned is None else f"{self.name}-{first.runs}-runs"

    def gather(self, folder: Path) -> Path:
        """Write the results of all tables into one file, whose first column names the table."""
        target, tables, told = folder / f"{self.results_name}.parquet", [], []
        for name, experiment in self.tables.items():
            table, facts = run_files.read(Store(folder, experiment).results)
            tables.append(run_files.named(table, name))
            told.append({"table_name": name, **facts})
        run_files.write(run_files.concat(tables), {"title": self.title, "tables": told}, target)
        return target


def read_series(path: str | Path, modules: Collection[str | Path] = ()) -> Series:
    """Read an experiment on one table or on several; otherwise as `spec.read`."""
    source = Path(path)
    return series_of(document_of(source), source.stem, folder=source.parent, modules=modules)


def series_of(
    document: Mapping[str, Any],
    name: str,
    *,
    folder: str | Path = ".",
    modules: Collection[str | Path] = (),
) -> Series:
    """Return what a document describes; all mistakes of all tables are reported at once.

    >>> document = {"title": "Three", "budget": 9, "policy": [{"name": "greedy"}],
    ...             "problem": {"tables": ["car", "votes"], "missing": "own value"}}
    >>> {at: (each.name, each.title) for at, each in series_of(document, "all").tables.items()}
    {'car': ('all-car', 'Three: car'), 'votes': ('all-votes', 'Three: votes')}
    """
    problem = document.get("problem")
    title = document.get("title", name)
    if isinstance(problem, Mapping) and "tables" in problem:
        listed = problem["tables"]
        if not isinstance(listed, list) or not listed:
            raise ExperimentError([f"problem.tables: must be names of tables, got {listed!r}"])
        rest = {key: each for key, each in problem.items() if key != "tables"}
        entries: list[Any] = [{"table": each, **rest} for each in listed]
    elif isinstance(problem, list):
        entries = list(problem)
    else:
        only = parse(document, name, folder=folder, modules=modules)
        return Series(name, str(title), {name: only}, several=False)
    tables: dict[str, Experiment] = {}
    mistakes: list[str] = []
    for at, entry in enumerate(entries):
        where = f"problem[{at}]"
        if not isinstance(entry, Mapping):
            mistakes.append(f"{where}: must be a table of its own, below [[problem]]")
            continue
        own = dict(entry)
        called = _name_of(own)
        if "/" in called or "\\" in called or called in ("", ".", ".."):
            mistakes.append(f"{where}.name: {called!r} cannot be a part of the name of a file")
        if called in tables:
            mistakes.append(f"{where}: two are called {called!r}; give each a 'name'")
        budget = {"budget": own.pop("budget")} if "budget" in own else {}
        member = {**document, **budget, "problem": own, "title": f"{title}: {called}"}
        try:
            tables[called] = parse(member, f"{name}-{called}", folder=folder, modules=modules)
        except ExperimentError as error:
            mistakes += [_placed(each, where) for each in error.mistakes]
    if mistakes:
        raise ExperimentError(dict.fromkeys(mistakes))
    return Series(name, str(title), tables, several=True)


def _name_of(problem: dict[str, Any]) -> str:
    """Take the name of a problem out of its table: that of its cases unless it has one."""
    if "name" in problem:
        return str(problem.pop("name"))
    if isinstance(problem.get("file"), str):
        return Path(problem["file"]).stem
    return str(problem.get("table", problem.get("synthetic", "")))


def _placed(mistake: str, where: str) -> str:
    """Say of which problem a mistake is, where it is about the problem.

    >>> _placed("problem.bins: must be a number", "problem[1]"), _placed("runs: no", "problem[1]")
    ('problem[1].bins: must be a number', 'runs: no')
    """
    head, mark, rest = mistake.partition("problem")
    return f"{where}{rest}" if mark and not head else mistake


def read_all(path: Path) -> list[Results]:
    """Return what a file of results holds: of one table, or of each of several."""
    table, told = run_files.read(path)
    if "tables" not in told:
        facts, found = read_results(path)
        return [(str(facts["experiment"]["name"]), facts, found)]
    if not told["tables"]:
        raise RunnerError(f"{path}: holds no tables")
    parts = []
    for facts in told["tables"]:
        name = facts["table_name"]
        parts.append((name, facts, results_of(run_files.of_name(table, name), facts)))
    return parts
