"""A belief for the classifier: it learns how *strongly* features tell the labels apart.

With few values per feature, chance makes labels look different, the more so the more values a
feature has. A plain belief takes such differences at their word; a belief in which a feature either
matters or does not (`budgeted.relevance`) takes them at their word or not at all. Real features
mostly lie between: what is frequent under one label is frequent under the other, a little more or a
little less. So here each feature is of one of five kinds::

    irrelevant   θ_j = m                 the shares of the values are the same under all labels
    weak         θ_j ~ Dirichlet(30 m)   close to what they are under all labels together
    moderate     θ_j ~ Dirichlet(8 m)    less close
    strong       θ_j ~ Dirichlet(2 m)    far apart, but the same values are rare under all labels
    its own      θ_j ~ Dirichlet(α)      each label for itself, as in the plain belief

m is estimated from the values under all labels. How many features are of which kind is learned from
all of them, with one imagined feature of each kind to begin with; and with probability 1/3 every
feature has its own shares, as where a relevance-aware belief starts. docs/benchmark.md tells how
these numbers were chosen. Buying does not use this belief: looking ahead under it would need the
outcomes of all labels at once, where the other beliefs need those of one.

A feature whose prior counts are not all the same number is known to somebody: it has its own
shares, and says nothing about the others.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from budgeted.belief import Belief, Floats
from budgeted.relevance import ALL_RELEVANT, log_gamma

CLOSENESS = (30.0, 8.0, 2.0)
"""How many values' worth the shares under all labels count for one label, from weak to strong."""
SMOOTHING = 2.0
"""Prior counts of the shares under all labels add up to so much."""
KINDS = ("irrelevant", "weak", "moderate", "strong", "its own")
_ROUNDS = 30
"""Of estimating in turn the kinds of the features, and how many there are of each."""


class StrengthBelief(Belief):
    """What is known if features may tell the labels apart strongly, weakly or not at all.

    Examples
    --------
    One value of a feature that has many says little, even if the other label has shown others:

    >>> from budgeted import Feature, Problem
    >>> problem = Problem([Feature("town", tuple("abcdefgh"), 1)], ("well", "ill"), (0.5, 0.5), 9)
    >>> first = StrengthBelief.prior(problem)
    >>> seen = first.observe("town", "well", "a").observe("town", "ill", "b")
    >>> (seen.mean("town")[1, 1] / seen.mean("town")[0, 1]).round(2).tolist()
    1.6

    With more values it becomes clear how different the labels are:

    >>> more = seen.observe("town", "well", "a", times=20).observe("town", "ill", "b", times=20)
    >>> (more.mean("town")[1, 1] / more.mean("town")[0, 1]).round(1).tolist()
    22.7
    >>> more.kinds[0].round(2).tolist()
    [0.0, 0.0, 0.0, 1.0, 0.0]
    """

    @cached_property
    def kinds(self) -> Floats:
        """For each feature the probability that it is of each kind, features × kinds."""
        return self._mixed(np.array([parts.log_evidence for parts in self._parts]))

    @cached_property
    def means(self) -> Floats:
        """Posterior mean of every parameter, labels × values."""
        each = [
            np.tensordot(kinds, parts.means, 1)
            for kinds, parts in zip(self.kinds, self._parts, strict=True)
        ]
        result: Floats = np.concatenate(each, axis=1)
        result.setflags(write=False)
        return result

    def left_out(self) -> Floats:
        """Return what the other cases say of a case's own value; see `Belief.left_out`.

        How many features are of each kind is not estimated anew for each value that is left out.
        """
        logs = np.concatenate([parts.left_log_evidence for parts in self._parts], axis=1)
        shares = np.concatenate([parts.left_shares for parts in self._parts], axis=1)
        result: Floats = np.log(np.einsum("jvk,jvkl->jvl", self._mixed(logs), shares))
        return result

    def sample(self, rng: np.random.Generator) -> Floats:
        """Draw parameters: whether all features have their own shares, else each one's kind."""
        shares, all_own = self._kind_shares
        drawn = super().sample(rng)  # as if all had
        if rng.random() < all_own:
            return drawn
        for at, parts in enumerate(self._parts):
            kind = int(rng.choice(len(KINDS), p=_normalised(parts.log_evidence + np.log(shares))))
            columns = self.columns(at)
            seen = self.observed[:, columns]
            if kind == 0:
                smooth = SMOOTHING / seen.shape[1]
                drawn[:, columns] = rng.dirichlet(seen.sum(axis=0) + smooth)
            elif kind <= len(CLOSENESS):
                near = CLOSENESS[kind - 1] * parts.means[0]
                drawn[:, columns] = [rng.dirichlet(row) for row in seen + near]
        return drawn

    @cached_property
    def _parts(self) -> tuple[_Feature, ...]:
        """Of each feature what does not depend on the others; remembered, as most stay the same."""
        columns = [self.columns(at) for at in range(len(self.problem.features))]
        return tuple(
            _feature(
                self.observed[:, at].tobytes(),
                self.alpha[:, at].tobytes(),
                len(self.problem.labels),
            )
            for at in columns
        )

    @cached_property
    def _kind_shares(self) -> tuple[Floats, float]:
        """How many features are of each kind, and the probability that all have their own shares.

        The shares maximise the likelihood times Π share, in which equal shares count for one:
        expectation and maximisation in turn. What that gives is compared with the likelihood that
        all are of the last kind.
        """
        logs = np.array([parts.log_evidence for parts in self._parts])
        logs = logs[np.isfinite(logs[:, 0])]  # without those that are known to somebody
        shares = np.full(len(KINDS), 1 / len(KINDS))
        for _ in range(_ROUNDS):
            shares = 1 + _normalised(logs + np.log(shares)).sum(axis=0)
            shares /= shares.sum()
        mixed = np.logaddexp.reduce(logs + np.log(shares), axis=1).sum()
        mixed += np.log(shares * len(KINDS)).sum() + np.log(1 - ALL_RELEVANT)
        all_own = logs[:, -1].sum() + np.log(ALL_RELEVANT)
        return shares, float(np.exp(all_own - np.logaddexp(all_own, mixed)))

    def _mixed(self, logs: Floats) -> Floats:
        """Turn evidence (… × kinds) into probabilities of kinds."""
        shares, all_own = self._kind_shares
        result: Floats = (1 - all_own) * _normalised(logs + np.log(shares))
        result[..., -1] += all_own
        return result


class _Feature(NamedTuple):
    """Of one feature: the evidence and the parameters of each kind, and those without one value.

    `left_shares` is kinds × labels for each label and value that was seen: how frequent that value
    is under each label, in the eyes of the others.
    """

    log_evidence: Floats
    means: Floats
    left_log_evidence: Floats
    left_shares: Floats


@lru_cache(maxsize=4096)
def _feature(observed: bytes, alpha: bytes, labels: int) -> _Feature:
    counts = np.frombuffer(observed, dtype=np.int64).reshape(labels, -1)
    prior = np.frombuffer(alpha).reshape(labels, -1)
    values = counts.shape[1]
    # As it is, and then once for each label and value that was seen, without one of them.
    seen = np.flatnonzero(counts)
    without = np.tile(counts.ravel(), (1 + len(seen), 1))
    without[np.arange(1, len(without)), seen] -= 1
    logs, means = _by_kind(without.reshape(-1, labels, values).astype(float), prior)
    left_logs = np.zeros((counts.size, len(KINDS)))
    left_logs[seen] = logs[1:]
    left_shares = np.ones((counts.size, len(KINDS), labels))
    left_shares[seen] = means[np.arange(1, len(means)), :, :, seen % values]
    shape = (labels, values, len(KINDS))
    return _Feature(
        logs[0].copy(),  # else all of it would be kept
        means[0].copy(),
        left_logs.reshape(shape),
        left_shares.reshape(*shape, labels),
    )


def _by_kind(counts: Floats, prior: Floats) -> tuple[Floats, Floats]:
    """Log evidence relative to the first kind (… × kinds), means (… × kinds × labels × values).

    The kinds that are close to the common shares are compared with these as they are estimated;
    the last kind with common shares that are averaged over.
    """
    totals, together = counts.sum(axis=-1), counts.sum(axis=-2)
    smooth = SMOOTHING / counts.shape[-1]
    common = (together + smooth) / (together.sum(axis=-1, keepdims=True) + SMOOTHING)
    common = np.broadcast_to(common[:, None], counts.shape)
    logs, means = [np.zeros(len(counts))], [common]
    as_common = (counts * np.log(common)).sum(axis=(-2, -1))
    for close in CLOSENESS:
        near = close * common
        logs.append(_log_marginal(near, counts, np.full_like(totals, close)) - as_common)
        means.append((counts + near) / (totals[..., None] + close))
    pooled = prior.mean(axis=0)
    alone = _log_marginal(prior, counts, prior.sum(axis=-1))
    logs.append(alone - _log_marginal(pooled, together[:, None], pooled.sum()))
    means.append((counts + prior) / (totals + prior.sum(axis=-1))[..., None])
    evidence = np.stack(logs, axis=-1)
    if (prior != prior.flat[0]).any():
        evidence[..., :-1] = -np.inf
    return evidence, np.stack(means, axis=-3)


def _log_marginal(prior: Floats, counts: Floats, total: Floats | float) -> Floats:
    """Log-probability of the counts of each label, added up over labels."""
    values = (log_gamma(counts + prior) - log_gamma(prior)).sum(axis=-1)
    each = values + log_gamma(np.asarray(total)) - log_gamma(total + counts.sum(axis=-1))
    result: Floats = each.sum(axis=-1)
    return result


def _normalised(logs: Floats) -> Floats:
    result: Floats = np.exp(logs - np.logaddexp.reduce(logs, axis=-1, keepdims=True))
    return result
