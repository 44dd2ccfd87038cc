"""0/1 error of two labels, now and after any allocation, on a grid.

The loss of an x with masses (p₁, p₂) is min(p₁, p₂). Its Fourier transform decays too slowly for
the spectral engine; instead the features are multiplied on a grid of the log-odds log p₁/p₂, in two
ways that give a lower and an upper bound. Their distance shrinks with the square of the grid step.

With two labels what a value says is the log-odds of its two masses, λ = log p₁/p₂, and those of a
case are the sum of its values'. On a grid the distribution of the sum is a convolution, so its
discrete Fourier transform is a product, and that of all features but one comes from prefixes and
suffixes. Features come to the grid in two ways:

- *Splitting* masses over the two neighbouring grid points, so that both labels' sums are kept,
  makes the features more informative (Blackwell, 1953): the error can only fall.
- Who *rounds* each λ to the nearest grid point, and takes the label that the sum speaks for,
  decides somehow; nobody does better than the least error.

What is transformed is tilted: √(p₁p₂) = p₁ e^(−λ/2) = p₂ e^(λ/2), or nearly that. Of what is almost
certain it is almost nothing, so neither what lies beyond the grid nor rounding errors are felt.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from budgeted.errors import EngineError
from budgeted.learners.belief import Belief
from budgeted.learners.layout import Floats, Integers
from budgeted.value import beta_binomial
from budgeted.value.base import CellEstimates, Estimate, OfBeliefs, Sampling
from budgeted.value.loss import ZERO_ONE, Loss

COARSEST, FINEST = 2.0**-5, 2.0**-11
TOLERANCE = 1e-6
MOST_OUTCOMES = 2 * 10**7
"""More outcomes of one feature than this are refused: they would fill the memory."""
Complexes = NDArray[np.complex128]
WIDEST = 60.0
"""Log-odds beyond this come round at the other end of the grid, where √(p₁p₂) < e^-30 is felt."""
_ROUNDING, _NOISE = 1e-13, 1e-15
_BLOCK = 32
"""Features that are transformed at once; with more, they are halved."""
_TINY = float(np.finfo(float).tiny)


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
    """Return the values of some features with all outcomes of purchases of their two cells."""
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


class Atoms(NamedTuple):
    """Values of features and what may come of purchases: pairs of masses, one under each label."""

    first: Floats
    second: Floats
    owner: Integers  # which feature each belongs to, counted from 0 among those that were asked for

    def log_odds(self) -> Floats:
        """Return log(first/second) of each."""
        result: Floats = np.log(np.maximum(self.first, _TINY) / np.maximum(self.second, _TINY))
        return result


class OnGrid:
    """Features on a grid of the log-odds, to be multiplied with each other."""

    def __init__(self, prior: Sequence[float], atoms: Atoms, which: Integers, step: float) -> None:
        self._prior, self._which, self._step = prior, which, step
        place = atoms.log_odds() / step
        near = np.rint(place)
        self._owner, self._near, self._off = atoms.owner, near.astype(np.int64), place - near
        self._sizes = np.sqrt(atoms.first) * np.sqrt(atoms.second)
        kinds = int(which.max(initial=-1)) + 1
        low, high = np.zeros((2, kinds), dtype=np.int64)
        np.minimum.at(low, atoms.owner, self._near - 1)
        np.maximum.at(high, atoms.owner, self._near + 1)
        shift = np.bincount(atoms.owner, self._sizes * self._off, kinds)
        self._shift: Floats = shift / np.bincount(atoms.owner, self._sizes, kinds)
        reach = int(WIDEST / step)
        self.lowest = max(int(low[which].sum()), -reach)
        self.length = _easy(min(int(high[which].sum()), reach) - self.lowest + 1)
        turn = np.arange(self.length // 2 + 1) * self.lowest % self.length
        self._start: Complexes = np.exp(2j * np.pi / self.length * turn)  # lowest comes first

    def product(self) -> OfOthers:
        """Return what all features together say."""
        product = self._times(self._start, np.arange(len(self._which)))
        whole = np.broadcast_to(product, (1, 3, len(self._start)))
        return self._others(whole, self._shift[self._which].sum(keepdims=True))

    def without_each(self) -> Iterator[tuple[Integers, Integers, OfOthers]]:
        """Yield blocks of features, and what all others than each of them say.

        The second is, for each feature of the block, its row among these.
        """
        every = self._shift[self._which].sum()
        for block, rows, spectra in self._without(np.arange(len(self._which)), self._start):
            shifts = np.zeros(len(spectra))
            shifts[rows] = every - self._shift[self._which[block]]
            yield block, rows, self._others(spectra, shifts)

    def masses_without_each(self) -> Iterator[tuple[int, Floats]]:
        """Yield each feature with joint masses of all others, points × 2, by their log-odds.

        These are split: a little more informative than the others are.
        """
        tilt = self._tilt()[:, None] * [1, -1]
        for block, rows, spectra in self._without(np.arange(len(self._which)), self._start):
            sizes = np.fft.irfft(spectra[:, 0], self.length)
            for feature, row in zip(block.tolist(), rows.tolist(), strict=True):
                seen = sizes[row] > _NOISE
                yield feature, sizes[row, seen, None] * np.exp(tilt[seen]) * self._prior

    def _without(
        self, features: Integers, outer: Complexes
    ) -> Iterator[tuple[Integers, Integers, Complexes]]:
        """Yield blocks, whose row is whose, and transforms of all others; halving shares work."""
        if len(features) > _BLOCK:
            halves = np.array_split(features, 2)
            for inner, others in (halves, halves[::-1]):
                yield from self._without(inner, self._times(outer, others))
        else:
            spectra, rows = self._spectra(features)
            yield features, rows, _without_each(spectra, rows.tolist(), outer)

    def _times(self, product: Complexes, features: Integers) -> Complexes:
        """Multiply some features in."""
        for begin in range(0, len(features), _BLOCK):
            spectra, rows = self._spectra(features[begin : begin + _BLOCK])
            for row in rows.tolist():
                product = product * spectra[row]
        return product

    def _spectra(self, features: Integers) -> tuple[Complexes, Integers]:
        """Transforms of the kinds of some features, and of which kind each of them is.

        Kinds × (split, rounded under the first label, under the second) × frequencies.
        """
        kinds, rows = np.unique(self._which[features], return_inverse=True)
        place = np.full(len(self._shift), -1)
        place[kinds] = np.arange(len(kinds))
        row = place[self._owner]
        own = row >= 0
        row, near, off, size = row[own], self._near[own], self._off[own], self._sizes[own]
        beside = near + np.where(off < 0, -1, 1)
        half = self._step / 2
        part = np.abs(off)
        size_beside = size * np.sinh(part * half) / np.sinh(half)
        size_near = size * np.sinh((1 - part) * half) / np.sinh(half)
        tilt = np.exp(off * half)
        at = 3 * self.length * row + near % self.length
        first, second = at + self.length, at + 2 * self.length
        at_beside = 3 * self.length * row + beside % self.length
        flat = np.bincount(
            np.concatenate([at, at_beside, first, second]),
            np.concatenate([size_near, size_beside, size * tilt, size / tilt]),
            3 * self.length * len(kinds),
        )
        return np.fft.rfft(flat.reshape(len(kinds), 3, self.length)), rows

    def _others(self, spectra: Complexes, shifts: Floats) -> OfOthers:
        """From products of transforms, many × 3 × frequencies, to cumulative sums of masses."""
        sizes = np.fft.irfft(spectra, self.length)
        tilt = np.exp(self._tilt())
        below, above = np.zeros((2, 2, len(sizes), self.length + 1))
        np.cumsum(sizes[:, 0] * tilt, axis=-1, out=below[0, :, 1:])
        np.cumsum(sizes[:, 1] * tilt, axis=-1, out=below[1, :, 1:])
        tilt = 1 / tilt
        np.cumsum((sizes[:, 0] * tilt)[:, ::-1], axis=-1, out=above[0, :, -2::-1])
        np.cumsum((sizes[:, 2] * tilt)[:, ::-1], axis=-1, out=above[1, :, -2::-1])
        return OfOthers(self._prior, self._step, self.lowest, below, above, shifts)

    def _tilt(self) -> Floats:
        """Half of the log-odds of each point."""
        result: Floats = (self.lowest + np.arange(self.length)) * self._step / 2
        return result


@dataclass(frozen=True, eq=False)
class OfOthers:
    """What all features but one say, for each of some: masses below and above a point."""

    prior: Sequence[float]
    step: float
    lowest: int
    below: Floats
    above: Floats
    shifts: Floats  # what rounding took from the log-odds on average, in steps

    def losses(self, atoms: Atoms, rows: Integers) -> Floats:
        """Return both bounds of the loss, 2 × features, with atoms of features beside others."""
        joint = Atoms(self.prior[0] * atoms.first, self.prior[1] * atoms.second, atoms.owner)
        threshold = -joint.log_odds() / self.step
        row, slack = rows[atoms.owner], _ROUNDING + 2 * math.exp(-WIDEST / 2)
        bounds = []
        for at, (point, sign) in enumerate(((threshold, -1), (threshold - self.shifts[row], 1))):
            split = np.clip(np.ceil(point) - self.lowest, 0, self.below.shape[2] - 1)
            cut = split.astype(np.int64)
            errors = joint.first * self.below[at, row, cut]
            errors += joint.second * self.above[at, row, cut]
            bounds.append(np.bincount(atoms.owner, errors, len(rows)) + sign * slack)
        return np.stack(bounds)


def _without_each(spectra: Complexes, rows: Sequence[int], outer: Complexes) -> Complexes:
    """Return, for each kind, the product of the transforms of all rows but one of it.

    By prefixes and suffixes, kind by kind and in place: these are long, and few.
    """
    result = np.empty_like(spectra)
    prefix = np.empty_like(spectra[0])
    prefix[:] = outer
    first: dict[int, int] = {}
    for at, row in enumerate(rows):
        if first.setdefault(row, at) == at:
            result[row] = prefix
        prefix *= spectra[row]
    suffix = np.ones_like(prefix)
    for at, row in reversed(list(enumerate(rows))):
        if first[row] == at:
            result[row] *= suffix
        suffix *= spectra[row]
    return result


@lru_cache(maxsize=1_024)
def _easy(length: int) -> int:
    """Return an even length from this one on that is quickly transformed.

    >>> _easy(1), _easy(719), _easy(1025)
    (2, 720, 1080)
    """
    odd = (3**three * 5**five for three in range(9) for five in range(3))
    sizes = (each << max(1, (-(-length // each) - 1).bit_length()) for each in odd)
    return int(min(sizes))
