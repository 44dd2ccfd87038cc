"""What the values of one feature say about the kind that it is of, and its parameters if it is.

The kinds are those of `research.quality.former.strength`, which weighs them for all features together. Here is
what does not depend on the other features, and so is remembered: a purchase changes one feature.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from budgeted.cache import remembered
from budgeted.learners.belief import Floats
from budgeted.learners.special import log_gamma

CLOSENESS = (30.0, 8.0, 2.0)
"""How many values' worth the shares under all labels count for one label, from weak to strong."""
SMOOTHING = 2.0
"""Prior counts of the shares under all labels add up to so much."""
KINDS = ("irrelevant", "weak", "moderate", "strong", "its own")
CONCENTRATIONS = (0.0, 0.5, 1.0)
"""Prior counts of a label's own shares that add up to n, above 1, are made to add up to n to the
power of 1 minus this: as they are stated, between, and 1 in all.
"""


class Evidence(NamedTuple):
    """Log-probabilities of the values of a feature, or of many.

    Attributes
    ----------
    near
        If it is of each kind but the last, relative to the first, … × kinds − 1.
    own
        Of the values of each label, if it has its own shares, at each scale, … × labels × scales.
    pooled
        Of all values together if they come from the same shares, at each scale, … × scales.
    """

    near: Floats
    own: Floats
    pooled: Floats


class OneFeature(NamedTuple):
    """Of one feature: the evidence and the parameters of each kind, and those without one value.

    `near` is kinds − 1 × labels × values, `own` scales × labels × values. What is left has a row
    for each value of each label that was seen, and says how frequent it is under each label in the
    eyes of the others: `left_near` is … × kinds − 1 × labels, `left_own` … × scales × labels.
    """

    evidence: Evidence
    near: Floats
    own: Floats
    left_evidence: Evidence
    left_near: Floats
    left_own: Floats


@remembered
def one_feature(observed: bytes, alpha: bytes, labels: int) -> OneFeature:
    """Return what these counts and prior counts, labels × values, say."""
    counts = np.frombuffer(observed, dtype=np.int64).reshape(labels, -1)
    prior = np.frombuffer(alpha).reshape(labels, -1)
    values = counts.shape[1]
    # As it is, and then once for each label and value that was seen, without one of them.
    seen = np.flatnonzero(counts)
    without = np.tile(counts.ravel(), (1 + len(seen), 1))
    without[np.arange(1, len(without)), seen] -= 1
    evidence, near, own = _weighed(without.reshape(-1, labels, values).astype(float), prior)
    each, value = np.arange(1, len(without)), seen % values
    return OneFeature(
        Evidence(*(found[0].copy() for found in evidence)),  # else all of it would be kept
        near[0].copy(),
        own[0].copy(),
        Evidence(*(found[1:].copy() for found in evidence)),
        near[each, :, :, value],
        own[each, :, :, value],
    )


@remembered
def as_foretold(came: bytes, alpha: bytes, labels: int) -> tuple[Evidence, Floats, Floats]:
    """Of values (label, value) of a feature, as they came: the evidence before each, and its share.

    The latter of the kinds but the last, … × kinds − 1 × labels, and at each scale of the last.
    """
    prior = np.frombuffer(alpha).reshape(labels, -1)
    label, value = np.frombuffer(came, dtype=np.int64).reshape(-1, 2).T
    each = np.arange(len(value))
    counts = np.zeros((len(value), *prior.shape))
    counts[each[1:], label[:-1], value[:-1]] = 1
    evidence, near, own = _weighed(counts.cumsum(axis=0), prior)
    return evidence, near[each, :, :, value], own[each, :, :, value]


def _weighed(counts: Floats, prior: Floats) -> tuple[Evidence, Floats, Floats]:
    """Evidence of a feature, and its parameters if of the kinds but the last, and of the last."""
    near_logs, near = _near(counts)
    own_logs, pooled_logs, own = _own(counts, prior)
    if (prior != prior.flat[0]).any():
        near_logs[:] = own_logs[..., 1:] = pooled_logs[:, 1:] = -np.inf
    return Evidence(near_logs, own_logs, pooled_logs), near, own


def _near(counts: Floats) -> tuple[Floats, Floats]:
    """Log evidence of the kinds but the last, … × kinds − 1, and means, … × labels × values.

    These kinds are close to the common shares, and compared with these as they are estimated.
    """
    totals, together = counts.sum(axis=-1), counts.sum(axis=-2)
    smooth = SMOOTHING / counts.shape[-1]
    common = (together + smooth) / (together.sum(axis=-1, keepdims=True) + SMOOTHING)
    common = np.broadcast_to(common[:, None], counts.shape)
    logs, means = [np.zeros(len(counts))], [common]
    as_common = (counts * np.log(common)).sum(axis=(-2, -1))
    for close in CLOSENESS:
        near = close * common
        each = _log_marginal(near, counts, np.full_like(totals, close)).sum(axis=-1)
        logs.append(each - as_common)
        means.append((counts + near) / (totals[..., None] + close))
    return np.stack(logs, axis=-1), np.stack(means, axis=-3)


def _own(counts: Floats, prior: Floats) -> tuple[Floats, Floats, Floats]:
    """For its own shares at each scale: log evidence, that of common shares, and means."""
    totals, together = counts.sum(axis=-1, keepdims=True), counts.sum(axis=-2)
    logs, same, means = [], [], []
    for scale in scales_of(prior):
        own, pooled = scale * prior, scale * prior.mean(axis=0)
        logs.append(_log_marginal(own, counts, own.sum(axis=-1)))
        same.append(_log_marginal(pooled, together, pooled.sum()))
        means.append((counts + own) / (totals + own.sum(axis=-1, keepdims=True)))
    return np.stack(logs, axis=-1), np.stack(same, axis=-1), np.stack(means, axis=-3)


def scales_of(prior: Floats) -> list[float]:
    """By what the prior counts of a feature, … × values, are multiplied; never made more.

    >>> np.round(scales_of(np.ones((2, 9))), 2).tolist()
    [1.0, 0.33, 0.11]
    """
    total = max(float(prior.sum(axis=-1).mean()), 1.0)
    return [total**-each for each in CONCENTRATIONS]


def _log_marginal(prior: Floats, counts: Floats, total: Floats | float) -> Floats:
    """Log-probability of counts, … × values, under Dirichlet priors that add up to `total`."""
    values = (log_gamma(counts + prior) - log_gamma(prior)).sum(axis=-1)
    result: Floats = values + log_gamma(np.asarray(total)) - log_gamma(total + counts.sum(axis=-1))
    return result


def joined(evidence: Sequence[Evidence]) -> Evidence:
    """Put evidence that has rows already below each other."""
    return Evidence(*map(np.concatenate, zip(*evidence, strict=True)))
