"""The readings of the paper: what its text leaves open, as data, and the runs that each needs.

A file of ``experiments/`` is an experiment as `budgeted.experiments.spec` reads it, with one key
more: ``readings``, those in which it is run, all unless given. A policy may have the key too. A
file with ``readings = []`` is run once, as it stands. Where a reading changes nothing of a problem
(two values of a feature share 2 as 1 each), the runs are shared. A file may ask for fewer runs than
others; it never gets more than it asks for.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from budgeted.experiments.runs import Runs
from budgeted.experiments.spec import Experiment, parse
from budgeted.simulation.datasets import is_here
from research.paper.rules import RR, Results


@dataclass(frozen=True)
class Reading:
    """One way to read the paper."""

    name: str
    words: str
    prior_counts: float | str  # Dirichlet counts of a value before anything is bought
    round_robin: str  # label of the policy that is its round robin


READINGS = {
    each.name: each
    for each in (
        Reading("A", "whole-patient round robin (\"run every test on every patient\", Section 1; \"an "
                "entire tuple of values\", Section 1.2), and prior counts of 2/r for a feature of r "
                "values (BDeu, of the paper's reference [Hec95]; Dir(1,1) for a Boolean one). **The "
                "text supports this one.**", "2/r", RR),
        Reading("C", "the same with counts of 24/r. No sentence of the paper says so; it is here because "
                "strong priors explain claims 2, 3 and 5.", "24/r", RR),
        Reading("own", "round robin over cells (feature by feature and label by label, each time from a "
                "fresh case), a stronger baseline, and a count of 1 for every value: ours, until now.",
                1.0, "round robin over cells"),
    )
}  # fmt: skip
MAIN = "A"


@dataclass(frozen=True)
class Planned:
    """An experiment to run, and for whom."""

    experiment: Experiment  # with all policies that any of the readings needs
    stem: str  # name of its file
    # reading → labels of its policies. Experiments that stand for themselves belong to all
    labels: Mapping[str, tuple[str, ...]]


def plan(folder: Path, runs: int) -> list[Planned]:
    """Return all experiments of a folder, each group of readings with the same problem once.

    One is left out whose table somebody must bring first (docs/datasets.md).
    """
    return [each for path in sorted(folder.glob("*.toml")) for each in _of_file(path, runs)]


def _of_file(path: Path, runs: int) -> Iterable[Planned]:
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    if not is_here(document["problem"].get("table", "car")):
        return
    wanted = document.pop("readings", list(READINGS))
    own = [each.pop("readings", list(READINGS)) for each in document["policy"]]
    if not wanted:
        experiment = _with_runs(parse(document, path.stem, folder=path.parent), runs)
        labels = tuple(each.label for each in experiment.contenders)
        yield Planned(experiment, path.stem, dict.fromkeys(READINGS, labels))
        return
    groups: list[tuple[Experiment, dict[str, tuple[str, ...]]]] = []
    for name in wanted:
        variant = _variant(document, path, READINGS[name])
        labels = tuple(each.label for each, its in zip(variant.contenders, own, strict=True)
                       if name in its)  # fmt: skip
        shared = next((held for other, held in groups if _same_problem(other, variant)), None)
        if shared is None:
            groups.append((variant, {name: labels}))
        else:
            shared[name] = labels
    for variant, held in groups:
        needed = {label for labels in held.values() for label in labels}
        contenders = tuple(each for each in variant.contenders if each.label in needed)
        yield Planned(_with_runs(replace(variant, contenders=contenders), runs), path.stem, held)


def _with_runs(experiment: Experiment, runs: int) -> Experiment:
    return experiment.with_runs(min(runs, experiment.runs))


def _variant(document: Mapping[str, Any], path: Path, reading: Reading) -> Experiment:
    problem = {**document["problem"], "prior_counts": reading.prior_counts}
    name = f"{path.stem}-{reading.name}"
    return parse({**document, "problem": problem}, name, folder=path.parent)


def _same_problem(one: Experiment, other: Experiment) -> bool:
    first, second = (each.rehearsal(0, each.contenders[0].budget).problem for each in (one, other))
    return bool(first == second)


def views(planned: Iterable[Planned], results: Results) -> dict[str, Results]:
    """Return for each reading its results: file → policy → runs, with its own round robin."""
    found: dict[str, dict[str, Mapping[str, Runs]]] = {name: {} for name in READINGS}
    for each in planned:
        runs = results[each.experiment.name]
        for name, labels in each.labels.items():
            own = READINGS[name].round_robin
            named = {label: runs[label] for label in labels}
            if own != RR and own in named:
                named = {RR: named.pop(own), **{k: v for k, v in named.items() if k != RR}}
            found[name][each.stem] = named
    return dict(found)
