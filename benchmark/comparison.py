"""The finished runs of one line of the benchmark, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np

from benchmark.problems import DEFAULT, PAPER, SHOPPER, Line
from benchmark.statistics import Floats, by_money, final, paired, utilisation_rate
from budgeted.experiment import Experiment
from budgeted.results import Store
from budgeted.runs import Mean, Runs


@dataclass(frozen=True)
class Comparison:
    """A line with the runs that every policy has finished.

    Attributes
    ----------
    line
        The problem and its budget.
    runs
        Policy → its runs; run *n* of each is the same world.
    majority
        For each run the error of always predicting the most frequent label.
    """

    line: Line
    runs: Mapping[str, Runs]
    majority: Floats

    @classmethod
    def read(
        cls, line: Line, folder: Path, runs: int | None = None, fingerprint: str = ""
    ) -> Comparison | None:
        """Return what is in the results folder; None where nothing can be compared yet."""
        numbers, found = Store(folder, line.experiment(runs), fingerprint).load_common()
        if not numbers:
            return None
        return cls(line, found, np.array([_majority(line.problem, number) for number in numbers]))

    def __len__(self) -> int:
        return len(self.majority)

    @property
    def enough(self) -> bool:
        """Whether there are as many runs as the line asks for; before, nothing is decided."""
        return len(self) >= self.line.runs

    def mean(self, policy: str) -> Mean:
        """Return the error of a policy when the money is spent."""
        return self.runs[policy].final

    def against(self, rival: str) -> Mean:
        """Return the default's error minus the rival's, run by run, when the money is spent."""
        return paired(final(self.runs[DEFAULT]), final(self.runs[rival]))

    @property
    def best(self) -> str:
        """That of the paper's policies which did best here, picked afterwards."""
        return min(PAPER, key=lambda name: self.mean(name).value)

    @cached_property
    def curves(self) -> dict[str, Floats]:
        """Policy → mean error by money."""
        return {
            name: by_money(runs, self.line.budget).mean(axis=0) for name, runs in self.runs.items()
        }

    def rate(self, policy: str) -> float:
        """Return the data utilisation rate of a policy."""
        return utilisation_rate(self.curves[policy], self.curves[SHOPPER])

    def above_majority(self, policy: str = DEFAULT) -> tuple[int, Mean]:
        """Return where on its way a policy is worst against the majority, and by how much.

        Worst is the amount of money at which the paired difference is largest in standard errors.
        """
        errors = by_money(self.runs[policy], self.line.budget)
        means = [paired(column, self.majority) for column in errors.T]
        at = int(np.argmax([_in_errors(each) for each in means]))
        return at + 1, means[at]


def _in_errors(mean: Mean) -> float:
    return mean.value / max(mean.standard_error, 1e-12)


@cache
def _majority(problem: str, run: int) -> float:
    """Costs and budget change neither the split nor the labels, so each world is drawn once."""
    rehearsal = _any_budget(problem).rehearsal(run, "1")
    prior = np.asarray(rehearsal.problem.prior)
    most = prior >= prior.max() - 1e-12
    masses = rehearsal.validation.masses.sum(axis=0)
    return float(masses.sum() - masses[most].mean())


@cache
def _any_budget(problem: str) -> Experiment:
    return Line(problem, 1).experiment(1)
