"""The runs of an experiment, kept as files: what is there, of the same code, is not computed again.

Each run is a file of its own, in a folder named after what is computed and after the code that
computes it. A file that is there and whole is done. The finished results are one file, put together
in a fixed order, so that neither the number of workers nor an interruption leaves a trace.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from budgeted.errors import DamagedError, RunnerError
from budgeted.experiments import run_files
from budgeted.experiments.runs import Run, Runs, run_seed
from budgeted.experiments.spec import Experiment
from budgeted.learners import LEARNERS
from budgeted.policies import POLICIES, preferences
from budgeted.problem.prices import PRICE_LISTS
from budgeted.provenance import Provenance, package_hash
from budgeted.value.loss import LOSSES

_MOST_NAMED = 10
Pair = tuple[int, int]
"""A contender and the number of a run."""


@dataclass(frozen=True)
class Survey:
    """What is to be computed of an experiment, and what is there and cannot be used."""

    name: str
    missing: list[Pair]
    damaged: list[Path]
    others: list[Path]

    def remarks(self) -> list[str]:
        """Return in words what is there and cannot be used."""
        named = self.damaged[:_MOST_NAMED]
        said = [f"{file}: is damaged; this run is done again" for file in named]
        if len(self.damaged) > len(named):
            more = len(self.damaged) - len(named)
            said.append(f"{self.name}: {more} more files are damaged; these runs are done again")
        if self.others:
            said.append(
                f"{self.name}: not used, as other code computed them or the experiment was "
                f"another: the runs in {', '.join(map(str, self.others))}"
            )
        return said


@dataclass(frozen=True)
class Store:
    """Where the runs of an experiment are kept."""

    folder: Path
    experiment: Experiment
    fingerprint: str = field(default="")

    def __post_init__(self) -> None:
        if not self.fingerprint:
            object.__setattr__(self, "fingerprint", provenance(self.experiment).fingerprint)

    @property
    def runs_folder(self) -> Path:
        """Folder of the single runs: another experiment, or other code, has another one."""
        return self._base.with_name(f"{self._base.name}-{self.fingerprint}")

    @cached_property
    def _base(self) -> Path:
        return self.folder / "runs" / f"{self.experiment.name}-{self.experiment.digest()}"

    @property
    def results(self) -> Path:
        """File of all runs together."""
        return self.folder / f"{self.experiment.results_name}.parquet"

    def run_file(self, contender: int, run: int) -> Path:
        """Return where one run is kept."""
        return self.runs_folder / f"{contender:02d}-{run:05d}.parquet"

    def pairs(self) -> list[Pair]:
        """Return all (contender, run), run by run."""
        contenders = range(len(self.experiment.contenders))
        return [(each, run) for run in range(self.experiment.runs) for each in contenders]

    def missing(self) -> list[Pair]:
        """Return the (contender, run) that are not there, or not whole."""
        return [pair for pair in self.pairs() if not self._whole(self.run_file(*pair))]

    def survey(self) -> Survey:
        """Return what is to be computed, and what is there and cannot be used."""
        missing = self.missing()
        files = [self.run_file(*pair) for pair in missing]
        damaged = [file for file in files if file.exists()]
        ours = re.compile(rf"{re.escape(self.experiment.name)}-[0-9a-f]{{12}}-[0-9a-f]{{12}}")
        folders = self._base.parent.glob("*") if missing else ()
        others = [
            each
            for each in sorted(folders)
            if ours.fullmatch(each.name) and each != self.runs_folder
        ]
        return Survey(self.experiment.name, missing, damaged, others)

    def begin(self) -> None:
        """Make the folder of the runs."""
        try:
            self.runs_folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RunnerError(f"{self.runs_folder}: cannot be made: {error.strerror}") from error

    def keep(self, contender: int, run: int, played: Run, computed: Provenance) -> None:
        """Write one run; it is there whole, or not at all."""
        chosen, document = self.experiment.contenders[contender], self.experiment.document()
        del document["runs"]  # a run does not depend on how many others there are
        told = {
            **run_files.facts_of(played, computed),
            "experiment": {"name": self.experiment.name, **document},
            "table": self.experiment.table and self.experiment.table.sha256,
            "contender": chosen.document(),
            "run": run,
            "seed": run_seed(self.experiment.seed, run),
        }
        table = run_files.as_table(chosen.label, run, played)
        run_files.write(table, told, self.run_file(contender, run))

    def gather(self) -> Path:
        """Write all runs into one file, policy by policy and run by run."""
        ordered = sorted(self.pairs())
        read = [self._read(*pair) for pair in ordered]
        names = [told["names"] for _, told in read]
        first = dict(names[0])
        if any(each != first for each in names):
            del first["values"]  # bins differ from run to run; the rows name them
        told = {
            "provenance": _distinct(told["provenance"] for _, told in read),
            "experiment": {"name": self.experiment.name, **self.experiment.document()},
            "table": self.experiment.table and self.experiment.table.sha256,
            "names": first,
        }
        tables = [table.replace_schema_metadata(None) for table, _ in read]
        run_files.write(run_files.concat(tables), told, self.results)
        return self.results

    def load(self) -> dict[str, Runs]:
        """Return the finished runs of each policy, by its label."""
        return self._load(range(self.experiment.runs))

    def load_finished(self) -> dict[str, Runs]:
        """Return the runs that are there and whole, of each policy that has one."""
        found = {}
        for position, contender in enumerate(self.experiment.contenders):
            numbers = range(self.experiment.runs)
            whole = [run for run in numbers if self._whole(self.run_file(position, run))]
            if whole:
                found[contender.label] = self._runs(position, whole)
        return found

    def _load(self, numbers: Iterable[int]) -> dict[str, Runs]:
        return {
            contender.label: self._runs(position, numbers)
            for position, contender in enumerate(self.experiment.contenders)
        }

    def _runs(self, position: int, numbers: Iterable[int]) -> Runs:
        read = [self._read(position, number) for number in numbers]
        documents = _distinct(told["provenance"] for _, told in read)
        runs = tuple(run_files.run_of(table, told) for table, told in read)
        return Runs(runs[0].names.features, runs, tuple(map(Provenance.of, documents)))

    def _read(self, contender: int, run: int) -> tuple[run_files.Table, dict[str, Any]]:
        path = self.run_file(contender, run)
        try:
            table, told = run_files.read(path)
            self._check(path, told)
        except DamagedError as error:
            raise DamagedError(f"{error}; run the experiment again to do it anew") from error
        return table, told

    def _check(self, path: Path, told: Mapping[str, Any]) -> None:
        if told["provenance"]["fingerprint"] != self.fingerprint:
            raise DamagedError(f"{path}: comes from another folder: other code computed it")

    def _whole(self, path: Path) -> bool:
        if not path.exists():
            return False
        try:
            self._check(path, run_files.read(path)[1])
        except DamagedError:
            return False
        return True


def provenance(experiment: Experiment) -> Provenance:
    """Return what this process would compute an experiment with."""
    own = {each.name: each.sha256[:12] for each in experiment.modules}
    return Provenance.here(own | {each: package_hash(each) for each in _packages(experiment)})


def _packages(experiment: Experiment) -> set[str]:
    """Other packages whose policies, learners, losses and price list an experiment names."""
    found: set[str | None] = set()
    if experiment.prices:
        found.add(PRICE_LISTS.package_of(experiment.prices["list"]))
    for each in experiment.contenders:
        own = preferences(POLICIES[each.name]) if each.name in POLICIES else {}
        for members, name in (
            (POLICIES, each.name),
            (LEARNERS, each.learner_name or own.get("learner")),
            (LOSSES, each.parameters.get("loss")),
        ):
            if isinstance(name, str) and name in members:
                found.add(members.package_of(name))
    return {each for each in found if each is not None}


def _distinct(documents: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for each in documents:
        if each not in found:
            found.append(each)
    return found


def read_results(path: Path) -> tuple[dict[str, Any], dict[str, Runs]]:
    """Return what a file of results says of itself, and the runs of each policy by its label."""
    table, told = run_files.read(path)
    if "run" in told:
        raise RunnerError(f"{path}: holds a single run; name the file of all results")
    if "tables" in told:
        raise RunnerError(f"{path}: holds several tables; see budgeted.experiments.series.read_all")
    return told, results_of(table, told)


def results_of(table: run_files.Table, told: Mapping[str, Any]) -> dict[str, Runs]:
    """Return the runs of each policy in a table of results, with the facts of its file."""
    document, computed = told["experiment"], tuple(map(Provenance.of, told["provenance"]))
    features = tuple(told["names"]["features"])
    found = {}
    for each in document["policy"]:
        runs = run_files.runs_of(table, each["label"], document["runs"], told["names"])
        found[each["label"]] = Runs(features, runs, computed)
    return found
