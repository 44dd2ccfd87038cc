"""0/1 error of two labels, now and after any allocation, between certified bounds.

The loss of an x with masses (p₁, p₂) is min(p₁, p₂). Its Fourier transform decays too slowly for
the spectral engine; instead the features are multiplied out one after the other on a grid of the
log-odds log p₁/p₂. A set of masses is what statisticians call an experiment, and every concave,
homogeneous loss orders experiments the same way (Blackwell, 1953):

- *splitting* masses over the two neighbouring grid points, so that both labels' sums are kept,
  makes the experiment more informative: the loss can only fall;
- *merging* the masses of a bin makes it less informative: the loss can only rise.

So the two give a lower and an upper bound whose distance shrinks with the square of the grid step.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from budgeted.errors import EngineError
from budgeted.learners.belief import Belief, Integers
from budgeted.value import beta_binomial
from budgeted.value.base import Sampling
from budgeted.value.estimate import CellEstimates, Estimate
from budgeted.value.loss import ZERO_ONE, Loss
from budgeted.value.of_beliefs import OfBeliefs

Floats = NDArray[np.float64]

WIDEST = 40.0
"""Log-odds beyond this are certainty: their loss is below e^-40."""
COARSEST, FINEST = 2.0**-5, 2.0**-11
TOLERANCE = 1e-6
MOST_OUTCOMES = 2 * 10**7
"""More outcomes of one feature than this are refused: they would fill the memory."""
_ROUNDING = 1e-13


@dataclass(frozen=True)
class Masses:
    """Pairs of joint masses, one per atom."""

    first: Floats
    second: Floats

    def log_odds(self) -> Floats:
        """Return log(first/second) of each atom."""
        tiny = np.finfo(float).tiny
        result: Floats = np.log(np.maximum(self.first, tiny) / np.maximum(self.second, tiny))
        return result

    def loss_with(self, other: Masses) -> float:
        """Return Σ min over all pairs of an atom here and one there, by cumulative sums.

        The atoms here must be in ascending order of their log-odds, as those of a grid are.
        """
        first = np.concatenate([[0.0], np.cumsum(self.first)])
        second = np.concatenate([np.cumsum(self.second[::-1])[::-1], [0.0]])
        split = np.searchsorted(self.log_odds(), -other.log_odds())
        return float(other.first @ first[split] + other.second @ second[split])


class Grid(OfBeliefs):
    """Two labels, 0/1: log-odds on a grid between certified bounds."""

    name: ClassVar[str] = "grid"
    rank: ClassVar[int] = 10

    def objection(self, loss: Loss, labels: int) -> str:
        """Return why not: it is made for one loss."""
        if labels != 2:
            return f"is for two labels, this problem has {labels}"
        return "" if loss is ZERO_ONE else f"is for zero_one, not {loss.name}"

    def expected(
        self, known: Belief, allocation: Integers, loss: Loss, sampling: Sampling
    ) -> Estimate:
        """Return the expected loss after an allocation, with bounds."""
        return expected(known, allocation)

    def cells(
        self, known: Belief, depths: Integers, given: Integers, loss: Loss, sampling: Sampling
    ) -> CellEstimates:
        """Return the expected loss of each cell, with bounds."""
        return cells(known, depths, given)

    def features(
        self, known: Belief, depths: Integers, given: Integers, loss: Loss, sampling: Sampling
    ) -> CellEstimates:
        """Return the expected loss of each feature, with bounds."""
        return features(known, depths, given)


def feature_masses(belief: Belief, feature: int, purchases: Integers) -> Masses:
    """Return the masses of a feature's values over all outcomes of purchases of its two cells."""
    outcomes = belief.layout.sizes[feature] * math.prod(int(each) + 1 for each in purchases)
    if outcomes > MOST_OUTCOMES:
        raise EngineError(
            f"the grid engine would need {outcomes:.3g} outcomes of feature "
            f"{belief.problem.features[feature].name!r}, more than {MOST_OUTCOMES:.0e}; buy fewer, "
            "or use engine='particles'"
        )
    chances, after = [], []
    for label, bought in enumerate(purchases.tolist()):
        counts = belief.counts[label, belief.columns(feature)]
        totals = np.full(len(counts), belief.totals[label, feature])
        chances.append(beta_binomial.weights(counts, totals, bought))
        after.append((counts[:, None] + np.arange(bought + 1)) / (totals[:, None] + bought))
    both = chances[0][:, :, None] * chances[1][:, None, :]
    return Masses((both * after[0][:, :, None]).ravel(), (both * after[1][:, None, :]).ravel())


@dataclass(frozen=True)
class Split:
    """Masses on grid points, the lower bound: √(p₁p₂) at log-odds from −reach to reach."""

    step: float
    middle: Floats

    @classmethod
    def certain(cls, prior: tuple[float, ...], step: float, points: int) -> Split:
        """Return the experiment that knows the prior and nothing else."""
        start = np.zeros(2 * points + 1)
        start[points] = 1.0
        return cls(step, start).times(Masses(np.array(prior[:1]), np.array(prior[1:])))

    def times(self, feature: Masses) -> Split:
        """Multiply a feature in."""
        place = feature.log_odds() / self.step
        below = np.floor(place)
        part = (place - below) * self.step / 2
        size = np.sqrt(feature.first * feature.second) / np.sinh(self.step / 2)
        lowest = int(below.min())
        kernel = np.zeros(int(below.max()) - lowest + 2)
        indices = (below - lowest).astype(int)
        np.add.at(kernel, indices, size * np.sinh(self.step / 2 - part))
        np.add.at(kernel, indices + 1, size * np.sinh(part))
        return Split(self.step, self._convolved(kernel, lowest))

    def _convolved(self, kernel: Floats, lowest: int) -> Floats:
        length = len(self.middle)
        used = np.flatnonzero(kernel)
        if len(used) > 64:
            full = np.convolve(self.middle, kernel)
        else:
            full = np.zeros(length + len(kernel) - 1)
            for shift in used.tolist():
                full[shift : shift + length] += kernel[shift] * self.middle
        # full[g] stands at grid index g + lowest of the old range. What lies beyond the range is
        # split between its end and certainty: the smaller mass is kept, the rest costs nothing.
        result = np.zeros(length)
        index = np.arange(len(full)) + lowest
        inside = np.clip(index, 0, length - 1)
        np.add.at(result, inside, full * np.exp(-np.abs(index - inside) * self.step / 2))
        return result

    def masses(self) -> Masses:
        """Return the masses of the grid points."""
        reach = (len(self.middle) - 1) // 2
        half = np.exp(np.arange(-reach, reach + 1) * self.step / 2)
        used = self.middle > 0
        return Masses((self.middle * half)[used], (self.middle / half)[used])


@dataclass(frozen=True)
class Merged:
    """Masses of bins, the upper bound; an atom stands where its own masses put it."""

    step: float
    points: int
    atoms: Masses

    @classmethod
    def certain(cls, prior: tuple[float, ...], step: float, points: int) -> Merged:
        """Return the experiment that knows the prior and nothing else."""
        return cls(step, points, Masses(np.array(prior[:1]), np.array(prior[1:])))

    def times(self, feature: Masses) -> Merged:
        """Multiply a feature in."""
        bins = 2 * self.points + 1
        if len(feature.first) > bins:
            one = Merged.certain((1.0, 1.0), self.step, self.points)
            feature = one._gathered(feature)
        return Merged(self.step, self.points, self._gathered(feature))

    def _gathered(self, feature: Masses) -> Masses:
        bins = 2 * self.points + 1
        first, second = np.zeros(bins), np.zeros(bins)
        here = self.atoms.log_odds() / self.step + self.points
        tile = max(1, 2**20 // len(here))
        for start in range(0, len(feature.first), tile):
            part = Masses(feature.first[start : start + tile], feature.second[start : start + tile])
            place = np.add.outer(part.log_odds() / self.step, here)
            indices = np.clip(np.rint(place), 0, bins - 1).astype(np.int64).ravel()
            first += np.bincount(
                indices, np.multiply.outer(part.first, self.atoms.first).ravel(), bins
            )
            second += np.bincount(
                indices, np.multiply.outer(part.second, self.atoms.second).ravel(), bins
            )
        used = (first > 0) | (second > 0)
        return Masses(first[used], second[used])

    def masses(self) -> Masses:
        """Return the masses of the bins."""
        return self.atoms


Experiment = Split | Merged


def expected(belief: Belief, allocation: Integers) -> Estimate:
    """Return the expected 0/1 error after an allocation, features × 2 labels."""
    features = [
        feature_masses(belief, feature, purchases) for feature, purchases in enumerate(allocation)
    ]
    features.sort(key=lambda each: len(each.first))
    *others, largest = features  # the largest needs no grid: it is paired with the product at once
    step = COARSEST
    while True:
        bounds = []
        for experiment in _beginnings(belief, features, step):
            product = experiment
            for feature in others:
                product = product.times(feature)
            bounds.append(product.masses().loss_with(largest))
        lower, upper = max(0.0, bounds[0] - _ROUNDING), min(0.5, bounds[1] + _ROUNDING)
        if upper - lower <= TOLERANCE or step <= FINEST:
            middle, width = (lower + upper) / 2, upper - lower
            return Estimate(middle, "grid", lower=lower, upper=upper, resolution=width)
        step /= 4


def cells(belief: Belief, depths: Integers, given: Integers) -> CellEstimates:
    """Return the expected 0/1 error after `given` and `depths` more purchases of each cell alone.

    The resolution is the largest distance between a cell's two bounds.
    """
    bounds = np.full((2, *depths.shape), np.nan)
    for bound, feature, masses in _others_of_each(belief, given):
        for label in np.flatnonzero(depths[feature]).tolist():
            bought = given[feature].copy()
            bought[label] += depths[feature, label]
            bounds[bound, feature, label] = masses.loss_with(
                feature_masses(belief, feature, bought)
            )
    return _between(bounds)


def features(belief: Belief, depths: Integers, given: Integers) -> CellEstimates:
    """Return the expected 0/1 error after `given` and all `depths` more purchases of each feature.

    One value per feature; NaN where none is bought.
    """
    bounds = np.full((2, len(depths)), np.nan)
    for bound, feature, masses in _others_of_each(belief, given):
        if depths[feature].any():
            bought = given[feature] + depths[feature]
            bounds[bound, feature] = masses.loss_with(feature_masses(belief, feature, bought))
    return _between(bounds)


def _others_of_each(belief: Belief, given: Integers) -> Iterator[tuple[int, int, Masses]]:
    """Yield for both bounds (0: lower, 1: upper) each feature with the masses of all others."""
    now = [feature_masses(belief, feature, bought) for feature, bought in enumerate(given)]
    beginnings: tuple[Experiment, ...] = _beginnings(belief, now, COARSEST / 4)
    for bound, experiment in enumerate(beginnings):
        for feature, others in _without_each(experiment, now, 0, len(now)):
            yield bound, feature, others.masses()


def _between(bounds: Floats) -> CellEstimates:
    lower, upper = bounds[0] - _ROUNDING, bounds[1] + _ROUNDING
    widest = float(np.nanmax(upper - lower, initial=0.0))
    return CellEstimates(bounds.mean(axis=0), "grid", widest, lower=lower, upper=upper)


def _beginnings(belief: Belief, features: list[Masses], step: float) -> tuple[Split, Merged]:
    """Both experiments before the first feature, on a grid that is as wide as it needs to be."""
    reach = abs(float(np.log(belief.problem.prior[0] / belief.problem.prior[1])))
    reach += sum(float(np.abs(feature.log_odds()).max()) for feature in features)
    points = int(min(reach, WIDEST) / step) + 2
    prior = belief.problem.prior
    return Split.certain(prior, step, points), Merged.certain(prior, step, points)


def without_each_of(
    product: Experiment, features: list[Masses]
) -> Iterator[tuple[int, Experiment]]:
    """Yield the place of each of some features with the product of all others."""
    if features:
        yield from _without_each(product, features, 0, len(features))


def _without_each(
    product: Experiment, features: list[Masses], start: int, stop: int
) -> Iterator[tuple[int, Experiment]]:
    """Yield each feature with the product of all others; halving shares most of the work."""
    if stop - start == 1:
        yield start, product
        return
    middle = (start + stop) // 2
    for inner, outer in (((start, middle), (middle, stop)), ((middle, stop), (start, middle))):
        other = product
        for feature in range(*outer):
            other = other.times(features[feature])
        yield from _without_each(other, features, *inner)
