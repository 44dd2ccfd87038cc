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
``ignore`` makes an experiment on your own cases. A ``synthetic`` problem with ``judge = "truth"``
reports the true error of its model instead of the error on drawn validation cases: the same mean
with less noise, for up to 14 Boolean features.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from budgeted import __version__
from budgeted.cases import RULES
from budgeted.datasets import Rehearsal, load, split
from budgeted.errors import BudgetedError, ExperimentError
from budgeted.guard import CLASSIFIERS
from budgeted.policies import Policy, check_relevance, policy
from budgeted.relevance import BELIEFS
from budgeted.runs import Run, play, run_seed
from budgeted.synthetic import SYNTHETIC, Synthetic
from budgeted.table import Table, read_csv

_TABLE_KEYS = ("table", "missing", "bins", "prior_counts", "rule", "training_share", "costs")
_FILE_KEYS = ("file", "label", "ignore", *_TABLE_KEYS[1:])
_JUDGES = ("validation", "truth")
_KEYS = ("title", "budget", "runs", "seed", "problem", "policy")


@dataclass(frozen=True)
class Contender:
    """A policy in an experiment: its label in figures, its name, budget and parameters.

    `belief`, `classifier` and `cases` are what goes with the policy unless given.
    """

    label: str
    name: str
    budget: str
    parameters: Mapping[str, Any]
    belief: str | None = None
    classifier: str | None = None
    cases: str | None = None

    def build(self) -> Policy:
        """Return the policy."""
        return policy(self.name, **self.parameters)


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
    """

    name: str
    title: str
    problem: Mapping[str, Any]
    contenders: tuple[Contender, ...]
    runs: int = 50
    seed: int = 0

    def with_runs(self, runs: int) -> Experiment:
        """Return the same experiment with another number of runs."""
        if runs < 1:
            raise ExperimentError([f"runs: must be at least 1, got {runs}"])
        return replace(self, runs=runs)

    def digest(self) -> str:
        """Return a short name for all that the results depend on, but the number of runs.

        Runs are independent, so those of a smaller experiment are part of a larger one.
        """
        known = {**asdict(self), "title": "", "runs": 0, "version": __version__}
        if "file" in self.problem:  # the same name may hold other cases tomorrow
            known["content"] = hashlib.sha256(Path(self.problem["file"]).read_bytes()).hexdigest()
        text = json.dumps(known, sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def rehearsal(self, run: int, budget: str) -> Rehearsal:
        """Return the world of a run; the same for every policy."""
        seed = run_seed(self.seed, run)
        knobs = dict(self.problem)
        if "synthetic" in knobs:
            judge = knobs.pop("judge", "validation")
            drawn = replace(SYNTHETIC[knobs.pop("synthetic")], **knobs).draw(seed, budget)
            return drawn.judged_by_truth() if judge == "truth" else drawn
        if "file" in knobs:
            ignore = tuple(knobs.pop("ignore", ()))
            table = _own_table(knobs.pop("file"), knobs.pop("label"), ignore)
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
            belief=contender.belief,
            classifier=contender.classifier,
            cases=contender.cases,
        )

    def feature_names(self) -> tuple[str, ...]:
        """Return the names of the features that are for sale."""
        features = self.rehearsal(0, "0").problem.features
        return tuple(feature.name for feature in features)


def read(path: str | Path) -> Experiment:
    """Read an experiment; all mistakes are reported at once, each with its key."""
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
    return parse(document, name=source.stem)


def parse(document: Mapping[str, Any], name: str) -> Experiment:
    """Return the experiment that a document describes.

    Examples
    --------
    >>> parse({"title": "Ten", "budget": 5, "problem": {"synthetic": "figure-3b"},
    ...        "policy": [{"name": "greedy"}]}, name="ten").contenders[0].label
    'greedy'
    >>> parse({"budget": 5, "problem": {"tabel": "car"}, "policy": [{"name": "greedy"}]}, name="x")
    Traceback (most recent call last):
    ...
    budgeted.errors.ExperimentError: problem: needs 'synthetic' or 'table'; problem.tabel: unknown
    """
    mistakes = _unknown("", document, _KEYS)
    mistakes += [
        f"{key}: is missing" for key in ("budget", "problem", "policy") if key not in document
    ]
    problem = document.get("problem", {})
    if "problem" in document:
        mistakes += _problem_mistakes(problem)
    contenders = []
    for position, entry in enumerate(document.get("policy", [])):
        try:
            contenders.append(_contender(entry, str(document.get("budget", 0))))
        except BudgetedError as error:
            mistakes.append(f"policy[{position}]: {error}")
    labels = [each.label for each in contenders]
    mistakes += [f"policy: two are labelled {each!r}" for each in labels if labels.count(each) > 1]
    if "policy" in document and not document["policy"]:
        mistakes.append("policy: at least one is needed")
    runs, seed = document.get("runs", 50), document.get("seed", 0)
    mistakes += [f"runs: must be a whole number from 1, got {runs!r}"] * (not _whole(runs, 1))
    mistakes += [f"seed: must be a whole number from 0, got {seed!r}"] * (not _whole(seed, 0))
    if mistakes:
        raise ExperimentError(dict.fromkeys(mistakes))
    found = Experiment(
        name, document.get("title", name), problem, tuple(contenders), runs=runs, seed=seed
    )
    _try_out(found)
    return found


def _try_out(experiment: Experiment) -> None:
    """Draw one world for each budget, so that mistakes show before the first run."""
    for budget in {each.budget for each in experiment.contenders}:
        try:
            experiment.rehearsal(0, budget)
        except (BudgetedError, TypeError) as error:
            raise ExperimentError([f"problem: {error}"]) from error


@lru_cache(maxsize=2)
def _own_table(path: str, label: str, ignore: tuple[str, ...]) -> Table:
    """Read once in each process: every run splits the same table."""
    return read_csv(path, label, ignore=ignore)


def _contender(entry: Mapping[str, Any], budget: str) -> Contender:
    parameters = dict(entry)
    name = parameters.pop("name", None)
    if not isinstance(name, str):
        raise ExperimentError(["name: is missing; see 'budgeted policies'"])
    label = str(parameters.pop("label", name))
    own_budget = str(parameters.pop("budget", budget))
    known = {"belief": tuple(BELIEFS), "classifier": CLASSIFIERS, "cases": RULES}
    own = {key: parameters.pop(key) for key in known if key in parameters}
    wrong = [
        f"{key}: must be one of {', '.join(known[key])}, got {value!r}"
        for key, value in own.items()
        if value not in known[key]
    ]
    if wrong:
        raise ExperimentError(wrong)
    contender = Contender(label, name, own_budget, parameters, **own)
    chooser = contender.build()
    if contender.belief == "relevance":
        check_relevance(chooser)
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
        return lacks + _unknown("problem.", problem, _FILE_KEYS)
    missing = [] if "table" in problem else ["problem: needs 'synthetic' or 'table'"]
    return missing + _unknown("problem.", problem, _TABLE_KEYS)


def _unknown(prefix: str, entries: Mapping[str, Any], known: Collection[str]) -> list[str]:
    return [f"{prefix}{key}: unknown" for key in entries if key not in known]


def _whole(number: object, least: int) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and number >= least
