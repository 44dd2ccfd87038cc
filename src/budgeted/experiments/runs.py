"""Whole runs of a policy, one or many, and what they say together."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from math import isnan, nan
from typing import Any, TypedDict

import numpy as np

from budgeted.errors import RunnerError, WorldError
from budgeted.experiments.measured import Moments, Wanted
from budgeted.learners import Learner, learner_from, of_belief
from budgeted.learners.belief import Floats, Integers
from budgeted.policies import Policy, preferences
from budgeted.provenance import Provenance
from budgeted.simulation.datasets import Rehearsal
from budgeted.simulation.judge import Judge, Validation
from budgeted.simulation.simulator import simulate
from budgeted.statistics import Mean

__all__ = ["Run", "Runs", "play", "repeat", "run_seed"]


class Point(TypedDict):
    """The mean validation error of all runs after a number of purchases, or at some money."""

    purchases: int
    spent: float
    mean_error: float
    standard_error: float | None


@dataclass(frozen=True)
class Names:
    """What the positions in a run stand for: features, labels, and the values of each feature."""

    features: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    values: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class Run:
    """One run, a column per entry and a row per purchase.

    Attributes
    ----------
    feature, label, value
        Positions of what was bought, and of what came back; -1 where nothing did.
    cost, spent
        Money, exactly.
    error
        Validation error after the purchase.
    complete, single
        Validation error with the whole training table, and with the one feature of it that has
        the least error on the training rows.
    discriminative
        Which features tell the labels apart, where that is known.
    names
        What the positions stand for; bins of numbers are learned anew in each run.
    measures
        Other measures after each purchase, NaN where they were not taken; see
        `budgeted.experiments.measured`.
    """

    feature: Integers
    label: Integers
    value: Integers
    cost: tuple[Decimal, ...]
    spent: tuple[Decimal, ...]
    error: Floats
    complete: float
    single: float
    discriminative: tuple[int, ...] = ()
    names: Names = Names()
    measures: Mapping[str, Floats] = field(default_factory=dict)


def play(
    rehearsal: Rehearsal,
    policy: Policy,
    seed: int,
    *,
    learner: str | Mapping[str, Any] | Learner | None = None,
    case_rule: str | None = None,
    wanted: Wanted | None = None,
) -> Run:
    """Spend the budget of a rehearsal as the policy says.

    Parameters
    ----------
    rehearsal, policy, seed
        The world, who chooses, and the seed of its draws.
    learner, case_rule
        Who makes the classifier, and which cases are used; what goes with the policy unless given,
        see `budgeted.policies.preferences`. The rule of the world stays if the policy has none.
    wanted
        What to measure besides the 0/1 error.
    """
    chosen = preferences(policy, learner=learner, case_rule=case_rule)
    world = rehearsal.world
    if "case_rule" in chosen and chosen["case_rule"] != world.case_rule:
        world = replace(world, case_rule=chosen["case_rule"])
    moments = Moments(wanted, rehearsal) if wanted is not None and wanted.names else None
    rows = list(
        simulate(
            rehearsal.problem,
            policy,
            world,
            seed=seed,
            loss=None,
            validation=rehearsal.validation,
            learner=learner_from(chosen.get("learner", "naive-bayes")),
            watch=moments,
        )
    )
    return Run(
        np.array([row.feature for row in rows], dtype=np.int64),
        np.array([row.label for row in rows], dtype=np.int64),
        np.array([-1 if row.value is None else row.value for row in rows], dtype=np.int64),
        tuple(row.cost for row in rows),
        tuple(row.spent for row in rows),
        np.array([row.validation_error for row in rows], dtype=float),
        rehearsal.complete_error(),
        single_feature_error(rehearsal),
        rehearsal.discriminative,
        Names(
            tuple(feature.name for feature in rehearsal.problem.features),
            tuple(rehearsal.problem.labels),
            tuple(tuple(feature.values) for feature in rehearsal.problem.features),
        ),
        {} if moments is None else moments.columns(),
    )


def single_feature_error(rehearsal: Rehearsal) -> float:
    """Return the validation error of the feature that does best on all training rows."""
    belief, world = rehearsal.world.complete_belief(), rehearsal.world
    training = Judge(Validation.of_table(world.problem, world.values, world.labels))
    alone = [belief.only(feature) for feature in range(len(world.problem.features))]
    best = min(alone, key=lambda each: training.error(of_belief(each)))
    return rehearsal.validation.error(of_belief(best))


@dataclass(frozen=True)
class Runs:
    """Repeated runs of one policy; run *n* of every policy of an experiment has the same world.

    `provenance` is what they were computed with, where they were read from files.
    """

    features: tuple[str, ...]
    runs: tuple[Run, ...]
    provenance: tuple[Provenance, ...] = ()

    def __len__(self) -> int:
        return len(self.runs)

    @cached_property
    def errors(self) -> Floats:
        """Validation error after each purchase, runs × purchases.

        A run that ended before others, because its purchases cost more, keeps its last error.
        """
        return _padded([run.error for run in self.runs])

    @cached_property
    def spent(self) -> Floats:
        """Money spent after each purchase, likewise."""
        return _padded([np.array([float(amount) for amount in run.spent]) for run in self.runs])

    @property
    def spent_at_end(self) -> tuple[Decimal, ...]:
        """What each run had spent when it ended; a policy may stop before its money is gone."""
        return tuple(run.spent[-1] if run.spent else Decimal(0) for run in self.runs)

    @property
    def mean_spent(self) -> Decimal:
        """What a run had spent on average when it ended."""
        return sum(self.spent_at_end, Decimal(0)) / len(self)

    @property
    def final(self) -> Mean:
        """Error at the end of the runs."""
        return Mean.of(self.errors[:, -1])

    @cached_property
    def complete(self) -> Floats:
        """For each run the validation error after buying everything."""
        return np.array([run.complete for run in self.runs])

    @cached_property
    def single(self) -> Floats:
        """For each run the validation error of the best single feature."""
        return np.array([run.single for run in self.runs])

    @cached_property
    def discriminative(self) -> Floats:
        """For each run how many purchases went to discriminative features."""
        return np.array([np.isin(run.feature, run.discriminative).sum() for run in self.runs])

    @cached_property
    def purchases(self) -> Floats:
        """How often each feature was bought, runs × features."""
        length = len(self.features)
        return np.array([np.bincount(run.feature, minlength=length) for run in self.runs], float)

    def error_after(self, purchases: int) -> Floats:
        """Return the validation error of each run after so many purchases."""
        if not 1 <= purchases <= self.errors.shape[1]:
            raise WorldError(
                f"purchases: must be from 1 to {self.errors.shape[1]}, got {purchases}"
            )
        return self.errors[:, purchases - 1]

    def error_over(self, first: int = 1, last: int | None = None) -> Floats:
        """Return for each run the mean error after purchases `first` to `last`, or to the end."""
        result: Floats = self.errors[:, first - 1 : last].mean(axis=1)
        return result

    def error_within(self, amount: Decimal) -> Floats:
        """Return the validation error of each run when it had spent no more than an amount.

        NaN where the amount does not pay for a first purchase.
        """
        return self._within(amount, [run.error for run in self.runs])

    def measure_within(self, name: str, amount: Decimal) -> Floats:
        """Return another measure likewise; NaN also where it was not taken at that moment."""
        nothing: Floats = np.full(0, nan)
        taken = [run.measures.get(name, nothing) for run in self.runs]
        wrong = [at for at, run in enumerate(self.runs) if len(taken[at]) != len(run.spent)]
        return np.full(len(self), nan) if wrong else self._within(amount, taken)

    def _within(self, amount: Decimal, columns: Sequence[Floats]) -> Floats:
        bought = [bisect_right(run.spent, amount) for run in self.runs]
        return np.array(
            [column[n - 1] if n else nan for column, n in zip(columns, bought, strict=True)]
        )

    def area_under_curve(self, limit: Decimal) -> Floats:
        """Return for each run its mean error over the money, from the first purchase to a limit.

        The area under the curve of error against money, divided by its width: an error holds until
        the next purchase, and the last one until the limit. Runs that buy at other prices have the
        same weight for the same money.
        """
        areas = []
        for run in self.runs:
            ends = [*(min(each, limit) for each in run.spent[1:]), limit]
            widths = np.array(
                [float(end - begin) for begin, end in zip(run.spent, ends, strict=True)]
                if run.spent
                else []
            ).clip(min=0)
            total = widths.sum()
            areas.append(float(run.error @ widths / total) if total else _last(run.error))
        return np.array(areas)

    def curve(self) -> list[Point]:
        """Return the mean error and its standard error after each purchase."""
        return [
            _point(step + 1, float(self.spent[:, step].mean()), Mean.of(self.errors[:, step]))
            for step in range(self.errors.shape[1])
        ]

    def curve_by_money(self, amounts: Sequence[float]) -> list[Point]:
        """Return the mean error once each amount was spent, where costs differ.

        A run counts with the error after its last purchase within the amount; amounts that do not
        pay for a first purchase in every run are left out.
        """
        points: list[Point] = []
        for amount in amounts:
            bought = (self.spent <= amount + 1e-9).sum(axis=1)
            if (bought > 0).all():
                errors = self.errors[np.arange(len(self)), bought - 1]
                points.append(_point(int(bought.mean()), amount, Mean.of(errors)))
        return points


def _point(purchases: int, spent: float, mean: Mean) -> Point:
    return {
        "purchases": purchases,
        "spent": spent,
        "mean_error": mean.value,
        "standard_error": None if isnan(mean.standard_error) else mean.standard_error,
    }


def repeat(
    draw: Callable[[int], Rehearsal],
    policy: Policy,
    *,
    runs: int,
    seed: int = 0,
    learner: str | Mapping[str, Any] | Learner | None = None,
    after_run: Callable[[], object] = lambda: None,
) -> Runs:
    """Run a policy in many worlds; the same seed gives every policy the same worlds.

    Parameters
    ----------
    draw
        Seed → what a run needs.
    policy
        Who chooses.
    runs, seed
        How many worlds, and which ones.
    learner
        Who makes the classifier; what goes with the policy unless given.
    after_run
        Called after each run, for a progress bar.
    """
    if runs < 1:
        raise WorldError(f"runs: must be at least 1, got {runs}")
    if seed < 0:
        raise WorldError(f"seed: must be 0 or more, got {seed}")
    played = []
    for run in range(runs):
        world_seed = run_seed(seed, run)
        rehearsal = draw(world_seed)
        played.append(play(rehearsal, policy, world_seed, learner=learner))
        after_run()
    return Runs(tuple(feature.name for feature in rehearsal.problem.features), tuple(played))


def run_seed(seed: int, run: int) -> int:
    """Return the seed of a run; different seeds share no run.

    >>> run_seed(7, 0) == run_seed(7, 0), run_seed(7, 1) == run_seed(8, 0)
    (True, False)
    """
    return int(np.random.SeedSequence(seed, spawn_key=(run,)).generate_state(1, np.uint64)[0])


def _last(errors: Floats) -> float:
    return float(errors[-1]) if len(errors) else nan


def _padded(rows: Sequence[Floats]) -> Floats:
    """Stack rows of different lengths; the shorter ones go on with their last entry."""
    longest = max(map(len, rows))
    padded = [np.pad(row, (0, longest - len(row)), mode="edge") if len(row) else
              np.full(longest, np.nan) for row in rows]  # fmt: skip
    return np.stack(padded)


def provenances(results: Iterable[Runs]) -> list[Provenance]:
    """Return what runs were computed with, each once."""
    found: list[Provenance] = []
    for runs in results:
        found += [each for each in runs.provenance if each not in found]
    return found


def versions(results: Iterable[Runs]) -> str:
    """Return the versions under the code behind runs, for people."""
    known = provenances(results)
    named = (
        ("budgeted", [each.budgeted for each in known]),
        ("Python", [each.python for each in known]),
        ("NumPy", [each.numpy for each in known]),
        ("SciPy", [each.scipy for each in known]),
    )
    return ", ".join(f"{name} {' and '.join(dict.fromkeys(each))}" for name, each in named if each)


def one_fingerprint(results: Iterable[Runs]) -> str:
    """Return the fingerprint of the code behind runs; a mixture is refused.

    Empty where nothing is recorded, as with runs that were not read from files.
    """
    found = {each.fingerprint for each in provenances(results)}
    if len(found) > 1:
        listed = ", ".join(sorted(found))
        raise RunnerError(f"runs of different code cannot be put into one report: {listed}")
    return found.pop() if found else ""
