"""Many runs of one policy, and what they say together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import TypedDict

import numpy as np

from budgeted.belief import Floats
from budgeted.datasets import Rehearsal
from budgeted.errors import WorldError
from budgeted.policies import Policy
from budgeted.simulation import simulate


class Point(TypedDict):
    """The mean validation error of all runs after a number of purchases."""

    purchases: int
    spent: float
    mean_error: float
    standard_error: float


@dataclass(frozen=True)
class Runs:
    """What repeated runs of a policy gave.

    Attributes
    ----------
    features
        Names, in the order of `purchases`.
    errors
        Validation error after each purchase, runs × purchases; NaN behind the end of a run.
    spent
        Money spent after each purchase, likewise.
    purchases
        How often each feature was bought, runs × features.
    discriminative
        For each run how many purchases went to discriminative features.
    complete
        For each run the validation error after buying everything.
    """

    features: tuple[str, ...]
    errors: Floats
    spent: Floats
    purchases: Floats
    discriminative: Floats
    complete: Floats

    def curve(self) -> list[Point]:
        """Return the mean error and its standard error after each purchase."""
        points: list[Point] = []
        for step in range(self.errors.shape[1]):
            reached = ~np.isnan(self.errors[:, step])
            errors = self.errors[reached, step]
            spread = float(errors.std(ddof=1)) / sqrt(len(errors)) if len(errors) > 1 else 0.0
            points.append(
                {
                    "purchases": step + 1,
                    "spent": float(self.spent[reached, step].mean()),
                    "mean_error": float(errors.mean()),
                    "standard_error": spread,
                }
            )
        return points


def repeat(
    draw: Callable[[int], Rehearsal],
    policy: Policy,
    *,
    runs: int,
    seed: int = 0,
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
    after_run
        Called after each run, for a progress bar.
    """
    if runs < 1:
        raise WorldError(f"runs: must be at least 1, got {runs}")
    if seed < 0:
        raise WorldError(f"seed: must be 0 or more, got {seed}")
    errors, spent, bought, useful, complete = [], [], [], [], []
    for run in range(runs):
        world_seed = run_seed(seed, run)
        setting = draw(world_seed)
        rows = list(
            simulate(
                setting.problem,
                policy,
                setting.world,
                seed=world_seed,
                loss=None,
                validation=setting.validation,
            )
        )
        errors.append([row.validation_error or 0.0 for row in rows])
        spent.append([float(row.spent) for row in rows])
        features = [row.feature for row in rows]
        bought.append(np.bincount(features, minlength=len(setting.problem.features)))
        useful.append(sum(feature in setting.discriminative for feature in features))
        complete.append(setting.complete_error())
        after_run()
    return Runs(
        tuple(feature.name for feature in setting.problem.features),
        _padded(errors),
        _padded(spent),
        np.asarray(bought, dtype=float),
        np.asarray(useful, dtype=float),
        np.asarray(complete),
    )


def run_seed(seed: int, run: int) -> int:
    """Return the seed of a run; different seeds share no run.

    >>> run_seed(7, 0) == run_seed(7, 0), run_seed(7, 1) == run_seed(8, 0)
    (True, False)
    """
    return int(np.random.SeedSequence(seed, spawn_key=(run,)).generate_state(1, np.uint64)[0])


def _padded(rows: list[list[float]]) -> Floats:
    result = np.full((len(rows), max(map(len, rows))), np.nan)
    for row, entries in zip(result, rows, strict=True):
        row[: len(entries)] = entries
    return result
