r"""How strongly one feature tells the labels apart: the evidence for each strength.

A feature has shares m of its values in common, m ~ Dirichlet(β, …, β), and shares θ_j among cases
of label j. Either all θ_j are m, and the feature is irrelevant; or they scatter about m::

    θ_j ~ Dirichlet(κ m),    κ = τ (r − 1)

where r is the number of values and τ the level: 16 is weak, 1/4 is strong. With r − 1 in it, a
feature that nobody has looked at does not look promising for having many values: the expected χ²
between two labels is 2 (r − 1)/(κ + 1) = 2/(τ + 1/(r − 1)). Of a weak feature that is the same for
any r; of a strong one it rises with r, but to no more than 2/τ.

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

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from budgeted.belief import Floats
from budgeted.special import digamma, log_gamma, log_rising, trigamma

_ROUNDS = 3
"""How often the expected number of draws is brought in line with the mean; more changes little."""


class Strengths(NamedTuple):
    """What the counts of features with r values say, by evenness β and by level.

    Attributes
    ----------
    logs
        Log-probability of the counts, features × β × (irrelevant, then each level).
    draws
        Dirichlet counts of the common shares after the counts were seen, the same × r.
    concentrations
        κ of each level.
    """

    logs: Floats
    draws: Floats
    concentrations: Floats


def strengths(counts: Floats, evenness: Sequence[float], levels: Sequence[float]) -> Strengths:
    """Return what counts, features × labels × values, say of the strength of each feature.

    Examples
    --------
    Two and two values that fit their labels speak for a strong feature:

    >>> found = strengths(np.array([[[2.0, 0.0], [0.0, 2.0]]]), [1.0], [16.0, 4.0, 1.0, 0.25])
    >>> (found.logs[0, 0] - found.logs[0, 0, 0]).round(2).tolist()
    [0.0, 0.15, 0.48, 1.0, 1.4]
    """
    features, _, size = counts.shape
    pooled = counts.sum(axis=1)
    kappa = np.asarray(levels, dtype=float) * (size - 1)
    logs = np.empty((features, len(evenness), 1 + len(levels)))
    draws = np.empty((*logs.shape, size))
    for at, beta in enumerate(evenness):
        draws[:, at, 0] = pooled + beta
        logs[:, at, 0] = _dirichlet_multinomial(np.full_like(pooled, beta), pooled)
        shares = _common_shares(counts, kappa, beta)
        draws[:, at, 1:] = shares * _total(counts, kappa, beta, shares)
        like = _dirichlet_multinomial(
            (kappa[:, None] * shares)[:, :, None], counts[:, None]
        ).sum(axis=-1)  # fmt: skip
        prior = np.full(size, float(beta))
        logs[:, at, 1:] = like + _log_density(shares, prior) - _log_density(
            shares, draws[:, at, 1:]
        )  # fmt: skip
    return Strengths(logs, draws, kappa)


def _common_shares(counts: Floats, kappa: Floats, beta: float) -> Floats:
    """Mean of the common shares, by the expected number of draws, features × levels × values."""
    pooled = counts.sum(axis=1)
    draws = np.broadcast_to((pooled + beta)[:, None], (len(counts), len(kappa), counts.shape[-1]))
    for _ in range(_ROUNDS):
        prior = (kappa[:, None] * draws / draws.sum(axis=-1, keepdims=True))[:, :, None]
        draws = beta + (prior * (digamma(prior + counts[:, None]) - digamma(prior))).sum(axis=2)
    result: Floats = draws / draws.sum(axis=-1, keepdims=True)
    return result


def _total(counts: Floats, kappa: Floats, beta: float, shares: Floats) -> Floats:
    """Sum of the Dirichlet counts whose density is as curved as the posterior at some shares.

    In the coordinates η of m = softmax(η), −∂²/∂η_k² of log Dirichlet(A m), summed over k, is
    A (1 − Σ m_k²); that of the posterior at its mode is Σ C_k (1 − 2 m_k) + Σ C_k Σ m_k², where
    C_k = β + Σ_j (κ m_k)² [ψ′(κ m_k) − ψ′(κ m_k + c_jk)].
    """
    prior = (kappa[:, None] * shares)[:, :, None]
    change = trigamma(prior) - trigamma(prior + counts[:, None])
    curved = beta + (prior**2 * change).sum(axis=2)
    squares = (shares**2).sum(axis=-1)
    whole = (curved * (1 - 2 * shares)).sum(axis=-1) + curved.sum(axis=-1) * squares
    result: Floats = (whole / (1 - squares))[..., None]
    return result


def _dirichlet_multinomial(prior: Floats, counts: Floats) -> Floats:
    """Log-probability of counts in a given order, over the last axis."""
    values = log_rising(prior, counts).sum(axis=-1)
    result: Floats = values - log_rising(prior.sum(axis=-1), counts.sum(axis=-1))
    return result


def _log_density(shares: Floats, counts: Floats) -> Floats:
    """Log-density of a Dirichlet distribution at some shares."""
    norm = log_gamma(counts.sum(axis=-1)) - log_gamma(counts).sum(axis=-1)
    result: Floats = norm + ((counts - 1) * np.log(shares)).sum(axis=-1)
    return result
