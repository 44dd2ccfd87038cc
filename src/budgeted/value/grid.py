"""0/1 error of two labels, now and after any allocation, on a grid.

The loss of an x with masses (p₁, p₂) is min(p₁, p₂). Its Fourier transform decays too slowly for
the spectral engine; instead the features are multiplied on a grid of the log-odds log p₁/p₂, in two
ways that give a lower and an upper bound (`budgeted.value.convolution`). Their distance shrinks
with the square of the grid step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from budgeted.errors import EngineError
from budgeted.learners.belief import Belief, Integers
from budgeted.learners.layout import Floats
from budgeted.value import beta_binomial
from budgeted.value.base import OfBeliefs, Sampling
from budgeted.value.convolution import Atoms, OnGrid
from budgeted.value.estimate import CellEstimates, Estimate
from budgeted.value.loss import ZERO_ONE, Loss

COARSEST, FINEST = 2.0**-5, 2.0**-11
TOLERANCE = 1e-6
MOST_OUTCOMES = 2 * 10**7
"""More outcomes of one feature than this are refused: they would fill the memory."""


class Grid(OfBeliefs):
    """Two labels, 0/1: log-odds on a grid, between two bounds."""

    name: ClassVar[str] = "grid"

    def objection(self, loss: Loss, labels: int) -> str:
        """Return why not: it is made for one loss."""
        if labels != 2:
            return f"is for two labels, this problem has {labels}"
        return "" if loss is ZERO_ONE else f"is for zero_one, not {loss.name}"

    def expected(
        self, known: Belief, allocation: Integers, loss: Loss, sampling: Sampling
    ) -> Estimate:
        """Return the expected loss after an allocation."""
        return expected(known, allocation)

    def cells(
        self, known: Belief, depths: Integers, given: Integers, loss: Loss, sampling: Sampling
    ) -> CellEstimates:
        """Return the expected loss of each cell."""
        return cells(known, depths, given)

    def features(
        self, known: Belief, depths: Integers, given: Integers, loss: Loss, sampling: Sampling
    ) -> CellEstimates:
        """Return the expected loss of each feature."""
        return features(known, depths, given)


def expected(belief: Belief, allocation: Integers) -> Estimate:
    """Return the expected 0/1 error after an allocation, features × 2 labels."""
    outcomes = np.asarray(belief.layout.sizes) * (allocation + 1.0).prod(axis=1)
    largest = int(outcomes.argmax())  # needs no grid: it is put beside the product of the others
    others = np.delete(np.arange(len(allocation)), largest)
    beside, atoms = (atoms_of(belief, each, allocation) for each in ([largest], others))
    step = COARSEST
    while True:
        grid = OnGrid(belief.problem.prior, atoms, np.arange(len(others)), step)
        lower, upper = grid.product().losses(beside, np.zeros(1, dtype=np.int64))[:, 0].tolist()
        lower, upper = max(0.0, lower), min(0.5, upper)
        if upper - lower <= TOLERANCE or step <= FINEST:
            return Estimate((lower + upper) / 2, "grid", resolution=upper - lower)
        step /= 4


def cells(belief: Belief, depths: Integers, given: Integers) -> CellEstimates:
    """Return the expected 0/1 error after `given` and `depths` more purchases of each cell alone.

    The resolution is the largest distance between a cell's two bounds.
    """
    of_label = [depths * (np.arange(2) == label) for label in range(2)]
    return _between(_alone(belief, given, of_label))


def features(belief: Belief, depths: Integers, given: Integers) -> CellEstimates:
    """Return the expected 0/1 error after `given` and all `depths` more purchases of each feature.

    One value per feature; NaN where none is bought.
    """
    return _between(_alone(belief, given, [depths])[..., 0])


def _alone(belief: Belief, given: Integers, several: Sequence[Integers]) -> Floats:
    """Both bounds after more purchases of each feature alone, 2 × features × several."""
    first: dict[object, int] = {}  # what is known of features, and who is the first of such
    keys = zip(belief.keys, map(tuple, given.tolist()), strict=True)
    same = [first.setdefault(key, feature) for feature, key in enumerate(keys)]
    row = {feature: at for at, feature in enumerate(first.values())}
    atoms = atoms_of(belief, list(row), given)
    which = np.array([row[feature] for feature in same])
    grid = OnGrid(belief.problem.prior, atoms, which, COARSEST / 4)
    bounds = np.full((2, len(given), len(several)), np.nan)
    for block, rows, others in grid.without_each():
        for at, more in enumerate(several):
            wanted = more[block].any(axis=1)
            if wanted.any():
                atoms = atoms_of(belief, block[wanted], given + more)
                bounds[:, block[wanted], at] = others.losses(atoms, rows[wanted])
    return bounds


def _between(bounds: Floats) -> CellEstimates:
    lower, upper = bounds
    widest = float(np.nanmax(upper - lower, initial=0.0))
    return CellEstimates(bounds.mean(axis=0), "grid", widest)


def atoms_of(belief: Belief, features: Integers | Sequence[int], bought: Integers) -> Atoms:
    """Return the values of some features with all outcomes of purchases of their two cells.

    Parameters
    ----------
    belief, features
        What is known, and of which features.
    bought
        How many values of each label, features × 2.
    """
    chosen = np.asarray(features, dtype=np.int64)
    sizes, pairs = np.asarray(belief.layout.sizes)[chosen], bought[chosen]
    _check_outcomes(belief, chosen, sizes * (pairs + 1.0).prod(axis=1))
    owner = np.repeat(np.arange(len(chosen)), sizes)
    columns = np.arange(len(owner)) + np.repeat(
        belief.layout.starts[chosen] - np.cumsum(sizes) + sizes, sizes
    )
    nothing = np.empty(0)
    parts = [(nothing, nothing, nothing.astype(np.int64))]
    for pair in sorted(set(map(tuple, pairs.tolist()))):
        rows = np.flatnonzero((pairs == pair).all(axis=1)[owner])
        here = columns[rows]
        chances, after = [], []
        for label, number in enumerate(pair):
            counts, totals = belief.counts[label, here], belief.totals[label, chosen[owner[rows]]]
            chances.append(beta_binomial.weights(counts, totals, number))
            after.append((counts[:, None] + np.arange(number + 1)) / (totals[:, None] + number))
        both = chances[0][:, :, None] * chances[1][:, None, :]
        parts.append((
            (both * after[0][:, :, None]).ravel(),
            (both * after[1][:, None, :]).ravel(),
            np.repeat(owner[rows], both[0].size),
        ))  # fmt: skip
    return Atoms(*map(np.concatenate, zip(*parts, strict=True)))


def _check_outcomes(belief: Belief, features: Integers, outcomes: Floats) -> None:
    for feature, number in zip(features.tolist(), outcomes.tolist(), strict=True):
        if number > MOST_OUTCOMES:
            raise EngineError(
                f"the grid engine would need {number:.3g} outcomes of feature "
                f"{belief.problem.features[feature].name!r}, more than {MOST_OUTCOMES:.0e}; buy "
                "fewer, or use engine='particles'"
            )
