r"""The loss of tables: what all features but one say, summed up once, and one of them in detail.

A *table* is what one feature says: joint masses of its atoms under each label, labels × atoms.
Atoms are its values, or pairs (value, outcome of purchases): the losses are homogeneous, so buying
values of a feature is the same as replacing its values by such pairs (eq. 2 of the paper)::

    E[L(s') | purchases] = Σ_x Σ_outcomes f(π_y Π_i θ'_iyx · P(outcome)) = L(finer tables)

Three ways to add it up, each for what it does best:

========  ============================  ============================================
`Waves`   two labels; GINI, entropy     an integral over a frequency; exact to 1e-11
`LogOdds`  two labels; 0/1              cases in order, or on a grid; a resolution
`Cases`   any labels, any loss          all cases, or drawn ones; a standard error
========  ============================  ============================================

Features of which the same is known are one *kind* (`Kinds`): they are computed with once.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from math import prod
from operator import itemgetter
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.fft import next_fast_len

from budgeted.loss.losses import Floats, Integers, Loss

Complexes = NDArray[np.complex128]
Numbers = tuple[int, ...]
"""How many values of a feature are bought, by label."""
Cell = tuple[int, Numbers]
"""A kind of feature, and how many of its values are bought."""

STEP = np.pi / 30
FREQUENCIES: Floats = np.arange(0, 8.8, STEP)
"""Step h aliases log-odds with period 2π/h, which costs at most (1 + 2π/h) e^(−π/h), and stopping
at W costs at most (2/π) e^(−πW), whatever the tables: 7e-12 in all (entropy; GINI less)."""
ROUNDING = 1e-13
"""What differs between sums over frequencies that have their error in common."""
_TINY = 1e-300
_FIRST: Integers = np.zeros(1, dtype=np.int64)


class Known(Protocol):
    """What these sums ask of a belief."""

    def finer(self, feature: int, numbers: Numbers, points: int | None = None) -> Floats:
        """Return the table of a feature after purchases, labels × atoms."""
        ...

    def wave(self, feature: int, numbers: Numbers) -> Complexes:
        """Return the `wave_of` that table."""
        ...


@dataclass(frozen=True)
class Kinds:
    """Features by what is known of them and how many of their values are under way.

    Attributes
    ----------
    known
        What is believed.
    prior
        Shares of the labels.
    first, times
        A feature of each kind, and how many are of that kind.
    numbers
        How many of its values are under way, for each kind.
    of
        The kind of each feature.
    """

    known: Known
    prior: tuple[float, ...]
    first: Sequence[int]
    times: Integers
    numbers: Sequence[Numbers]
    of: Integers

    @classmethod
    def among(
        cls,
        known: Known,
        prior: Sequence[float],
        keys: Sequence[Hashable],
        under_way: Integers,
    ) -> Kinds:
        """Sort features by their keys and what is under way, features × labels."""
        rows = [tuple(row) for row in under_way.tolist()]
        kinds: dict[Hashable, int] = {}
        of = np.array([kinds.setdefault(each, len(kinds)) for each in zip(keys, rows, strict=True)])
        _, first = np.unique(of, return_index=True)
        numbers = [rows[at] for at in first.tolist()]
        return cls(known, tuple(prior), first.tolist(), np.bincount(of), numbers, of)

    @cached_property
    def tables(self) -> list[Floats]:
        """What a feature of each kind says with what is under way."""
        return [self.known.finer(*each) for each in zip(self.first, self.numbers, strict=True)]

    def finer(
        self, cells: Sequence[Cell], points: int | None = None
    ) -> tuple[list[int], list[Floats]]:
        """Return the kinds of cells, and their tables after purchases."""
        tables = [self.known.finer(self.first[kind], each, points) for kind, each in cells]
        return [kind for kind, _ in cells], tables

    def between(self, pair: list[int]) -> Kinds:
        """Return what is known of two labels alone; their masses do not sum to one."""
        prior = tuple(self.prior[label] for label in pair)
        return replace(self, known=_Between(self.known, pair), prior=prior)

    def few(self, most: int = 4096) -> bool:
        """Whether there are few enough cases to go through them, with what is under way."""
        cases = 1
        for kind, times in enumerate(self.times.tolist()):
            values = self.known.finer(self.first[kind], (0,) * len(self.prior)).shape[1]
            cases *= (values * prod(n + 1 for n in self.numbers[kind])) ** min(times, 64)
            if cases > most:
                return False
        return True

    def others(self, without: int) -> Floats:
        """Return the masses of all cases of all features but one of a kind, labels × cases."""
        masses = np.array(self.prior)[:, None]
        for kind, times in enumerate(self.times.tolist()):
            table = self.tables[kind]
            for _ in range(times - (kind == without)):
                masses = (masses[:, :, None] * table[:, None, :]).reshape(len(masses), -1)
        return masses


def wave_of(table: Floats) -> Complexes:
    """Return Σ m₁^(½+iω) m₂^(½−iω) over the atoms of a table of two labels, at each frequency ω."""
    one, two = np.log(np.maximum(table, _TINY))
    result: Complexes = np.exp(1j * np.outer(FREQUENCIES, one - two)) @ np.exp((one + two) / 2)
    return result


class Waves:
    r"""Two labels, GINI or entropy: one integral, in which the features are factors.

    With the log-odds Λ = log m₁/m₂ both losses of a case are √(m₁m₂) times an even, smooth function
    of Λ with a Fourier transform κ in closed form. So the sum over all cases is::

        L = ∫ κ(ω) π₁^(½+iω) π₂^(½−iω) Π_i φ_i(ω) dω,    φ_i(ω) = Σ_atoms m₁^(½+iω) m₂^(½−iω)

    and the trapezoid rule converges exponentially.
    """

    resolution = ROUNDING
    standard_error = 0.0

    def __init__(self, kinds: Kinds, loss: Loss) -> None:
        assert loss.wave is not None
        one, two = kinds.prior
        # The integrand at −ω is the conjugate of that at ω: twice the real part stands for both.
        both = np.where(FREQUENCIES == 0, 1.0, 2.0) * STEP * loss.wave(FREQUENCIES)
        own = both * np.sqrt(one * two) * np.exp(1j * FREQUENCIES * np.log(one / two))
        self.kinds = kinds
        first, numbers = kinds.first, kinds.numbers
        self._now = np.stack([kinds.known.wave(*each) for each in zip(first, numbers, strict=True)])
        self._others = own * _without_one(self._now, kinds.times)

    def now(self) -> float:
        """Return the loss of all tables as they are."""
        return float((self._others[0] * self._now[0]).real.sum())

    def of(self, cells: Sequence[Cell]) -> tuple[Floats, Floats]:
        """Return the loss with one feature's table after purchases, for each cell; and 0 errors."""
        first, wave = self.kinds.first, self.kinds.known.wave
        values = [
            np.vdot(self._others[kind].conj(), wave(first[kind], numbers)).real
            for kind, numbers in cells
        ]
        return np.array(values), np.zeros(len(cells))

    def with_tables(self, kinds: Sequence[int], tables: Sequence[Floats]) -> tuple[Floats, Floats]:
        """Return the loss with each table in place of a feature of a kind; and 0 errors."""
        atoms, starts = side_by_side(tables)
        one, two = np.log(np.maximum(atoms, _TINY))
        which = np.repeat(kinds, np.diff([*starts, atoms.shape[1]]))
        turn, total = np.exp(1j * STEP * (one - two)), np.zeros(len(which), dtype=complex)
        for others in self._others.T[::-1]:  # Horner's rule: powers of the turn of each atom
            total *= turn
            total += others[which]
        return np.add.reduceat(total.real * np.exp((one + two) / 2), starts), np.zeros(len(tables))


class Pairs:
    """How hard each two labels are to tell apart, added up: the sum of the GINI of all pairs."""

    resolution = ROUNDING

    def __init__(self, kinds: Kinds, loss: Loss) -> None:
        labels = range(len(kinds.prior))
        self._pairs = [[one, two] for one in labels for two in labels if one < two]
        self._waves = [Waves(kinds.between(pair), loss) for pair in self._pairs]
        self.kinds = kinds

    def with_tables(self, kinds: Sequence[int], tables: Sequence[Floats]) -> tuple[Floats, Floats]:
        """Return the sum with each table in place of a feature of a kind; and 0 errors."""
        found = [
            waves.with_tables(kinds, [table[pair] for table in tables])[0]
            for pair, waves in zip(self._pairs, self._waves, strict=True)
        ]
        return np.sum(found, axis=0), np.zeros(len(tables))


@dataclass(frozen=True)
class _Between:
    """What is known of two labels out of more."""

    known: Known
    pair: list[int]

    def finer(self, feature: int, numbers: Numbers, points: int | None = None) -> Floats:
        return self.known.finer(feature, numbers, points)[self.pair]

    def wave(self, feature: int, numbers: Numbers) -> Complexes:
        return wave_of(self.finer(feature, numbers))


def side_by_side(tables: Sequence[Floats]) -> tuple[Floats, Integers]:
    """Return the atoms of all tables, and where each table begins."""
    ends = np.cumsum([table.shape[1] for table in tables])
    return np.concatenate(tables, axis=1), np.concatenate([[0], ends[:-1]])


def _kind_by_kind(
    kinds: Sequence[int],
    tables: Sequence[Floats],
    look: Callable[[int, Floats, Integers], tuple[Floats, Floats]],
) -> tuple[Floats, Floats]:
    """Look at all tables of neighbours of one kind at once."""
    found = [(np.empty(0), np.empty(0))]
    for kind, group in groupby(zip(kinds, tables, strict=True), key=itemgetter(0)):
        found.append(look(kind, *side_by_side([table for _, table in group])))
    values, errors = (np.concatenate(each) for each in zip(*found, strict=True))
    return values, errors


class LogOdds:
    r"""Two labels, 0/1: the other features by their log-odds, all cases or on a grid.

    The error of a case is the smaller of its two masses. If the cases of all other features stand
    in the order of their log-odds, with the masses added up from either end, each atom of a feature
    looks up where they turn over. Where there are too many cases, features are multiplied on a
    grid: each atom is split between two neighbouring points, so that the masses under both labels
    are kept, and the distribution of a sum is a convolution. What is transformed is √(m₁m₂), which
    vanishes where a case is almost certain. The error falls with the step of the grid, and twice
    what halving it changes is reported as the resolution.
    """

    standard_error = 0.0
    step = 1 / 128

    def __init__(self, kinds: Kinds) -> None:
        self.kinds, self.resolution = kinds, ROUNDING
        if kinds.few():
            exact = [_InOrder.of(*kinds.others(kind)) for kind in range(len(kinds.first))]
            self._ways = [exact]
        else:
            self._ways = [list(_on_grid(kinds, step)) for step in (self.step, 2 * self.step)]

    def now(self) -> float:
        """Return the loss of all tables as they are."""
        (value,), _ = self.with_tables([0], [self.kinds.tables[0]])
        return float(value)

    def of(self, cells: Sequence[Cell]) -> tuple[Floats, Floats]:
        """Return the loss with one feature's table after purchases, for each cell; and 0 errors."""
        return self.with_tables(*self.kinds.finer(cells))

    def with_tables(self, kinds: Sequence[int], tables: Sequence[Floats]) -> tuple[Floats, Floats]:
        """Return the loss with each table in place of a feature of a kind; and 0 errors."""
        return _kind_by_kind(kinds, tables, self._with)

    def _with(self, kind: int, atoms: Floats, starts: Integers) -> tuple[Floats, Floats]:
        found = [np.add.reduceat(way[kind].errors(atoms), starts) for way in self._ways]
        if len(found) > 1:
            apart = 2 * float(np.abs(found[0] - found[1]).max()) + ROUNDING
            self.resolution = max(self.resolution, apart)
        return found[0], np.zeros(len(starts))


class _InOrder(NamedTuple):
    """Cases in the order of their log-odds, with masses added up.

    Attributes
    ----------
    log_odds
        Of each case, rising.
    below, above
        Under the first label of all cases before each one, under the second of it and all behind.
    """

    log_odds: Floats
    below: Floats
    above: Floats

    @classmethod
    def of(cls, one: Floats, two: Floats) -> _InOrder:
        log_odds = _log_odds(one, two)
        order = np.argsort(log_odds)
        below = np.concatenate([[0.0], np.cumsum(one[order])])
        above = np.concatenate([np.cumsum(two[order][::-1])[::-1], [0.0]])
        return cls(log_odds[order], below, above)

    def errors(self, atoms: Floats) -> Floats:
        """Return the least error of each atom beside all of these cases."""
        one, two = atoms
        at = np.searchsorted(self.log_odds, _log_odds(two, one))
        result: Floats = one * self.below[at] + two * self.above[at]
        return result


def _on_grid(kinds: Kinds, step: float, widest: float = 60.0) -> Iterator[_InOrder]:
    """Yield all features but one of each kind on a grid of log-odds, which comes round at ±60."""
    tables = kinds.tables
    places = [_log_odds(*each) / step for each in tables]
    times, reach = kinds.times.tolist(), int(widest / step)
    low, high = (
        sum(n * int(np.floor(end(place))) for n, place in zip(times, places, strict=True))
        for end in (np.min, np.max)
    )
    low, high = max(low, -reach), min(high + sum(times), reach)
    length = next_fast_len(high - low + 1, real=True)
    grid = (np.arange(length) + low) * step
    tilts = np.exp(np.outer([0.5, -0.5], grid)) * np.array(kinds.prior)[:, None]
    spectra = [
        np.fft.rfft(_split(*each, step, length)) for each in zip(tables, places, strict=True)
    ]
    for spectrum in _without_one(np.stack(spectra), kinds.times):
        sizes = np.roll(np.fft.irfft(spectrum, length), -(low % length))
        sizes[sizes < 1e-16] = 0  # rounding errors, which the tilt would make large
        one, two = sizes * tilts
        below, above = np.cumsum(one), np.cumsum(two[::-1])[::-1]
        log_odds = grid + np.log(kinds.prior[0] / kinds.prior[1])
        yield _InOrder(log_odds, np.append(0.0, below), np.append(above, 0.0))


def _log_odds(one: Floats, two: Floats) -> Floats:
    return np.asarray(np.log(np.maximum(one, _TINY)) - np.log(np.maximum(two, _TINY)))


def _without_one(factors: Complexes, times: Integers) -> Complexes:
    """Return the product of all features' factors but one of each kind: no division."""
    rest = factors ** (times[:, None] - 1)
    whole, ones = rest * factors, np.ones_like(factors[:1])
    before = np.cumprod(np.concatenate([ones, whole[:-1]]), axis=0)
    after = np.cumprod(np.concatenate([ones, whole[:0:-1]]), axis=0)[::-1]
    result: Complexes = before * after * rest
    return result


def _split(table: Floats, place: Floats, step: float, length: int) -> Floats:
    """Share √(m₁m₂) of each atom between two grid points; both sums of masses are kept."""
    below = np.floor(place)
    part, half = place - below, step / 2
    size = np.sqrt(table[0]) * np.sqrt(table[1]) / np.sinh(half)
    at = below.astype(np.int64)
    ends = np.concatenate([at, at + 1]) % length
    parts = np.concatenate([size * np.sinh((1 - part) * half), size * np.sinh(part * half)])
    return np.bincount(ends, parts, length).astype(float)


class Cases:
    """Any loss and any labels: all cases of the other features, or some that are drawn.

    Drawn cases are atoms of the tables, half of them evenly from the labels and half by the prior.
    A cell is compared with the table as it is on the same cases (a control variate), which varies
    far less than the loss itself; so the order of cells is known better than their losses.
    """

    points = 24
    """Outcomes that stand for all those of many purchases, where cases are drawn."""
    most_outcomes = 2**18
    """Of one feature: where there are more, some stand for all, although no case is drawn."""

    def __init__(
        self, kinds: Kinds, loss: Loss, particles: int = 1_000, seed: int | Callable[[], int] = 0
    ) -> None:
        self.kinds, self._loss = kinds, loss
        self.resolution, self.standard_error = 1e-12, 0.0
        self._drawn: _Drawn | None = None
        if not kinds.few():
            self._drawn = _Drawn(
                kinds,
                loss,
                particles,
                seed() if callable(seed) else seed,
                self.points if loss.smooth else 64,
            )
            self.standard_error = self._drawn.standard_error

    def now(self) -> float:
        """Return the loss of all tables as they are."""
        if self._drawn is not None:
            return self._drawn.now
        return float(self._loss.beside(self.kinds.others(0), self.kinds.tables[0], _FIRST).sum())

    def of(self, cells: Sequence[Cell]) -> tuple[Floats, Floats]:
        """Return the loss with one feature's table after purchases, for each cell, and its error.

        The standard error is that of the difference from now, which cells have in common.
        """
        points = None if self._drawn is None else self._drawn.points
        most = max((prod(n + 1 for n in numbers) for _, numbers in cells), default=0)
        if self._drawn is None and most > self.most_outcomes:
            points, self.resolution = 64, 1e-4
        return self.with_tables(*self.kinds.finer(cells, points))

    def with_tables(self, kinds: Sequence[int], tables: Sequence[Floats]) -> tuple[Floats, Floats]:
        """Return the loss with each table in place of a feature of a kind, and its error."""
        return _kind_by_kind(kinds, tables, self._with)

    def _with(self, kind: int, atoms: Floats, starts: Integers) -> tuple[Floats, Floats]:
        if self._drawn is not None:
            return self._drawn.with_atoms(kind, atoms, starts)
        values = self._loss.beside(self.kinds.others(kind), atoms, starts).sum(axis=1)
        return values, np.zeros(len(starts))


class _Drawn:
    """Cases that are drawn from the tables of all features."""

    more = 4
    """So many times as many cases tell the loss now, which takes no outcomes."""

    def __init__(
        self, kinds: Kinds, loss: Loss, particles: int, seed: int, points: int | None
    ) -> None:
        self.kinds, self._loss, self.points = kinds, loss, points
        rng, prior = np.random.default_rng(seed), np.array(kinds.prior)
        per_label = np.ceil(particles * (prior + 1 / len(prior)) / 2).astype(int)
        self._labels, self._shares = np.repeat(np.arange(len(prior)), per_label), prior / per_label
        self._weights = self._shares[self._labels]
        self._tables = [
            kinds.known.finer(*each, points)
            for each in zip(kinds.first, kinds.numbers, strict=True)
        ]
        drawn = [self._draw(k, self._labels, rng) for k in range(len(self._tables))]
        self._one = [one for one, _ in drawn]
        self._joint = np.log(prior)[:, None] + sum(one + rest for one, rest in drawn)
        labels = np.repeat(self._labels, self.more)
        joint = np.log(prior)[:, None] + sum(
            sum(self._draw(k, labels, rng)) for k in range(len(self._tables))
        )
        losses = loss.of(_normed(joint))
        self.now = float(losses @ self._shares[labels]) / self.more
        self.standard_error = self._error(losses, labels, float(losses.max(initial=0)))

    def _draw(self, kind: int, labels: Integers, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Log masses of one feature of a kind, and of all others of it, labels × cases each."""
        table, times = self._tables[kind], int(self.kinds.times[kind])
        chances = table / table.sum(axis=1, keepdims=True)
        logs = np.log(np.maximum(table, _TINY))
        ends = chances.cumsum(axis=1)[labels, :-1]
        one = logs[:, (rng.random(len(labels))[:, None] >= ends).sum(axis=1)]
        if times == 1:
            return one, np.zeros_like(one)
        return one, logs @ rng.multinomial(times - 1, chances[labels]).T

    def with_atoms(self, kind: int, atoms: Floats, starts: Integers) -> tuple[Floats, Floats]:
        """Return the loss with each table, and the standard error of its difference from now."""
        others = _normed(self._joint - self._one[kind])
        (before,) = self._loss.beside(others, self._tables[kind], _FIRST)
        gains = before - self._loss.beside(others, atoms, starts)
        # No case is thought to gain more than the most that was seen with any of the purchases; if
        # nothing was seen, as is possible with a loss that is not smooth, than the loss now.
        most = float(gains.max())
        most = most if most > 1e-12 else self.now
        errors = [self._error(row, self._labels, most) for row in gains]
        return self.now - gains @ self._weights, np.array(errors)

    def _error(self, numbers: Floats, labels: Integers, most: float) -> float:
        """Return the standard error of the mean of numbers, one for each case.

        Two made-up cases count too, at either end of what was seen: a sample that happened to miss
        a rare case must not report an error of 0.
        """
        cases = np.bincount(labels)
        mean = (np.bincount(labels, numbers) + most) / (cases + 2)
        apart = np.bincount(labels, (numbers - mean[labels]) ** 2) + mean**2 + (most - mean) ** 2
        prior = np.array(self.kinds.prior)
        return float(np.sqrt((prior**2 * apart / ((cases + 1) * cases)).sum()))


def _normed(logs: Floats) -> Floats:
    """Return what logarithms, labels × cases, stand for, as shares of each case."""
    masses: Floats = np.exp(logs - logs.max(axis=0))
    masses /= masses.sum(axis=0)
    return masses
