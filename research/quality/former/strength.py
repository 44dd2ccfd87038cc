"""A belief for the classifier: it learns how *strongly* features tell the labels apart.

With few values per feature, chance makes labels look different, the more so the more values a
feature has. A plain belief takes such differences at their word; a belief in which a feature either
matters or does not (`research.quality.former.relevance`) takes them at their word or not at all. Real features
mostly lie between: what is frequent under one label is frequent under the other, a little more or a
little less. So here each feature is of one of five kinds::

    irrelevant   θ_j = m                 the shares of the values are the same under all labels
    weak         θ_j ~ Dirichlet(30 m)   close to what they are under all labels together
    moderate     θ_j ~ Dirichlet(8 m)    less close
    strong       θ_j ~ Dirichlet(2 m)    far apart, but the same values are rare under all labels
    its own      θ_j ~ Dirichlet(c_j α)  each label for itself

m is estimated from the values under all labels. α are the problem's prior counts. If c_j is 1,
these count as in the plain belief; if it is small, few values are frequent under label j, so that
one that was never seen is rare. For each label c_j is one of three numbers, and how often it is
which is learned: where healthy people have mostly the same result and ill people any, a result that
nobody had so far speaks for illness.

How many features are of which kind is learned from all of them too, with one imagined feature of
each kind, and of all scales together one for each label, to begin with. With probability 1/3 every
feature is as the plain belief has it, as where a relevance-aware belief starts. Buying does not use this belief: looking ahead under it would
need the outcomes of all labels at once, where the other beliefs need those of one.

A feature whose prior counts are not all the same number is known to somebody: it has its own
shares, and says nothing about the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from budgeted.learners.belief import Belief, Floats
from budgeted.learners.layout import layout_of
from research.quality.former.kinds import (
    CLOSENESS,
    CONCENTRATIONS,
    KINDS,
    SMOOTHING,
    Evidence,
    OneFeature,
    as_foretold,
    joined,
    one_feature,
    scales_of,
)
from research.quality.former.relevance import ALL_RELEVANT

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
    1.8

    With more values it becomes clear how different the labels are:

    >>> more = seen.observe("town", "well", "a", times=20).observe("town", "ill", "b", times=20)
    >>> (more.mean("town")[1, 1] / more.mean("town")[0, 1]).round(1).tolist()
    130.2
    >>> more.kinds[0].round(2).tolist()
    [0.0, 0.0, 0.0, 0.04, 0.96]
    """

    @cached_property
    def kinds(self) -> Floats:
        """For each feature the probability that it is of each kind, features × kinds."""
        near, own = self._chances(self._evidence)
        return np.concatenate([near, own[:, :1].sum(axis=-1)], axis=1)

    @cached_property
    def means(self) -> Floats:
        """Posterior mean of every parameter, labels × values."""
        near, own = self._chances(self._evidence)
        each = [
            np.tensordot(near[at], parts.near, 1) + np.einsum("js,sjv->jv", own[at], parts.own)
            for at, parts in enumerate(self._parts)
        ]
        result: Floats = np.concatenate(each, axis=1)
        result.setflags(write=False)
        return result

    def left_out(self) -> Floats:
        """Return what the other cases say of a case's own value, labels × values × labels.

        Entry (j, k, y) is log P(value k | label y) without one of the observations of value k among
        cases of label j; where there is none, it means nothing.

        How many features are of each kind is not estimated anew for each value that is left out.
        """
        shares = self._shares(
            joined([parts.left_evidence for parts in self._parts]),
            [parts.left_near for parts in self._parts],
            [parts.left_own for parts in self._parts],
        )
        labels, values = self.observed.shape
        result: Floats = np.zeros((labels, values, labels))
        # Each feature's seen values come label by label.
        seen = [np.nonzero(self.observed[:, self.columns(at)]) for at in range(len(self._parts))]
        rows = np.concatenate([label for label, _ in seen])
        columns = [
            start + at for start, (_, at) in zip(layout_of(self.problem).offsets, seen, strict=True)
        ]
        result[rows, np.concatenate(columns)] = np.log(shares)
        return result

    def foretold(self, values: Sequence[tuple[int, int, int]]) -> Floats:
        """Return log P(value | label) of each value in the light of those before it.

        How many features are of each kind is what is known in the end.
        """
        came = np.array(values, dtype=np.int64).reshape(-1, 3)
        result: Floats = np.zeros((len(came), len(self.problem.labels)))
        order = np.argsort(came[:, 0], kind="stable")
        parts = []
        for feature in np.unique(came[:, 0]).tolist():
            prior, own = self.alpha[:, self.columns(feature)], came[came[:, 0] == feature, 1:]
            parts.append(as_foretold(own.tobytes(), prior.tobytes(), len(prior)))
        if parts:
            evidence, near, scaled = zip(*parts, strict=True)
            result[order] = np.log(self._shares(joined(evidence), near, scaled))
        return result

    def sample(self, rng: np.random.Generator) -> Floats:
        """Draw parameters: whether all features are as the problem says, else each one's kind."""
        learned = self._learned
        drawn = super().sample(rng)  # as if all were
        if rng.random() < learned.as_stated:
            return drawn
        for at, parts in enumerate(self._parts):
            near, scales = learned.chances(parts.evidence)
            kind = int(rng.choice(len(KINDS), p=np.append(near, scales[0].sum())))
            columns = self.columns(at)
            seen = self.observed[:, columns]
            if kind == 0:
                smooth = SMOOTHING / seen.shape[1]
                drawn[:, columns] = rng.dirichlet(seen.sum(axis=0) + smooth)
            elif kind <= len(CLOSENESS):
                close = CLOSENESS[kind - 1] * parts.near[0]
                drawn[:, columns] = [rng.dirichlet(row) for row in seen + close]
            else:
                prior = self.alpha[:, columns]
                for label, chances in enumerate(scales):
                    scale = rng.choice(scales_of(prior), p=chances / chances.sum())
                    drawn[label, columns] = rng.dirichlet(seen[label] + scale * prior[label])
        return drawn

    @cached_property
    def _parts(self) -> tuple[OneFeature, ...]:
        """Of each feature what does not depend on the others; remembered, as most stay the same."""
        columns = [self.columns(at) for at in range(len(self.problem.features))]
        return tuple(
            one_feature(
                self.observed[:, at].tobytes(),
                self.alpha[:, at].tobytes(),
                len(self.problem.labels),
            )
            for at in columns
        )

    @cached_property
    def _evidence(self) -> Evidence:
        """Of all features, below each other."""
        return Evidence(*map(np.stack, zip(*(each.evidence for each in self._parts), strict=True)))

    @cached_property
    def _learned(self) -> _Learned:
        return _learn(self._evidence)

    def _chances(self, evidence: Evidence) -> tuple[Floats, Floats]:
        """Probabilities of the kinds but the last, and of its scales for each label."""
        near, own = self._learned.chances(evidence)
        as_stated = self._learned.as_stated
        own *= 1 - as_stated
        own[..., 0] += as_stated
        return near * (1 - as_stated), own

    def _shares(self, evidence: Evidence, near: Sequence[Floats], own: Sequence[Floats]) -> Floats:
        """Means of parameters over the kinds, with evidence of their own, … × labels."""
        kinds, scales = self._chances(evidence)
        result: Floats = np.einsum("nk,nkl->nl", kinds, np.concatenate(near))
        result += np.einsum("nls,nsl->nl", scales, np.concatenate(own))
        return result


class _Learned(NamedTuple):
    """What all features together say.

    Attributes
    ----------
    kinds
        How many features are of each kind.
    scales
        At which scales the labels have their own shares, labels × scales.
    as_stated
        Probability that all features have their own shares, with the problem's prior counts.
    """

    kinds: Floats
    scales: Floats
    as_stated: float

    def logs(self, evidence: Evidence) -> tuple[Floats, Floats]:
        """Log-probabilities of the kinds, and of the scales if it is of the last, normalised."""
        each = evidence.own + np.log(self.scales)
        label = np.logaddexp.reduce(each, axis=-1)
        same = np.logaddexp.reduce(evidence.pooled + np.log(self.scales.mean(axis=0)), axis=-1)
        last = (label.sum(axis=-1) - same)[..., None]
        kinds: Floats = np.concatenate([evidence.near, last], axis=-1) + np.log(self.kinds)
        return kinds, each - label[..., None]

    def chances(self, evidence: Evidence) -> tuple[Floats, Floats]:
        """Probabilities of the kinds but the last, and of its scales for each label."""
        kinds, scales = self.logs(evidence)
        chances = _normalised(kinds)
        return chances[..., :-1], chances[..., -1:, None] * np.exp(scales)


def _learn(evidence: Evidence) -> _Learned:
    """Estimate how many features are of each kind, and which scales are frequent, in turn.

    As in expectation and maximisation, with one imagined feature of each kind and a third of one at
    each scale. It comes close to the maximum of the likelihood and does not quite reach it, as the
    evidence against common shares depends on the scales too, which the second step leaves aside.
    What it gives is compared with the likelihood that all features are as the problem says.
    """
    votes = np.isfinite(evidence.near[:, 0])  # without those that are known to somebody
    evidence = Evidence(*(each[votes] for each in evidence))
    learned = _in_turn(evidence)
    scales = len(CONCENTRATIONS)
    logs, _ = learned.logs(evidence)
    mixed = np.logaddexp.reduce(logs, axis=1).sum() + np.log(1 - ALL_RELEVANT)
    mixed += np.log(learned.kinds * len(KINDS)).sum()
    mixed += np.log(learned.scales * scales).sum() / scales
    stated = (evidence.own[..., 0].sum(axis=1) - evidence.pooled[:, 0]).sum() + np.log(ALL_RELEVANT)
    return learned._replace(as_stated=float(np.exp(stated - np.logaddexp(stated, mixed))))


def _in_turn(evidence: Evidence) -> _Learned:
    """Return shares of kinds and scales, without what all features as stated would say.

    The same as with `_Learned.chances` in each round; what stays the same is computed once.
    """
    features, labels, scales = evidence.own.shape
    best, best_pooled = evidence.own.max(axis=-1), evidence.pooled.max(axis=-1)
    own = np.exp(evidence.own - best[..., None])
    pooled = np.exp(evidence.pooled - best_pooled[:, None])
    logs = np.empty((features, len(KINDS)))
    logs[:, :-1] = evidence.near
    kind = np.full(len(KINDS), 1 / len(KINDS))
    scale = np.full((labels, scales), 1 / scales)
    for _ in range(_ROUNDS):
        each = own * scale
        label = each.sum(axis=-1)
        same = pooled @ (scale.sum(axis=0) / labels)
        logs[:, -1] = (best + np.log(label)).sum(axis=-1) - best_pooled - np.log(same)
        chances = kind * np.exp(logs - logs.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        kind = 1 + chances.sum(axis=0)
        kind /= kind.sum()
        scale = 1 / scales + (each * (chances[:, -1:] / label)[..., None]).sum(axis=0)
        scale /= scale.sum(axis=1, keepdims=True)
    return _Learned(kind, scale, 0.0)


def _normalised(logs: Floats) -> Floats:
    result: Floats = np.exp(logs - np.logaddexp.reduce(logs, axis=-1, keepdims=True))
    return result
