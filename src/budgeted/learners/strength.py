r"""How strongly one feature tells the labels apart: the evidence for each strength.

A feature has shares m of its values in common, m ~ Dirichlet(β, …, β), and shares θ_j among cases
of label j. Either all θ_j are m, and the feature is irrelevant; or they scatter about m::

    θ_j ~ Dirichlet(κ m),    κ = τ √(r − 1)

where r is the number of values and τ the level: 16 is weak, 1/4 is strong. The root lies between
two mistakes. With the same κ for all, a feature of many values would look promising for nothing
else; with r − 1 in its place all would be equally good once they are known, but one of many values
takes longer to know, and nobody would begin with it. (In the tables that people collect, features
of many values say somewhat more.)

The probability of the observed counts under a level has no closed form, because m is unknown. It
is computed by the candidate's formula, P(c) = P(c | m) P(m) / P(m | c), which holds at every m if
P(m | c) is known; here it is approximated by a Dirichlet distribution. Its mean is that of
Dirichlet(β + t), where t is the expected number of draws from m behind the counts ("tables" of the
Chinese restaurant franchise, Teh et al., 2006); its total has the curvature of the likelihood
there. The formula is used at the mean, where the approximation is best.

Besag, *A candidate's formula*, Biometrika 76 (1989). Teh, Jordan, Beal and Blei, *Hierarchical
Dirichlet processes*, JASA 101 (2006).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from budgeted.learners.belief import Floats, Integers
from budgeted.learners.special import (
    digamma_rising,
    log_gamma,
    log_rising,
    log_rising_ordered,
    log_rising_whole,
    trigamma_falling,
)
from budgeted.memory import Memory

_FEW = 1_000
"""Up to so many values of a label, a table of sums is faster than the gamma function."""
_ROUNDS = 3
"""How often the expected number of draws is brought in line with the mean; more changes little."""


class Strengths(NamedTuple):
    """What the counts of features with r values say, by evenness β and by level."""

    logs: Floats  # log-probability of the counts, features × β × (irrelevant, then each level)
    draws: Floats  # Dirichlet counts of the common shares after the counts were seen, the same × r
    concentrations: Floats  # κ of each level


def strengths(counts: Floats, evenness: Sequence[float], levels: Sequence[float]) -> Strengths:
    """Return what counts, features × labels × values, say of the strength of each feature.

    Two and two values that fit their labels speak for a strong feature:

    >>> found = strengths(np.array([[[2.0, 0.0], [0.0, 2.0]]]), [1.0], [16.0, 4.0, 1.0, 0.25])
    >>> (found.logs[0, 0] - found.logs[0, 0, 0]).round(2).tolist()
    [0.0, 0.15, 0.48, 1.0, 1.4]
    """
    features, _, size = counts.shape
    pooled = counts.sum(axis=1)
    kappa = _concentrations(levels, size)
    # All pairs of a β and a level in one go, β by β.
    betas = np.repeat(np.asarray(evenness, dtype=float), len(kappa))
    kappas = np.tile(kappa, len(evenness))
    seen = _Seen.of(counts, len(kappa) * len(evenness))
    shares = _common_shares(seen, pooled, kappas, betas)
    after = shares * _total(seen, kappas, betas, shares)
    like = over_values(seen.added(log_rising_ordered, kappas, shares))
    like -= np.tile(_log_totals(counts.sum(axis=2), kappa), len(evenness))
    # Both densities in one: log m stands in each of them.
    scattered = like + np.repeat(_log_norms(tuple(evenness), size), len(kappa)) - _log_norm(after)
    scattered += over_values((betas[:, None] - after) * np.log(shares))
    logs = np.empty((features, len(evenness), 1 + len(levels)))
    draws = np.empty((*logs.shape, size))
    logs[:, :, 1:] = scattered.reshape(features, len(evenness), -1)
    draws[:, :, 1:] = after.reshape(features, len(evenness), -1, size)
    logs[:, :, 0] = _log_irrelevant(pooled, np.asarray(evenness)).T
    draws[:, :, 0] = pooled[:, None] + np.asarray(evenness)[:, None]
    return Strengths(logs, draws, kappa)


_memory = Memory()


def remembered_strengths(
    counts: Floats, evenness: Sequence[float], levels: Sequence[float]
) -> Strengths:
    """Return what `strengths` does; of features whose counts were seen before, from memory.

    From one purchase to the next the counts of one feature change.
    """
    features, _, size = counts.shape
    parts = len(evenness), 1 + len(levels)
    keys = [(tuple(evenness), tuple(levels), size, each.tobytes()) for each in counts]

    def compute(missing: list[int]) -> Floats:
        found = strengths(counts[missing], evenness, levels)
        return np.concatenate([found.logs[..., None], found.draws], axis=-1)

    rows = _memory.rows(keys, compute).reshape(features, *parts, 1 + size)
    kappa = _concentrations(levels, size)
    return Strengths(rows[..., 0], rows[..., 1:], kappa)


def over_values(numbers: Floats) -> Floats:
    """Sum over the last axis, which is short: a product of matrices is faster than `sum` there."""
    result: Floats = numbers @ np.ones(numbers.shape[-1])
    return result


def _concentrations(levels: Sequence[float], size: int) -> Floats:
    """Return κ of each level for a feature of so many values."""
    result: Floats = np.asarray(levels, dtype=float) * np.sqrt(size - 1)
    return result


@dataclass(frozen=True)
class _Seen:
    """The counts that are not 0, which are few where features have many values; largest first."""

    feature: Integers
    value: Integers
    counts: Floats
    place: Integers  # where it stands in levels × features × values, counts × levels
    shape: tuple[int, int, int]  # of all, levels × features × values

    @classmethod
    def of(cls, counts: Floats, levels: int) -> _Seen:
        feature, label, value = np.nonzero(counts)
        found = counts[feature, label, value]
        order = np.argsort(-found, kind="stable")
        feature, value = feature[order], value[order]
        features, _, size = counts.shape
        place = (feature * size + value)[:, None] + features * size * np.arange(levels)
        return cls(feature, value, found[order], place.ravel(), (levels, features, size))

    def added(
        self, term: Callable[[Floats, Floats], Floats], kappa: Floats, shares: Floats
    ) -> Floats:
        """Return the sum over labels of a term of (κ m, count), features × levels × values.

        The term must be 0 where the count is.
        """
        terms = term(kappa * shares[self.feature, :, self.value], self.counts)
        summed = np.bincount(self.place, terms.ravel(), minlength=math.prod(self.shape))
        # Of nothing at all NumPy returns whole numbers.
        result: Floats = summed.astype(float, copy=False).reshape(self.shape).swapaxes(0, 1)
        return result


def _common_shares(seen: _Seen, pooled: Floats, kappa: Floats, beta: Floats) -> Floats:
    """Mean of the common shares, by the expected number of draws, features × levels × values."""
    draws = pooled[:, None] + beta[:, None]
    for _ in range(_ROUNDS):
        draws = beta[:, None] + seen.added(
            _expected_draws, kappa, draws / over_values(draws)[..., None]
        )
    result: Floats = draws / over_values(draws)[..., None]
    return result


def _expected_draws(prior: Floats, counts: Floats) -> Floats:
    result: Floats = prior * digamma_rising(prior, counts)
    return result


def _curvature(prior: Floats, counts: Floats) -> Floats:
    result: Floats = prior**2 * trigamma_falling(prior, counts)
    return result


def _total(seen: _Seen, kappa: Floats, beta: Floats, shares: Floats) -> Floats:
    """Sum of the Dirichlet counts whose density is as curved as the posterior at some shares.

    In the coordinates η of m = softmax(η), −∂²/∂η_k² of log Dirichlet(A m), summed over k, is
    A (1 − Σ m_k²); that of the posterior at its mode is Σ C_k (1 − 2 m_k) + Σ C_k Σ m_k², where
    C_k = β + Σ_j (κ m_k)² [ψ′(κ m_k) − ψ′(κ m_k + c_jk)].
    """
    curved = beta[:, None] + seen.added(_curvature, kappa, shares)
    squares = over_values(shares**2)
    whole = over_values(curved * (1 - 2 * shares)) + over_values(curved) * squares
    result: Floats = (whole / (1 - squares))[..., None]
    return result


def _log_totals(totals: Floats, kappa: Floats) -> Floats:
    """What the numbers of values of each label say, features × levels."""
    if totals.max(initial=0) > _FEW:
        each = log_rising(kappa[:, None, None], totals)
    else:
        each = log_rising_whole(kappa, totals)
    result: Floats = each.sum(axis=2).T
    return result


def _log_irrelevant(pooled: Floats, beta: Floats) -> Floats:
    """Log-probability of counts of all labels together, in a given order, β × features."""
    values = over_values(log_rising_whole(beta, pooled))
    result: Floats = values - log_rising_whole(beta * pooled.shape[-1], over_values(pooled))
    return result


@lru_cache(maxsize=64)
def _log_norms(evenness: tuple[float, ...], size: int) -> Floats:
    """Return `_log_norm` of as many counts of β, for each β."""
    result = _log_norm(np.repeat(np.array(evenness)[:, None], size, axis=1))
    result.setflags(write=False)
    return result


def _log_norm(counts: Floats) -> Floats:
    """Logarithm of the factor that makes a Dirichlet density one, over the last axis."""
    result: Floats = log_gamma(over_values(counts)) - over_values(log_gamma(counts))
    return result
