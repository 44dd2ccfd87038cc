r"""GINI and entropy of two labels, now and after any allocation: one integral, no sampling.

With the log-odds Λ(x) = log P(x, 1)/P(x, 2), both losses of one x are √(p₁p₂) times an even,
smooth function of Λ that has a Fourier transform κ in closed form. Written as an integral over the
frequency ω, the sum over all x is a product over the features, and so is the expectation over
the outcomes of all purchases, which are independent between cells::

    E[L | m] = ∫ κ(ω) π₁^(½+iω) π₂^(½−iω) Π_i φ_i(ω) dω
    φ_i(ω)   = Σ_k Z_i1k(m_i1, ω) · conj Z_i2k(m_i2, ω)
    Z(m, ω)  = E[θ'^(½+iω)] = Σ_c BetaBinomial(c; m, α, N−α) ((α+c)/(N+m))^(½+iω)
    κ(ω)     = sech(πω) for GINI, 2 sech(πω)/(1 + 4ω²) for entropy

The trapezoid rule converges exponentially here. Step h aliases Λ with period 2π/h, which costs at
most (1 + 2π/h) e^(−π/h) (entropy; GINI less), and stopping at W costs at most (2/π) e^(−πW),
whatever the counts: 7e-12 in all with the constants below.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgeted.belief import Belief, Integers
from budgeted.expectation import beta_binomial
from budgeted.expectation.estimate import CellEstimates, Estimate
from budgeted.expectation.memory import Memory
from budgeted.loss import Loss

Floats = NDArray[np.float64]
Complexes = NDArray[np.complex128]

STEP = np.pi / 30
FREQUENCIES: Floats = np.arange(0, 8.8, STEP)
ERROR = 1e-11
"""Largest absolute error: the two bounds above, and rounding."""
RESOLUTION = 1e-13
"""The error above is common to all actions of a decision; between them only rounding differs."""

_SECH: Floats = 1 / np.cosh(np.pi * FREQUENCIES)
# The integrand at −ω is the conjugate of that at ω: twice the real part stands for both.
_BOTH_SIDES: Floats = np.where(FREQUENCIES == 0, 1.0, 2.0) * STEP
_KERNELS: dict[str, Floats] = {
    "gini": _BOTH_SIDES * _SECH,
    "entropy": _BOTH_SIDES * _SECH * 2 / (1 + 4 * FREQUENCIES**2),
}
LOSSES = tuple(_KERNELS)

_LARGEST_TILE = 2**21
"""Entries of the largest temporary matrix, so that 10 000 features stay small in memory."""
_SMALLEST_WINDOW = 64
"""Rows whose observed counts lie this close share a table of powers even when depths are small."""

_LONGEST_TABLE = 2**14
_PAGE = 256
"""Powers are computed by pages of this many, and pages are remembered."""

_memory = Memory(entries=2**15)  # 4 kB each


def forget() -> None:
    """Drop what was computed before; for measurements, results do not depend on it."""
    _memory.clear()
    _pages.cache_clear()


def expected(belief: Belief, allocation: Integers, loss: Loss) -> Estimate:
    """Return the expected loss after an allocation, features × 2 labels; all 0: the loss now."""
    now = _factors(belief, allocation, np.zeros_like(allocation))[:, 0]
    value = float((_prior_factor(belief, loss) * now.prod(axis=0)).real.sum())
    lower, upper = max(0.0, value - ERROR), value + ERROR
    return Estimate(value, "spectral", lower=lower, upper=upper, resolution=RESOLUTION)


def cells(belief: Belief, depths: Integers, given: Integers, loss: Loss) -> CellEstimates:
    """Return the expected loss after `given` and `depths` more purchases of each cell alone."""
    factors = _factors(belief, given, depths)
    now, deeper = factors[:, 0], factors[:, 1:]
    before, after = np.ones_like(now), np.ones_like(now)
    np.cumprod(now[:-1], axis=0, out=before[1:])
    np.cumprod(now[:0:-1], axis=0, out=after[-2::-1])
    others = _prior_factor(belief, loss) * before * after
    values = np.einsum("iw,ijw->ij", others.real, deeper.real)
    values -= np.einsum("iw,ijw->ij", others.imag, deeper.imag)
    values[depths == 0] = np.nan
    return CellEstimates(values, "spectral", RESOLUTION)


def _prior_factor(belief: Belief, loss: Loss) -> Complexes:
    first, second = belief.problem.prior
    phase = np.exp(1j * FREQUENCIES * np.log(first / second))
    result: Complexes = _KERNELS[loss.name] * np.sqrt(first * second) * phase
    return result


def _factors(belief: Belief, given: Integers, depths: Integers) -> Complexes:
    """φ of each feature: now, with more of label 0, with more of label 1; features × 3 × nodes.

    Remembered by value: the counts of the feature and what is to be bought of it. A purchase
    changes one feature, so the next decision at the same depth computes one row anew.
    """
    prior, observed = belief.problem.prior_counts, belief.observed
    keys: list[Hashable] = []
    for feature, bought in enumerate(np.concatenate([given, depths], axis=1).tolist()):
        columns = belief.columns(feature)
        keys.append((prior[:, columns].tobytes(), observed[:, columns].tobytes(), *bought))

    def compute(missing: list[int]) -> Complexes:
        return _compute_factors(belief, given, depths, np.asarray(missing))

    return _memory.rows(keys, compute)


def _compute_factors(
    belief: Belief, given: Integers, depths: Integers, features: Integers
) -> Complexes:
    problem = belief.problem
    sizes = np.asarray(problem.sizes)[features]
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    columns = np.arange(sizes.sum()) + np.repeat(
        np.asarray(problem.offsets)[features] - starts, sizes
    )

    def powers(purchases: Integers) -> Complexes:
        """Z of labels × values, for features × labels purchases."""
        flat = _expected_powers(
            problem.prior_counts[:, columns].ravel(),
            belief.observed[:, columns].ravel(),
            np.repeat(belief.totals[:, features], sizes, axis=1).ravel(),
            np.repeat(purchases[features].T, sizes, axis=1).ravel(),
        )
        return flat.reshape(2, len(columns), -1)

    now = powers(given)
    deeper = powers(given + depths) if depths[features].any() else now
    second = now[1].conj()
    return np.stack(
        [
            np.add.reduceat(now[0] * second, starts, axis=0),
            np.add.reduceat(deeper[0] * second, starts, axis=0),
            np.add.reduceat(now[0] * deeper[1].conj(), starts, axis=0),
        ],
        axis=1,
    )


def _expected_powers(
    prior: Floats, observed: Integers, totals: Floats, purchases: Integers
) -> Complexes:
    """Z(m, ω) of each row: the expected ½+iω-th power of its parameter after its purchases."""
    result = np.empty((len(prior), len(FREQUENCIES)), dtype=complex)
    for depth in np.unique(purchases).tolist():
        rows = np.flatnonzero(purchases == depth)
        if depth == 0:
            result[rows] = _powers(prior[rows] + observed[rows])
            continue
        for tile in _tiles(prior, observed, rows, depth):
            # (α + c)^(½+iω) is a table over c: rows that start c further on use it shifted.
            first = observed[tile].min()
            shifts = observed[tile] - first
            weights = np.zeros((len(tile), shifts.max() + depth + 1))
            places = shifts[:, None] + np.arange(depth + 1)
            chances = beta_binomial.weights(prior[tile] + observed[tile], totals[tile], depth)
            np.put_along_axis(weights, places, chances, axis=1)
            result[tile] = 0
            for start in range(0, weights.shape[1], _LONGEST_TABLE):
                part = weights[:, start : start + _LONGEST_TABLE]
                table = _table(prior[tile[0]], first + start, part.shape[1])
                result[tile] += (part @ table.view(float)).view(complex)
    result /= _powers(totals + purchases)
    return result


def _powers(bases: Floats) -> Complexes:
    """Return base^(½+iω), bases × frequencies, each distinct base computed once."""
    distinct, which = np.unique(bases, return_inverse=True)
    return _power(distinct)[which]


def _power(bases: NDArray[np.floating[Any]]) -> Complexes:
    logs = np.log(bases)[:, None]
    size, angle = np.exp(logs / 2), logs * FREQUENCIES
    result = np.empty(angle.shape, dtype=complex)
    np.multiply(size, np.cos(angle), out=result.real)
    np.multiply(size, np.sin(angle), out=result.imag)
    return result


def _table(prior: float, first: int, length: int) -> Complexes:
    """Return the powers of prior + first, prior + first + 1, …; short ones come from pages."""
    if length > _PAGE:
        return _power(prior + first + np.arange(length))
    number, start = divmod(first, _PAGE)
    return _pages(prior, number)[start : start + length]


@lru_cache(maxsize=32)
def _pages(prior: float, number: int) -> Complexes:
    """Two neighbouring pages of powers, so that any table of a page's length lies in one entry."""
    return _power(prior + number * _PAGE + np.arange(2 * _PAGE))


def _tiles(prior: Floats, observed: Integers, rows: Integers, depth: int) -> Iterator[Integers]:
    """Split rows into groups of one prior count and observed counts near each other."""
    window = max(depth, _SMALLEST_WINDOW)
    nearby = observed[rows] // window
    order = np.lexsort((nearby, prior[rows]))
    changes = np.flatnonzero(np.diff(prior[rows][order]) != 0)
    moves = np.flatnonzero(np.diff(nearby[order]) != 0)
    for group in np.split(rows[order], np.union1d(changes, moves) + 1):
        most = max(1, _LARGEST_TILE // (window + depth + 1))
        yield from np.split(group, range(most, len(group), most))
