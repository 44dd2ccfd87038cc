"""The runs of an experiment as Parquet files.

Each run is a file of its own, in a folder named after all that it depends on. A file that exists is
done. The finished results are one file, put together in a fixed order, so that neither the number
of workers nor an interruption leaves a trace.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import numpy as np

from budgeted.errors import RunnerError
from budgeted.experiment import Experiment
from budgeted.runs import Run, Runs

try:
    import pyarrow
    import pyarrow.parquet
except ImportError:
    raise RunnerError(
        "results need the extra 'experiments': pip install 'budgeted[experiments]'"
    ) from None

_MONEY = pyarrow.decimal128(28, 10)
"""Holds every amount that `budgeted.money` takes."""


@dataclass(frozen=True)
class Store:
    """Where the runs of an experiment are kept.

    Attributes
    ----------
    folder
        Of all results.
    experiment
        Whose.
    """

    folder: Path
    experiment: Experiment

    @property
    def runs_folder(self) -> Path:
        """Folder of the single runs: another experiment under the same name has another one."""
        return self.folder / "runs" / f"{self.experiment.name}-{self.experiment.digest()}"

    @property
    def results(self) -> Path:
        """File of all runs together."""
        return self.folder / f"{self.experiment.name}.parquet"

    def run_file(self, contender: int, run: int) -> Path:
        """Return where one run is kept."""
        return self.runs_folder / f"{contender:02d}-{run:05d}.parquet"

    def missing(self) -> list[tuple[int, int]]:
        """Return the (contender, run) that are not there yet, run by run."""
        pairs = (
            (contender, run)
            for run in range(self.experiment.runs)
            for contender in range(len(self.experiment.contenders))
        )
        return [pair for pair in pairs if not self.run_file(*pair).exists()]

    def keep(self, contender: int, run: int, played: Run) -> None:
        """Write one run; it is there whole, or not at all."""
        label = self.experiment.contenders[contender].label
        _write(_as_table(label, run, played), self.run_file(contender, run))

    def gather(self) -> Path:
        """Write all runs into one file, policy by policy and run by run."""
        tables = [
            pyarrow.parquet.read_table(self.run_file(contender, run))
            for contender in range(len(self.experiment.contenders))
            for run in range(self.experiment.runs)
        ]
        _write(pyarrow.concat_tables(tables), self.results)
        return self.results

    def load(self) -> dict[str, Runs]:
        """Return the finished runs of each policy, by its label."""
        features = self.experiment.feature_names()
        return {
            contender.label: Runs(
                features,
                tuple(
                    _from_table(self.run_file(position, run)) for run in range(self.experiment.runs)
                ),
            )
            for position, contender in enumerate(self.experiment.contenders)
        }

    def load_common(self) -> tuple[list[int], dict[str, Runs]]:
        """Return which runs every policy has finished, and these runs of each policy.

        While an experiment is under way, only these can be compared run by run.
        """
        positions = range(len(self.experiment.contenders))
        common = [
            run
            for run in range(self.experiment.runs)
            if all(self.run_file(position, run).exists() for position in positions)
        ]
        if not common:
            return [], {}
        features = self.experiment.feature_names()
        return common, {
            contender.label: Runs(
                features, tuple(_from_table(self.run_file(position, run)) for run in common)
            )
            for position, contender in enumerate(self.experiment.contenders)
        }

    def load_finished(self) -> dict[str, Runs]:
        """Return the runs that are there already, of each policy that has one."""
        features = self.experiment.feature_names()
        found = {}
        for position, contender in enumerate(self.experiment.contenders):
            files = [self.run_file(position, run) for run in range(self.experiment.runs)]
            runs = tuple(_from_table(file) for file in files if file.exists())
            if runs:
                found[contender.label] = Runs(features, runs)
        return found


def _write(table: pyarrow.Table, target: Path) -> None:
    """Write beside the place and rename, so that nobody ever reads half a file."""
    try:
        with tempfile.NamedTemporaryFile(dir=target.parent, suffix=".part", delete=False) as file:
            pyarrow.parquet.write_table(table, file, compression="zstd")
            file.flush()
            os.fsync(file.fileno())
        os.replace(file.name, target)
    except OSError as error:
        raise RunnerError(f"{target}: cannot be written: {error.strerror or error}") from error


def _as_table(label: str, number: int, played: Run) -> pyarrow.Table:
    rows = len(played.feature)
    facts = {"complete": played.complete, "single": played.single}
    discriminative = ",".join(map(str, played.discriminative))
    columns = {
        "policy": pyarrow.array([label] * rows, pyarrow.string()),
        "run": pyarrow.array([number] * rows, pyarrow.int32()),
        "purchase": pyarrow.array(range(1, rows + 1), pyarrow.int32()),
        "feature": pyarrow.array(played.feature, pyarrow.int32()),
        "label": pyarrow.array(played.label, pyarrow.int32()),
        "value": pyarrow.array(
            [None if value < 0 else value for value in played.value.tolist()], pyarrow.int32()
        ),
        "cost": pyarrow.array(played.cost, _MONEY),
        "spent": pyarrow.array(played.spent, _MONEY),
        "error": pyarrow.array(played.error, pyarrow.float64()),
        **{key: pyarrow.array([fact] * rows, pyarrow.float64()) for key, fact in facts.items()},
        "discriminative": pyarrow.array([discriminative] * rows, pyarrow.string()),
    }
    return pyarrow.table(columns)


def _from_table(path: Path) -> Run:
    try:
        table = pyarrow.parquet.read_table(path)
    except (OSError, pyarrow.ArrowInvalid) as error:
        raise RunnerError(f"{path}: cannot be read ({error}); delete it and run again") from error
    columns = table.to_pydict()
    named = next(iter(columns["discriminative"]), "")
    return Run(
        np.array(columns["feature"], dtype=np.int64),
        np.array(columns["label"], dtype=np.int64),
        np.array([-1 if each is None else each for each in columns["value"]], dtype=np.int64),
        tuple(_plain(amount) for amount in columns["cost"]),
        tuple(_plain(amount) for amount in columns["spent"]),
        np.array(columns["error"], dtype=float),
        complete=next(iter(columns["complete"]), float("nan")),
        single=next(iter(columns["single"]), float("nan")),
        discriminative=tuple(int(each) for each in named.split(",") if each),
    )


def _plain(amount: Decimal) -> Decimal:
    """Drop the zeros that the fixed scale of the file added.

    >>> _plain(Decimal("1.5000000000")), _plain(Decimal("100.0000000000"))
    (Decimal('1.5'), Decimal('100'))
    """
    short = amount.normalize()
    return short.quantize(Decimal(1)) if short == short.to_integral() else short
