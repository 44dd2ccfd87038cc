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

The budget may be a table with its terms, as in a study file; that of a soft one is spent only
while it is worth it. A table ``[prices]`` with ``list = "…"`` and its parameters names a price
list; without it each feature has its price (``costs``).

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
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from budgeted.errors import BudgetedError, ExperimentError, ProblemError
from budgeted.experiments.measured import Wanted, wanted_of
from budgeted.experiments.problems import (
    as_text,
    drawn,
    prices_of,
    problem_of,
    terms_of,
    unknown,
)
from budgeted.experiments.runs import Run, play, run_seed
from budgeted.experiments.sources import Source, kinds
from budgeted.learners import learner_from
from budgeted.policies import POLICIES, Policy, policy_among
from budgeted.simulation.datasets import Rehearsal
from budgeted.state.cases import WORLD_RULES

_KEYS = ("title", "budget", "runs", "seed", "modules", "problem", "prices", "measures", "moments",
         "wrong", "policy")  # fmt: skip


@dataclass(frozen=True)
class Contender:
    """A policy in an experiment: its label in figures, its name, budget and parameters.

    `learner` and `case_rule` are what goes with the policy unless given; `modules` are
    the user's files in which the policy is found if it is not one of this package.
    """

    label: str
    name: str
    budget: str
    parameters: Mapping[str, Any]
    learner: str | Mapping[str, Any] | None = None
    case_rule: str | None = None
    modules: tuple[Source, ...] = field(default=(), repr=False)

    @property
    def learner_name(self) -> str | None:
        """The name of the learner, which may be given with parameters; None unless given."""
        return self.learner["name"] if isinstance(self.learner, Mapping) else self.learner

    def build(self) -> Policy:
        """Return the policy."""
        return policy_among(kinds(self.modules), self.name, self.parameters)

    def document(self) -> dict[str, Any]:
        """Return the entry of a file that describes it."""
        own = {"learner": self.learner, "case_rule": self.case_rule}
        given = {key: value for key, value in own.items() if value is not None}
        head = {"label": self.label, "name": self.name, "budget": self.budget}
        return {**head, **given, **self.parameters}


@dataclass(frozen=True)
class Experiment:
    """Policies that spend money in the same worlds."""

    name: str
    title: str
    problem: Mapping[str, Any]  # ``synthetic`` with its knobs, or ``table`` with how to read it
    contenders: tuple[Contender, ...]  # the policies, in the order of the file
    runs: int = 50
    seed: int = 0
    table: Source | None = None
    modules: tuple[Source, ...] = ()
    planned: int | None = None  # how many runs the file says, where `runs` is another number
    prices: Mapping[str, Any] = field(default_factory=dict)
    wanted: Wanted = field(default_factory=Wanted)  # what is measured besides the 0/1 error

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
            **({"prices": dict(self.prices)} if self.prices else {}),
            **self.wanted.document(),
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
        return drawn(self.problem, self.table, self.prices, run_seed(self.seed, run), budget)

    def play(self, contender: Contender, run: int) -> Run:
        """Return one whole run of one policy."""
        rehearsal = self.rehearsal(run, contender.budget)
        return play(
            rehearsal,
            contender.build(),
            run_seed(self.seed, run),
            learner=contender.learner,
            case_rule=contender.case_rule,
            wanted=self.wanted,
        )


def read(path: str | Path, modules: Collection[str | Path] = ()) -> Experiment:
    """Read an experiment; all mistakes are reported at once, each with its key."""
    source = Path(path)
    return parse(document_of(source), name=source.stem, folder=source.parent, modules=modules)


def document_of(source: Path) -> dict[str, Any]:
    """Return what a TOML file says."""
    try:
        return tomllib.loads(source.read_text(encoding="utf-8"))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ExperimentError([f"{source}: cannot be read: {reason}"]) from error
    except UnicodeDecodeError as error:
        raise ExperimentError([f"{source}: is not UTF-8 text (byte {error.start})"]) from error
    except tomllib.TOMLDecodeError as error:
        raise ExperimentError([f"{source}: is not TOML: {error}"]) from error


def parse(
    document: Mapping[str, Any],
    name: str,
    *,
    folder: str | Path = ".",
    modules: Collection[str | Path] = (),
) -> Experiment:
    """Return the experiment that a document describes.

    >>> parse({"title": "Ten", "budget": 5, "problem": {"synthetic": "figure-3b"},
    ...        "policy": [{"name": "greedy"}]}, name="ten").contenders[0].label
    'greedy'
    >>> parse({"budget": 5, "problem": {"tabel": "car"}, "policy": [{"name": "greedy"}]}, name="x")
    Traceback (most recent call last):
    ...
    budgeted.errors.ExperimentError: problem: needs 'synthetic', 'table' or \
'file'; problem.tabel: unknown; did you mean 'table'?
    """
    mistakes = unknown("", document, _KEYS)
    mistakes += [
        f"{key}: is missing" for key in ("budget", "problem", "policy") if key not in document
    ]
    problem, table, wrong = problem_of(document, Path(folder))
    mistakes += wrong
    prices, price_mistakes = prices_of(document)
    wanted, measure_mistakes = wanted_of(document)
    mistakes += price_mistakes + measure_mistakes
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
        prices=prices,
        wanted=wanted,
    )
    if "problem" in document and not wrong:
        budgets = [as_text(document.get("budget", 0)), *(each.budget for each in contenders)]
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
            terms_of(budget)
        except ProblemError as error:
            found += error.mistakes
            affordable = "0"  # what is wrong with the rest shows all the same
        try:
            drawn_one = experiment.rehearsal(0, affordable)
            if experiment.wanted.wrong is not None:
                experiment.wanted.costs(drawn_one.problem.labels)
        except (BudgetedError, TypeError) as error:
            told = map(str, getattr(error, "mistakes", [error]))
            own = ("prices: ", "wrong answers: ")
            found += [each if each.startswith(own) else f"problem: {each}" for each in told]
    return found


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
            contenders.append(_contender(entry, as_text(document.get("budget", 0)), modules))
        except BudgetedError as error:
            told = getattr(error, "mistakes", [error])
            mistakes += [f"policy[{position}]: {each}" for each in told]
    labels = [each.label for each in contenders]
    mistakes += [f"policy: two are labelled {each!r}" for each in labels if labels.count(each) > 1]
    return tuple(contenders), mistakes


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
    own_budget = as_text(parameters.pop("budget", budget))
    own = {key: parameters.pop(key) for key in ("learner", "case_rule") if key in parameters}
    wrong = []
    if own.get("case_rule", WORLD_RULES[0]) not in WORLD_RULES:
        known = ", ".join(WORLD_RULES)
        wrong.append(f"case_rule: must be one of {known}, got {own['case_rule']!r}")
    try:
        learner_from(own.get("learner", "naive-bayes"))
    except (BudgetedError, TypeError) as error:
        wrong.append(f"learner: {error}")
    needed = () if name in POLICIES else modules
    contender = Contender(label, name, own_budget, parameters, **own, modules=needed)
    try:
        contender.build()
    except BudgetedError as error:
        wrong.append(str(error))
    if wrong:
        raise ExperimentError(wrong)
    return contender


def _whole(number: object, least: int) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and number >= least
