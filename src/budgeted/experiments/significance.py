"""Does a difference count? Paired tests, corrected for their number, and ranks.

All p-values are two-sided. What SciPy's tests would say; its special functions load in less time.

>>> import numpy as np
>>> differences = np.array([0.05, 0.03, 0.07, 0.02, 0.04])
>>> round(paired_t(differences), 4), wilcoxon(differences)
(0.0081, 0.0625)
>>> [round(each, 3) for each in holm([0.01, 0.04, 0.03])]
[0.03, 0.06, 0.06]
"""

from __future__ import annotations

from collections.abc import Sequence
from math import erfc, isnan, nan, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, stdtr, stdtrit

Floats = NDArray[np.float64]

_SAME = 12
"""Decimals beyond which two numbers are the same but for rounding."""
_MOST_EXACT = 50
"""So many differences at most have Wilcoxon's distribution counted out, as in SciPy."""


def paired_t(differences: Floats) -> float:
    """Return the p-value of Student's t-test that paired differences have the mean zero.

    Of differences that are all the same it is 1 if they are zero, and 0 if they are not.
    """
    rounded = np.round(differences, _SAME)
    number = len(rounded)
    if number < 2 or not np.isfinite(rounded).all():
        return nan
    spread = float(rounded.std(ddof=1))
    if spread <= 0:
        return 1.0 if rounded[0] == 0 else 0.0
    return t_tails(float(rounded.mean()) / spread * sqrt(number), number - 1)


def t_tails(statistic: float, freedom: float) -> float:
    """Return how probable Student's t is at least so far from zero.

    >>> round(t_tails(2.0, 10), 4)
    0.0734
    """
    return float(2 * stdtr(freedom, -abs(statistic)))


def t_within(confidence: float, freedom: float) -> float:
    """Return how far either side Student's t is with a probability.

    >>> round(t_within(0.95, 10), 4)
    2.2281
    """
    return float(stdtrit(freedom, (1 + confidence) / 2))


def wilcoxon(differences: Floats) -> float:
    """Return the p-value of Wilcoxon's signed-rank test; differences of zero are left out.

    Counted out for up to 50 differences without ties and zeros, else by the normal distribution
    with the correction for ties: Wilcoxon, *Individual comparisons by ranking methods*, Biometrics
    Bulletin 1 (1945). Where nothing differs it is 1.
    """
    rounded = np.round(differences, _SAME)
    if not np.isfinite(rounded).all() or not len(rounded):
        return nan
    found = rounded[rounded != 0]
    number = len(found)
    if number == 0:
        return 1.0
    ranks = ranked(np.abs(found))
    plus = float(ranks[found > 0].sum())
    most = number * (number + 1) / 2
    _, ties = np.unique(ranks, return_counts=True)
    if number == len(rounded) and number <= _MOST_EXACT and (ties == 1).all():
        ways = np.zeros(int(most) + 1)  # of each sum of ranks
        ways[0] = 1.0
        for rank in range(1, number + 1):
            ways[rank:] += ways[:-rank].copy()
        least = int(min(plus, most - plus))
        return min(1.0, 2 * float(ways[: least + 1].sum()) / 2.0**number)
    variance = number * (number + 1) * (2 * number + 1) / 24 - float((ties**3 - ties).sum()) / 48
    return erfc(abs(plus - most / 2) / sqrt(variance) / sqrt(2)) if variance > 0 else 1.0


def holm(values: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number; NaN stays and is not counted.

    The chance that any of them is at most so small, if nothing differs, is at most that: Holm, *A
    simple sequentially rejective multiple test procedure*, Scandinavian Journal of Statistics 6
    (1979).
    """
    there = [at for at, value in enumerate(values) if not isnan(value)]
    corrected = [nan] * len(values)
    least = 0.0
    for passed, at in enumerate(sorted(there, key=lambda at: values[at])):
        least = max(least, min(1.0, (len(there) - passed) * values[at]))
        corrected[at] = least
    return corrected


def ranked(numbers: Floats) -> Floats:
    """Return the ranks of numbers from 1, the mean rank where they tie.

    >>> ranked(np.array([0.3, 0.1, 0.3, 0.2])).tolist()
    [3.5, 1.0, 3.5, 2.0]
    """
    _, at, counts = np.unique(np.round(numbers, _SAME), return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    result: Floats = (ends - (counts - 1) / 2)[at]
    return result


def friedman(ranks: Floats) -> float:
    """Return the p-value of Friedman's test that no column ranks better than others.

    With the correction for ties: Friedman, *The use of ranks to avoid the assumption of normality
    implicit in the analysis of variance*, JASA 32 (1937); rows are tables, columns policies.

    >>> round(friedman(np.array([[1, 2, 3], [1, 3, 2], [1, 2, 3.0]])), 4)
    0.097
    """
    rows, columns = ranks.shape
    if rows < 2 or columns < 2:
        return nan
    tied = 0.0
    for row in ranks:
        counts = np.unique(row, return_counts=True)[1]
        tied += float((counts**3 - counts).sum())
    correction = 1 - tied / (rows * columns * (columns**2 - 1))
    if correction <= 0:
        return 1.0
    total = float((ranks.sum(axis=0) ** 2).sum())
    statistic = 12 * total / (rows * columns * (columns + 1)) - 3 * rows * (columns + 1)
    return float(chdtrc(columns - 1, statistic / correction))


class Pair(NamedTuple):
    """Two columns of ranks, the better one first, and the p-value of their difference."""

    one: int
    other: int
    p: float
    corrected: float


def rank_pairs(scores: Floats) -> list[Pair]:
    """Return Wilcoxon's test of each two columns over the rows, corrected by Holm.

    As Benavoli, Corani and Mangili advise (*Should we really use post-hoc tests based on
    mean-ranks?*, JMLR 17, 2016): whether two policies differ must not depend on the others.
    """
    order = np.argsort(np.apply_along_axis(ranked, 1, scores).mean(axis=0), kind="stable").tolist()
    pairs = [(one, other) for at, one in enumerate(order) for other in order[at + 1 :]]
    values = [wilcoxon(scores[:, one] - scores[:, other]) for one, other in pairs]
    corrected = holm(values)
    return [Pair(*pair, p, q) for pair, p, q in zip(pairs, values, corrected, strict=True)]


def cliques(order: Sequence[int], pairs: Sequence[Pair], level: float) -> list[tuple[int, ...]]:
    """Return the longest stretches of an order in which no two differ: what a diagram joins.

    >>> pairs = [Pair(0, 1, 0.5, 0.5), Pair(0, 2, 0.01, 0.03), Pair(1, 2, 0.2, 0.4)]
    >>> cliques([0, 1, 2], pairs, 0.05)
    [(0, 1), (1, 2)]
    """
    apart = {frozenset((each.one, each.other)) for each in pairs if each.corrected < level}
    found: list[tuple[int, ...]] = []
    reached = 0
    for begin in range(len(order)):
        end = begin + 1
        while end < len(order) and not any(
            frozenset((order[end], order[each])) in apart for each in range(begin, end)
        ):
            end += 1
        if end - begin > 1 and end > reached:
            found.append(tuple(order[begin:end]))
            reached = end
    return found
