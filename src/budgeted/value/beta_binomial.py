r"""How often a value will be seen among the next purchases of a cell.

It is beta-binomial, and the polynomials that are orthogonal under that are Hahn's. So sums over the
outcomes are taken by Gaussian quadrature instead of term by term: a rule with a few points s_m and
weights w_m stands for all n + 1 outcomes::

    Σ_c P(c) f(c)  ≈  Σ_m w_m f(s_m),        exactly, if f is a polynomial of degree 2M − 1

With α the count of the value, β that of all others and T = α + β, the recurrence of the polynomials
is known in closed form (Koekoek, Lesky and Swarttouw, *Hypergeometric Orthogonal Polynomials and
Their q-Analogues*, 2010, section 9.5)::

    A_m = (m + T − 1)(m + α)(n − m) / ((2m + T − 1)(2m + T))
    C_m = m (m + T + n − 1)(m + β − 1) / ((2m + T − 2)(2m + T − 1))

and points and weights are the eigenvalues, and the squared first components of the eigenvectors, of
the matrix with A_m + C_m on its diagonal and √(A_{m−1} C_m) beside it (Golub and Welsch, 1969). A
rule of which one point is 0 (Radau's) differs in the last entry alone: there it is C_m.

For f(s) = 1/(t + s) the even derivatives are positive and the odd ones negative, so that Gauss's
rule gives too little and Radau's too much: what is between them bounds the error of either.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from budgeted.cache import remembered
from budgeted.learners.layout import Integers
from budgeted.memory import Memory
from budgeted.value.loss import Kernel, Loss

Floats = NDArray[np.float64]

_SHORT = 1_000
"""Up to so many purchases what depends on their number alone is kept, 4 MB at most."""
LEAST = 1e-290
"""Smallest count of what was not seen; dividing the largest count by it does not overflow."""
NUMBERS = (16, 24)
"""Points that are tried, until the error is at most `ENOUGH`; for larger matrices LAPACK starts
threads, which takes longer than all the rest.
"""
ENOUGH = 1e-4
"""Error of an expected loss from left-out outcomes: a tenth of what a thousand draws leave open."""
_RATIOS: Floats = np.concatenate([[0.0], np.geomspace(1e-3, 1e2, 30)])
"""Of what the other labels weigh to what this one weighs: where errors are looked at."""
_memory = Memory()


def weights(counts: Floats, totals: Floats, purchases: int) -> Floats:
    """Return P(a value is seen c times in the next `purchases`), values × (purchases + 1).

    Seen alone, a value with Dirichlet count α out of N has Beta(α, N − α) probability, so its
    number of sightings is beta-binomial: the marginal of the paper's eq. 5, with n + 1 outcomes
    where the joint outcomes of r values are C(n + r − 1, n).

    The ratio of neighbouring probabilities is elementary; summing its logarithms and dividing by
    the sum keeps full relative precision for counts from 1e-3 to 1e9, where differences of
    log-gamma functions of large counts lose half the digits.

    >>> weights(np.array([1.0, 3.0]), np.array([2.0, 4.0]), 2).round(3).tolist()
    [[0.333, 0.333, 0.333], [0.1, 0.3, 0.6]]
    """
    if not purchases:
        return np.ones((len(counts), 1))
    seen = np.arange(purchases)
    alpha = counts[:, None]
    # Never quite 0, even where the other values' counts drown in the rounding of a large one.
    beta = np.maximum(totals - counts, LEAST)[:, None]
    # P(c + 1) / P(c) = (n − c)/(c + 1) · (α + c)/(β + n − c − 1)
    ratios = np.log((alpha + seen) / (beta + seen[::-1]))
    ratios += (_kept_choices if purchases <= _SHORT else _log_choices)(purchases)
    logs = np.zeros((len(counts), purchases + 1))
    ratios.cumsum(axis=1, out=logs[:, 1:])
    logs -= logs.max(axis=1, keepdims=True)
    result: Floats = np.exp(logs, out=logs)
    result /= result.sum(axis=1, keepdims=True)
    return result


def _log_choices(purchases: int) -> Floats:
    """Return log((n − c)/(c + 1)) for each c < n: the same for all values."""
    seen = np.arange(purchases)
    result: Floats = np.log((purchases - seen) / (seen + 1))
    result.setflags(write=False)
    return result


_kept_choices = remembered(_log_choices)


@dataclass(frozen=True, eq=False)
class Outcomes:
    """What may come of the purchases of a cell, for each value of its feature."""

    after: Floats  # share of each value in some outcomes, values × outcomes
    chances: Floats  # how probable these are, or what they stand for
    error: float = 0.0


@dataclass(frozen=True, eq=False)
class Bought:
    """Purchases of a cell: Dirichlet counts of its values, and how many more are bought."""

    counts: Floats
    total: float
    purchases: int


def every_outcome(cells: Sequence[Bought]) -> list[Outcomes]:
    """Return all outcomes of the purchases of each cell."""
    found: dict[int, Outcomes] = {}
    for purchases in {each.purchases for each in cells}:
        at = [place for place, each in enumerate(cells) if each.purchases == purchases]
        counts, totals, ends = _end_to_end([cells[place] for place in at])
        after = (counts[:, None] + np.arange(purchases + 1)) / (totals + purchases)[:, None]
        chances = weights(counts, totals, purchases)
        parts = map(Outcomes, np.split(after, ends), np.split(chances, ends))
        found |= dict(zip(at, parts, strict=True))
    return [found[place] for place in range(len(cells))]


def _end_to_end(cells: Sequence[Bought]) -> tuple[Floats, Floats, Integers]:
    """Return the counts of all values of some cells, the totals, and where the next cells begin."""
    sizes = [len(each.counts) for each in cells]
    counts = np.concatenate([each.counts for each in cells])
    return counts, np.repeat([each.total for each in cells], sizes), np.cumsum(sizes)[:-1]


def side_by_side(cells: Sequence[Outcomes]) -> Outcomes:
    """Return the outcomes of several cells of a feature together, cells × values × outcomes.

    Where one has fewer than another, outcomes that never come make up for it. Errors stay with the
    single ones.
    """
    values, most = len(cells[0].after), max(each.after.shape[1] for each in cells)
    after, chances = np.ones((len(cells), values, most)), np.zeros((len(cells), values, most))
    for place, each in enumerate(cells):
        number = each.after.shape[1]
        after[place, :, :number], chances[place, :, :number] = each.after, each.chances
    return Outcomes(after, chances)


def few_outcomes(cells: Sequence[Bought], loss: Loss) -> list[Outcomes]:
    """Return outcomes that stand for all of them, for each cell; all where these are few.

    As many as keep the error below `ENOUGH`, or the most of `NUMBERS`. Of a loss that is not
    smooth, such as 0/1, all outcomes are returned.
    """
    if loss.kernel is None:
        return every_outcome(cells)
    found: dict[int, Outcomes] = {}
    waiting = list(range(len(cells)))
    for number in NUMBERS:
        small = [at for at in waiting if cells[at].purchases < number]
        found |= dict(zip(small, every_outcome([cells[at] for at in small]), strict=True))
        waiting = [at for at in waiting if cells[at].purchases >= number]
        if not waiting:
            break
        made = _by_rule([cells[at] for at in waiting], number, loss.kernel)
        found |= dict(zip(waiting, made, strict=True))
        waiting = [at for at in waiting if found[at].error > ENOUGH]
    return [found[at] for at in range(len(cells))]


def _by_rule(cells: Sequence[Bought], number: int, kernel: Kernel) -> list[Outcomes]:
    """Gauss's rule for each cell, with the error that Radau's shows; each is computed once."""
    counts, totals, ends = _end_to_end(cells)
    purchases = np.concatenate([np.full(len(each.counts), float(each.purchases)) for each in cells])

    def made(missing: list[int]) -> Floats:
        return _made(counts[missing], totals[missing], purchases[missing], number, kernel)

    values = zip(counts.tolist(), totals.tolist(), purchases.tolist(), strict=True)
    found = _memory.rows([(number, kernel, *each) for each in values], made)
    return [
        Outcomes(here[:, :number], here[:, number:-1], float(here[:, -1].sum()))
        for here in np.split(found, ends)
    ]


def _made(counts: Floats, totals: Floats, purchases: Floats, number: int, kernel: Kernel) -> Floats:
    """Shares after purchases, their chances and the error, values × all of these."""
    scale = (totals + purchases)[:, None]
    points, chances = gauss(counts, totals, purchases, number)
    others, shares = radau(counts, totals, purchases, number)
    after, beside = (counts[:, None] + points) / scale, (counts[:, None] + others) / scale
    errors = _errors(kernel, (after, chances), (beside, shares))
    return np.column_stack([after, chances, errors])


def _errors(kernel: Kernel, low: tuple[Floats, Floats], high: tuple[Floats, Floats]) -> Floats:
    """Bound the error of the expected loss for each value.

    What lies between the rules falls with the ratio t of the other labels to this one, so that
    between two places where it is looked at it is at most what it is at the first.
    """
    apart = np.stack([
        (high[1] * kernel.function(ratio + high[0])).sum(axis=1)
        - (low[1] * kernel.function(ratio + low[0])).sum(axis=1)
        for ratio in _RATIOS
    ])  # fmt: skip
    counted = kernel.weight(_RATIOS)
    most = np.maximum(counted, np.append(counted[1:], counted[-1]))
    result: Floats = (most[:, None] * np.maximum(apart, 0)).max(axis=0)
    return result


def gauss(
    counts: Floats, totals: Floats, purchases: Floats | int, number: int
) -> tuple[Floats, Floats]:
    """Return points and weights of Gauss's rule for each value, values × points.

    Of up to n + 1 points, with which nothing is left out.

    >>> points, weights = gauss(np.array([1.0]), np.array([2.0]), 300, 4)
    >>> float((weights * points).sum().round(9)), float((weights * points**2).sum().round(6))
    (150.0, 30050.0)
    """
    return _points(_jacobi(counts, totals, purchases, number))


def radau(
    counts: Floats, totals: Floats, purchases: Floats | int, number: int
) -> tuple[Floats, Floats]:
    """Return the same with 0 as one of the points, for up to n + 1 of them."""
    matrix = _jacobi(counts, totals, purchases, number)
    _, below = _recurrence(counts, totals, purchases, number)
    matrix[:, -1, -1] = below[:, -1]
    return _points(matrix)


def _recurrence(
    counts: Floats, totals: Floats, purchases: Floats | int, number: int
) -> tuple[Floats, Floats]:
    """A_m and C_m of Hahn's polynomials, values × points."""
    at = np.arange(number, dtype=float)
    alpha, total = counts[:, None], totals[:, None]
    purchases = np.reshape(purchases, (-1, 1))
    beta = np.maximum(total - alpha, LEAST)
    # What is 0 for some point comes first in each sum: of small totals nothing is lost.
    before = np.where(at > 0, ((at - 1) + total) / np.where(at > 0, (2 * at - 1) + total, 1), 1.0)
    above = before * (at + alpha) * (purchases - at) / (2 * at + total)
    late = at > 0
    below = np.zeros_like(above)
    below[:, late] = (
        at[late]
        * ((at[late] - 1) + total + purchases)
        * ((at[late] - 1) + beta)
        / ((2 * (at[late] - 1) + total) * ((2 * at[late] - 1) + total))
    )
    return above, below


def _jacobi(counts: Floats, totals: Floats, purchases: Floats | int, number: int) -> Floats:
    above, below = _recurrence(counts, totals, purchases, number)
    matrix = np.zeros((len(counts), number, number))
    place = np.arange(number)
    matrix[:, place, place] = above + below
    beside = np.sqrt(above[:, :-1] * below[:, 1:])
    matrix[:, place[1:], place[:-1]] = beside
    matrix[:, place[:-1], place[1:]] = beside
    return matrix


def _points(matrix: Floats) -> tuple[Floats, Floats]:
    points, vectors = np.linalg.eigh(matrix)
    weights: Floats = vectors[:, 0, :] ** 2
    return np.maximum(points, 0.0), weights
