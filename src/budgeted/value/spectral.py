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

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from budgeted.cache import remembered
from budgeted.learners.belief import Belief, Integers
from budgeted.learners.layout import layout_of
from budgeted.memory import Memory
from budgeted.value import beta_binomial
from budgeted.value.base import CellEstimates, Estimate, OfBeliefs, Sampling
from budgeted.value.loss import ENTROPY, GINI, Loss

Floats = NDArray[np.float64]
Complexes = NDArray[np.complex128]

STEP = np.pi / 30
FREQUENCIES: Floats = np.arange(0, 8.8, STEP)
RESOLUTION = 1e-13
"""The error above is common to all actions of a decision; between them only rounding differs."""

_EXPONENTS: Complexes = np.asarray(0.5 + 1j * FREQUENCIES, dtype=complex)
_SECH: Floats = 1 / np.cosh(np.pi * FREQUENCIES)
# The integrand at −ω is the conjugate of that at ω: twice the real part stands for both.
_BOTH_SIDES: Floats = np.where(FREQUENCIES == 0, 1.0, 2.0) * STEP
_KERNELS: dict[str, Floats] = {
    "gini": _BOTH_SIDES * _SECH,
    "entropy": _BOTH_SIDES * _SECH * 2 / (1 + 4 * FREQUENCIES**2),
}
_LARGEST_TILE = 2**21
"""Entries of the largest temporary matrix, so that 10 000 features stay small in memory."""
_SMALLEST_WINDOW = 64
"""Rows whose observed counts lie this close share a table of powers even when depths are small."""

_LONGEST_TABLE = 2**14
_PAGE = 256
"""Powers are computed by pages of this many, and pages are remembered."""
_BLOCK = 1024
"""The same where one looks far ahead."""

_FEATURES_AT_ONCE = 512
"""Of a product over many features."""

_FEW_ROWS = 16
"""Up to so many rows, one call of exp beats several rounds of doubling."""

_FEW_FEATURES = 4
"""Up to so many features, one cell after the other beats finding out what they share."""

_memory = Memory()  # 4 kB for each feature and depth
_cell_memory = Memory()  # 1.4 kB for each value of a feature


class Spectral(OfBeliefs):
    """Two labels, GINI and entropy: one integral whose integrand is a product over features."""

    name: ClassVar[str] = "spectral"

    def objection(self, loss: Loss, labels: int) -> str:
        """Return why not: a kernel must be known for the loss."""
        if labels != 2:
            return f"is for two labels, this problem has {labels}"
        return "" if loss in (GINI, ENTROPY) else f"has no {loss.name} loss"

    def expected(
        self, known: Belief, allocation: Integers, loss: Loss, sampling: Sampling
    ) -> Estimate:
        """Return the expected loss after an allocation; nothing is drawn."""
        return expected(known, allocation, loss)

    def cells(
        self, known: Belief, depths: Integers, given: Integers, loss: Loss, sampling: Sampling
    ) -> CellEstimates:
        """Return the expected loss of each cell, all at once."""
        return cells(known, depths, given, loss)

    def features(
        self, known: Belief, depths: Integers, given: Integers, loss: Loss, sampling: Sampling
    ) -> CellEstimates:
        """Return the expected loss of each feature, all at once."""
        return features(known, depths, given, loss)


def expected(belief: Belief, allocation: Integers, loss: Loss) -> Estimate:
    """Return the expected loss after an allocation, features × 2 labels; all 0: the loss now."""
    rows, which = _factors(belief, allocation, np.zeros_like(allocation))
    now = rows[which, 0]
    value = float((_prior_factor(belief.problem.prior, loss.name) * now.prod(axis=0)).real.sum())
    return Estimate(value, "spectral", resolution=RESOLUTION)


def cells(belief: Belief, depths: Integers, given: Integers, loss: Loss) -> CellEstimates:
    """Return the expected loss after `given` and `depths` more purchases of each cell alone."""
    rows, which = _factors(belief, given, depths)
    prior, values = _prior_factor(belief.problem.prior, loss.name), np.empty(depths.shape)
    for block, product in _without_each(rows[:, 0], which):
        others, deeper = prior * product, rows[which[block], 1:]
        values[block] = np.einsum("iw,ijw->ij", others.real, deeper.real)
        values[block] -= np.einsum("iw,ijw->ij", others.imag, deeper.imag)
    values[depths == 0] = np.nan
    return CellEstimates(values, "spectral", RESOLUTION)


def features(belief: Belief, depths: Integers, given: Integers, loss: Loss) -> CellEstimates:
    """Return the expected loss after `given` and all `depths` more purchases of each feature."""
    none = np.zeros_like(depths)
    rows, which = _factors(belief, given, none)
    deeper_rows, deeper_which = _factors(belief, given + depths, none)
    prior, values = _prior_factor(belief.problem.prior, loss.name), np.empty(len(depths))
    for block, product in _without_each(rows[:, 0], which):
        others, deeper = prior * product, deeper_rows[deeper_which[block], 0]
        values[block] = (others.real * deeper.real - others.imag * deeper.imag).sum(axis=1)
    values[~depths.any(axis=1)] = np.nan
    return CellEstimates(values, "spectral", RESOLUTION)


def without_each(factors: Complexes) -> Complexes:
    """Return the product of all other features' factors, by prefixes and suffixes: no division."""
    blocks = _without_each(factors, np.arange(len(factors)))
    return np.concatenate([product for _, product in blocks])


def _without_each(rows: Complexes, which: Integers) -> Iterator[tuple[slice, Complexes]]:
    """Yield the same block by block, of the rows in this order: a block fits into the cache."""
    starts = range(0, len(which), _FEATURES_AT_ONCE)
    blocks = [slice(start, start + _FEATURES_AT_ONCE) for start in starts]
    before = np.ones_like(rows[0])
    after = [before]
    for block in blocks[:0:-1]:
        after.append(_running(after[-1], rows[which[block]][::-1])[-1])
    for block in blocks:
        factors = rows[which[block]]
        forward, backward = _running(before, factors), _running(after.pop(), factors[::-1])
        yield block, forward[:-1] * backward[-2::-1]
        before = forward[-1]


def _running(first: Complexes, factors: Complexes) -> Complexes:
    """Return the products of the first and none, one, two … of the factors."""
    return np.cumprod(np.concatenate([first[None], factors]), axis=0)


@lru_cache(maxsize=32)
def _prior_factor(prior: tuple[float, ...], loss: str) -> Complexes:
    first, second = prior
    phase = np.exp(1j * FREQUENCIES * np.log(first / second))
    result: Complexes = _KERNELS[loss] * np.sqrt(first * second) * phase
    result.setflags(write=False)
    return result


def _factors(belief: Belief, given: Integers, depths: Integers) -> tuple[Complexes, Integers]:
    """φ of features: now, with more of label 0, with more of label 1; rows × 3 × nodes.

    Features of which the same is known share a row; which one each has comes second.

    Remembered by value: the counts of the feature and what is to be bought of it. A purchase
    changes one feature, so the next decision at the same depth computes one row anew.
    """
    bought = np.concatenate([given, depths], axis=1).tolist()
    keys = [(key, *each) for key, each in zip(belief.keys, bought, strict=True)]

    def compute(missing: list[int]) -> Complexes:
        deepest = int((given[missing] + depths[missing]).max())
        if len(missing) <= _FEW_FEATURES and deepest < _PAGE:
            return np.stack([_factors_of_one(belief, given, depths, each) for each in missing])
        return _compute_factors(belief, given, depths, np.asarray(missing))

    return _memory.distinct(keys, compute)


def _factors_of_one(belief: Belief, given: Integers, depths: Integers, feature: int) -> Complexes:
    """φ of a feature as in `_factors`, 3 × nodes.

    In a study a request changes one label of one feature; what belongs to the other is remembered.
    """
    columns = belief.columns(feature)
    prior, observed = (
        belief.layout.prior_counts[:, columns],
        belief.observed[:, columns],
    )
    before = given[feature].tolist()
    after = (given[feature] + depths[feature]).tolist()
    wanted = list(zip((0, 1, 0, 1), (*before, *after), strict=True))

    def compute(missing: list[int]) -> Complexes:
        cells = [wanted[each] for each in missing]
        return np.stack([
            _expected_of_cell(prior[label], observed[label], purchases)
            for label, purchases in cells
        ])  # fmt: skip

    first, second, more_first, more_second = _cell_memory.rows(
        [(prior[at].tobytes(), observed[at].tobytes(), number) for at, number in wanted], compute
    )
    result = np.empty((3, len(FREQUENCIES)), dtype=complex)
    second = second.conj()
    np.einsum("kw,kw->w", first, second, out=result[0])
    np.einsum("kw,kw->w", more_first, second, out=result[1])
    np.einsum("kw,kw->w", first, more_second.conj(), out=result[2])
    return result


def _expected_of_cell(prior: Floats, observed: Integers, purchases: int) -> Complexes:
    """Z of the values of one cell, values × frequencies."""
    sums = np.empty((len(prior), 2 * len(FREQUENCIES)))
    counts = prior + observed
    weights = beta_binomial.weights(counts, counts.sum(), purchases)
    starts = zip(prior.tolist(), observed.tolist(), strict=True)
    for at, (base, first) in enumerate(starts):
        table = _table(base, first, purchases + 1)
        np.dot(weights[at], table.view(float), out=sums[at])
    result: Complexes = sums.view(complex)
    result *= np.exp(-_EXPONENTS * np.log(counts.sum() + purchases))
    return result


def _compute_factors(
    belief: Belief, given: Integers, depths: Integers, features: Integers
) -> Complexes:
    problem = belief.problem
    sizes = np.asarray(layout_of(problem).sizes)[features]
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    columns = np.arange(sizes.sum()) + np.repeat(
        layout_of(problem).starts[features] - starts, sizes
    )

    prior, observed = (
        layout_of(problem).prior_counts[:, columns].ravel(),
        belief.observed[:, columns].ravel(),
    )
    totals = belief.totals[:, features].T
    total = np.repeat(totals.T, sizes, axis=1).ravel()

    def sums(purchases: Integers) -> Complexes:
        """E[(α+c)^(½+iω)] of labels × values: Z without the division by N + m."""
        each = np.repeat(purchases.T, sizes, axis=1).ravel()
        return _expected_powers(prior, observed, total, each).reshape(2, len(columns), -1)

    before, after = given[features], (given + depths)[features]
    now = sums(before)
    deeper = sums(after) if depths[features].any() else now
    second = now[1].conj()
    products = (now[0] * second, deeper[0] * second, now[0] * deeper[1].conj())
    bought = np.stack([before, before, before], axis=1)
    bought[:, 1, 0], bought[:, 2, 1] = after[:, 0], after[:, 1]
    # (N₁+m₁)^−(½+iω) · (N₂+m₂)^−(½−iω) is common to the values of a feature.
    logs = np.log(totals[:, None, :] + bought).reshape(-1, 2)
    scales = _rotations(-logs.sum(axis=1) / 2, logs[:, 1] - logs[:, 0])
    result = np.stack([np.add.reduceat(each, starts, axis=0) for each in products], axis=1)
    result *= scales.reshape(result.shape)
    return result


def _expected_powers(
    prior: Floats, observed: Integers, totals: Floats, purchases: Integers
) -> Complexes:
    """E[(α+c)^(½+iω)] of each row over its purchases, rows × frequencies."""
    result = np.empty((len(prior), len(FREQUENCIES)), dtype=complex)
    for depth in np.unique(purchases).tolist():
        for tile in _tiles(prior, observed, np.flatnonzero(purchases == depth), depth):
            # (α + c)^(½+iω) is a table over c: rows that start c further on use it shifted.
            first = int(observed[tile].min())
            shifts = observed[tile] - first
            length = int(shifts.max()) + depth + 1
            if depth == 0:
                result[tile] = _table(float(prior[tile[0]]), first, length)[shifts]
                continue
            weights = np.zeros((len(tile), length))
            places = shifts[:, None] + np.arange(depth + 1)
            weights[np.arange(len(tile))[:, None], places] = beta_binomial.weights(
                prior[tile] + observed[tile], totals[tile], depth
            )
            product = np.zeros((len(tile), 2 * len(FREQUENCIES)))
            for start in range(0, length, _LONGEST_TABLE):
                part = weights[:, start : start + _LONGEST_TABLE]
                table = _table(float(prior[tile[0]]), first + start, part.shape[1])
                product += part @ table.view(float)
            result[tile] = product.view(complex)
    return result


def _power(bases: NDArray[np.floating[Any]]) -> Complexes:
    """Return base^(½+iω), bases × frequencies."""
    logs = np.log(bases)
    return _rotations(logs / 2, logs)


def _rotations(log_sizes: Floats, angles: Floats) -> Complexes:
    """Return exp(size + iω·angle), rows × frequencies, by repeated doubling.

    The frequencies are multiples of a step h, and e^(i(m+n)ha) = e^(imha) · e^(inha): each round
    doubles how many are done, with one complex product each, where the sine and cosine of each
    would cost ten times as much.
    """
    if len(angles) <= _FEW_ROWS:
        direct: Complexes = np.exp(log_sizes[:, None] + 1j * np.multiply.outer(angles, FREQUENCIES))
        return direct
    result = np.empty((len(angles), len(FREQUENCIES)), dtype=complex)
    result[:, 0] = np.exp(log_sizes)
    done = 1
    while done < len(FREQUENCIES):
        more = min(done, len(FREQUENCIES) - done)
        turn = np.exp(1j * FREQUENCIES[done] * angles)[:, None]
        np.multiply(result[:, :more], turn, out=result[:, done : done + more])
        done += more
    return result


def _table(prior: float, first: int, length: int) -> Complexes:
    """Return the powers of prior + first, prior + first + 1, …; they come from pages."""
    if length > _PAGE:
        block, start = divmod(first, _BLOCK)
        return _blocks(prior, block, -(-(start + length) // _BLOCK))[start : start + length]
    number, start = divmod(first, _PAGE)
    return _pages(prior, number)[start : start + length]


@remembered
def _pages(prior: float, number: int) -> Complexes:
    """Two neighbouring pages of powers, so that any table of a page's length lies in one entry."""
    return _power(prior + number * _PAGE + np.arange(2 * _PAGE))


@remembered
def _blocks(prior: float, number: int, blocks: int) -> Complexes:
    """Powers for looking far ahead: a study does so with nearly the same table again and again."""
    return _power(prior + number * _BLOCK + np.arange(blocks * _BLOCK))


def _tiles(prior: Floats, observed: Integers, rows: Integers, depth: int) -> Iterator[Integers]:
    """Split rows into groups of one prior count and observed counts near each other."""
    window = max(depth, _SMALLEST_WINDOW)
    most = max(1, _LARGEST_TILE // (window + depth + 1))
    base, seen = prior[rows], observed[rows]
    groups = [rows]
    if (base != base[0]).any() or seen.max() - seen.min() >= window:
        nearby = seen // window
        order = np.lexsort((nearby, base))
        changes = (np.diff(base[order]) != 0) | (np.diff(nearby[order]) != 0)
        groups = np.split(rows[order], np.flatnonzero(changes) + 1)
    for group in groups:
        yield from (group[start : start + most] for start in range(0, len(group), most))
