"""An experiment is data: a problem, a budget, policies and seeds, in a TOML file.

::

    title = "Mushroom"
    budget = 100
    runs = 50
    seed = 2003

    [problem]
    table = "mushroom"
    missing = "own value"

    [[policy]]
    label = "lookahead"
    name = "sfl"
    max_depth = 30

Instead of a ``table`` of the package, a ``file`` (CSV) with its ``label`` column and columns to
``ignore`` makes an experiment on your own cases, and ``modules`` (Python files) bring your own
policies; both are looked for beside the TOML file. A ``synthetic`` problem with ``judge = "truth"``
reports the true error of its model instead of the error on drawn validation cases: the same mean
with less noise, for up to 14 Boolean features.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from budgeted import money
from budgeted.cases import RULES
from budgeted.datasets import Rehearsal, load, split
from budgeted.errors import BudgetedError, ExperimentError
from budgeted.learners import LEARNERS
from budgeted.nearest import did_you_mean
from budgeted.own_policies import kinds
from budgeted.policies import POLICIES, Policy, policy_among
from budgeted.runs import Run, play, run_seed
from budgeted.sources import Source
from budgeted.synthetic import SYNTHETIC, Synthetic
from budgeted.table import Reading, Table, parse_csv

_TABLE_KEYS = ("table", "missing", "bins", "prior_counts", "rule", "training_share", "costs")
_READING_KEYS = ("label", "ignore", "delimiter", "encoding")
_FILE_KEYS = ("file", *_READING_KEYS, *_TABLE_KEYS[1:])
_JUDGES = ("validation", "truth")
_KEYS = ("title", "budget", "runs", "seed", "modules", "problem", "policy")


@dataclass(frozen=True)
class Contender:
    """A policy in an experiment: its label in figures, its name, budget and parameters.

    `learner` and `cases` are what goes with the policy unless given; `modules` are
    the user's files in which the policy is found if it is not one of this package.
    """

    label: str
    name: str
    budget: str
    parameters: Mapping[str, Any]
    learner: str | None = None
    cases: str | None = None
    modules: tuple[Source, ...] = field(default=(), repr=False)

    def build(self) -> Policy:
        """Return the policy."""
        return policy_among(kinds(self.modules), self.name, self.parameters)

    def document(self) -> dict[str, Any]:
        """Return the entry of a file that describes it."""
        own = {"learner": self.learner, "cases": self.cases}
        given = {key: value for key, value in own.items() if value is not None}
        head = {"label": self.label, "name": self.name, "budget": self.budget}
        return {**head, **given, **self.parameters}


@dataclass(frozen=True)
class Experiment:
    """Policies that spend money in the same worlds.

    Attributes
    ----------
    name, title
        What files are called, and what people read.
    problem
        ``synthetic`` with its knobs, or ``table`` with how to read it.
    contenders
        The policies, in the order of the file.
    runs, seed
        How many worlds, and which ones.
    table, modules
        Files of the user: the cases, and policies.
    planned
        How many runs the file says, where `runs` is another number.
    """

    name: str
    title: str
    problem: Mapping[str, Any]
    contenders: tuple[Contender, ...]
    runs: int = 50
    seed: int = 0
    table: Source | None = None
    modules: tuple[Source, ...] = ()
    planned: int | None = None

    def with_runs(self, runs: int) -> Experiment:
        """Return the same experiment with another number of runs."""
        if runs < 1:
            raise ExperimentError([f"runs: must be at least 1, got {runs}"])
        planned = self.runs if self.planned is None else self.planned
        return replace(self, runs=runs, planned=None if runs == planned else planned)

    @property
    def results_name(self) -> str:
        """What files of results are called: another number of runs must not replace the full one.

        >>> ten = parse({"budget": 5, "runs": 10, "problem": {"synthetic": "figure-3b"},
        ...              "policy": [{"name": "greedy"}]}, name="ten")
        >>> ten.with_runs(3).results_name, ten.with_runs(3).with_runs(10).results_name
        ('ten-3-runs', 'ten')
        """
        return self.name if self.planned is None else f"{self.name}-{self.runs}-runs"

    def document(self) -> dict[str, Any]:
        """Return what a file with this experiment says; beside its files, `parse` gives it back."""
        return {
            "title": self.title,
            "budget": self.contenders[0].budget,
            "runs": self.runs,
            "seed": self.seed,
            **({"modules": [each.name for each in self.modules]} if self.modules else {}),
            "problem": dict(self.problem),
            "policy": [each.document() for each in self.contenders],
        }

    def digest(self) -> str:
        """Return a short name for what is computed, but for the number of runs and the code.

        Runs are independent, so those of a smaller experiment are part of a larger one. Files count
        by what is in them, not by where they are.
        """
        known = {**self.document(), "name": self.name, "title": "", "runs": 0, "modules": ""}
        if self.table is not None:  # the same name may hold other cases tomorrow
            known["problem"]["file"] = self.table.sha256
        text = json.dumps(known, sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    @property
    def sources(self) -> tuple[Source, ...]:
        """All files of the user that a worker needs."""
        return self.modules if self.table is None else (self.table, *self.modules)

    def rehearsal(self, run: int, budget: str) -> Rehearsal:
        """Return the world of a run; the same for every policy."""
        seed = run_seed(self.seed, run)
        knobs = dict(self.problem)
        if "synthetic" in knobs:
            judge = knobs.pop("judge", "validation")
            drawn = replace(SYNTHETIC[knobs.pop("synthetic")], **knobs).draw(seed, budget)
            return drawn.judged_by_truth() if judge == "truth" else drawn
        if self.table is not None:
            given = {key: knobs.pop(key) for key in ("file", *_READING_KEYS) if key in knobs}
            table = _own_table(
                self.table,
                given["label"],
                tuple(given.get("ignore", ())),
                given.get("delimiter"),
                given.get("encoding", "utf-8"),
            )
        else:
            table = load(knobs.pop("table"))
        return split(table, seed, budget, **knobs)

    def play(self, contender: Contender, run: int) -> Run:
        """Return one whole run of one policy."""
        rehearsal = self.rehearsal(run, contender.budget)
        return play(
            rehearsal,
            contender.build(),
            run_seed(self.seed, run),
            learner=contender.learner,
            cases=contender.cases,
        )


def read(path: str | Path, modules: Collection[str | Path] = ()) -> Experiment:
    """Read an experiment; all mistakes are reported at once, each with its key.

    Parameters
    ----------
    path
        Of the TOML file; files that it names are looked for beside it.
    modules
        More Python files with policies, besides those that it names.
    """
    source = Path(path)
    try:
        document = tomllib.loads(source.read_text(encoding="utf-8"))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ExperimentError([f"{source}: cannot be read: {reason}"]) from error
    except UnicodeDecodeError as error:
        raise ExperimentError([f"{source}: is not UTF-8 text (byte {error.start})"]) from error
    except tomllib.TOMLDecodeError as error:
        raise ExperimentError([f"{source}: is not TOML: {error}"]) from error
    return parse(document, name=source.stem, folder=source.parent, modules=modules)


def parse(
    document: Mapping[str, Any],
    name: str,
    *,
    folder: str | Path = ".",
    modules: Collection[str | Path] = (),
) -> Experiment:
    """Return the experiment that a document describes.

    Parameters
    ----------
    document
        As `tomllib` reads it.
    name
        What files are called.
    folder
        Where files are looked for that the document names.
    modules
        More Python files with policies, besides those that it names.

    Examples
    --------
    >>> parse({"title": "Ten", "budget": 5, "problem": {"synthetic": "figure-3b"},
    ...        "policy": [{"name": "greedy"}]}, name="ten").contenders[0].label
    'greedy'
    >>> parse({"budget": 5, "problem": {"tabel": "car"}, "policy": [{"name": "greedy"}]}, name="x")
    Traceback (most recent call last):
    ...
    budgeted.errors.ExperimentError: problem: needs 'synthetic', 'table' or \
'file'; problem.tabel: unknown; did you mean 'table'?
    """
    mistakes = _unknown("", document, _KEYS)
    mistakes += [
        f"{key}: is missing" for key in ("budget", "problem", "policy") if key not in document
    ]
    problem, table, wrong = _problem(document, Path(folder))
    mistakes += wrong
    own: tuple[Source, ...] = ()
    known = True
    try:
        own = _modules(document.get("modules", []), Path(folder), modules)
    except ExperimentError as error:
        mistakes += error.mistakes
        known = False  # which policies there are
    contenders, policy_mistakes = _contenders(document, own, known)
    mistakes += policy_mistakes
    runs, seed = document.get("runs", 50), document.get("seed", 0)
    mistakes += [f"runs: must be a whole number from 1, got {runs!r}"] * (not _whole(runs, 1))
    mistakes += [f"seed: must be a whole number from 0, got {seed!r}"] * (not _whole(seed, 0))
    found = Experiment(
        name,
        document.get("title", name),
        problem,
        contenders,
        runs=runs,
        seed=seed,
        table=table,
        modules=own,
    )
    if "problem" in document and not wrong:
        budgets = [str(document.get("budget", 0)), *(each.budget for each in contenders)]
        mistakes += _try_out(replace(found, seed=seed if _whole(seed, 0) else 0), budgets)
    if mistakes:
        raise ExperimentError(dict.fromkeys(mistakes))
    return found


def _try_out(experiment: Experiment, budgets: Iterable[str]) -> list[str]:
    """Draw one world for each budget, so that mistakes show before the first run."""
    found: list[str] = []
    for budget in dict.fromkeys(budgets):
        affordable = budget
        try:
            money.parse(budget)
        except ValueError as error:
            found.append(f"problem: budget: {error}")
            affordable = "0"  # what is wrong with the rest shows all the same
        try:
            experiment.rehearsal(0, affordable)
        except (BudgetedError, TypeError) as error:
            found += [f"problem: {each}" for each in getattr(error, "mistakes", [error])]
    return found


def _problem(
    document: Mapping[str, Any], folder: Path
) -> tuple[Mapping[str, Any], Source | None, list[str]]:
    """Return the problem, the user's file of its cases, and what is wrong with them."""
    problem = document.get("problem", {})
    if not isinstance(problem, Mapping):
        return {}, None, [f"problem: must be a table, as below [problem], got {problem!r}"]
    if "problem" not in document:
        return {}, None, []
    table, mistakes = None, _problem_mistakes(problem)
    if isinstance(problem.get("file"), str):
        try:
            table = Source.at(folder / problem["file"], "problem.file")
        except ExperimentError as error:
            mistakes += error.mistakes
    return problem, table, mistakes


def _contenders(
    document: Mapping[str, Any], modules: tuple[Source, ...], known: bool
) -> tuple[tuple[Contender, ...], list[str]]:
    """Return the policies, and what is wrong with them.

    Unless it is `known` which policies there are, because the user's modules cannot be loaded, one
    that this package does not have is no mistake.
    """
    entries = document.get("policy", [])
    if not isinstance(entries, list) or not all(isinstance(each, Mapping) for each in entries):
        return (), ["policy: each one must be a table of its own, below [[policy]]"]
    if "policy" in document and not entries:
        return (), ["policy: at least one is needed"]
    contenders, mistakes = [], []
    for position, entry in enumerate(entries):
        if not known and isinstance(entry.get("name"), str) and entry["name"] not in POLICIES:
            continue
        try:
            contenders.append(_contender(entry, str(document.get("budget", 0)), modules))
        except BudgetedError as error:
            told = getattr(error, "mistakes", [error])
            mistakes += [f"policy[{position}]: {each}" for each in told]
    labels = [each.label for each in contenders]
    mistakes += [f"policy: two are labelled {each!r}" for each in labels if labels.count(each) > 1]
    return tuple(contenders), mistakes


@lru_cache(maxsize=2)
def _own_table(
    source: Source, label: str, ignore: tuple[str, ...], delimiter: str | None, encoding: str
) -> Table:
    """Read once in each process: every run splits the same table."""
    name, reading = Path(source.path).stem, Reading(label, ignore)
    return parse_csv(source.content(), reading, name=name, delimiter=delimiter, encoding=encoding)


def _modules(named: object, folder: Path, more: Collection[str | Path]) -> tuple[Source, ...]:
    """Return the user's modules, after a look whether they can be loaded."""
    if not isinstance(named, list) or not all(isinstance(each, str) for each in named):
        raise ExperimentError([f"modules: must be a list of Python files, got {named!r}"])
    paths = [*(folder / each for each in named), *map(Path, more)]
    wrong = [
        f"modules: {each}: must be a Python file (.py)" for each in paths if each.suffix != ".py"
    ]
    if wrong:
        raise ExperimentError(wrong)
    found = tuple(dict.fromkeys(Source.at(each, "modules") for each in paths))
    kinds(found)
    return found


def _contender(entry: Mapping[str, Any], budget: str, modules: tuple[Source, ...]) -> Contender:
    parameters = dict(entry)
    name = parameters.pop("name", None)
    if not isinstance(name, str):
        raise ExperimentError(["name: is missing; see 'budgeted policies'"])
    label = str(parameters.pop("label", name))
    own_budget = str(parameters.pop("budget", budget))
    known = {"learner": tuple(LEARNERS), "cases": RULES}
    own = {key: parameters.pop(key) for key in known if key in parameters}
    wrong = [
        f"{key}: must be one of {', '.join(known[key])}, got {value!r}"
        for key, value in own.items()
        if value not in known[key]
    ]
    needed = () if name in POLICIES else modules
    contender = Contender(label, name, own_budget, parameters, **own, modules=needed)
    try:
        contender.build()
    except BudgetedError as error:
        wrong.append(str(error))
    if wrong:
        raise ExperimentError(wrong)
    return contender


def _problem_mistakes(problem: Mapping[str, Any]) -> list[str]:
    if "synthetic" in problem:
        knobs = [each.name for each in fields(Synthetic)]
        mistakes = _unknown("problem.", problem, ["synthetic", "judge", *knobs])
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
        return lacks + _unknown("problem.", problem, _FILE_KEYS)
    missing = [] if "table" in problem else ["problem: needs 'synthetic', 'table' or 'file'"]
    return missing + _unknown("problem.", problem, _TABLE_KEYS)


def _unknown(prefix: str, entries: Mapping[str, Any], known: Collection[str]) -> list[str]:
    found = []
    for key in entries:
        if key not in known:
            hint = did_you_mean(key, known).rstrip()
            found.append(f"{prefix}{key}: unknown" + (f"; {hint}" if hint else ""))
    return found


def _whole(number: object, least: int) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and number >= least
