"""The truth behind a world: how likely each value is under each label, and what hangs together.

Given the label, groups of features are independent of each other. Within a group

- of *copies*, each member repeats the value of the group's first member with probability .9 and
  else is drawn by its own parameters; so it has as many values as the first, and a copy of a
  relevant feature tells of the label whether or not it is relevant itself;
- of *correlated* features, a standard normal variable u of the case and the group moves the
  logits of value k of each member by 1.5 u w_k, where w_k is standard normal and belongs to the
  feature.

The parameters are not drawn from any learner's prior: no belief of the package is right here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from budgeted.learners.belief import Floats, Integers
from research.quality.zoo.traits import COMMON_SHARES, STRENGTHS, VALUES, Traits

GROUP_SIZES = {"independent": (1, 1), "copies": (2, 5), "correlated groups": (3, 6)}
"""Smallest and largest; features are dealt into groups until none is left, so the last may be
smaller."""
REPEATED = 0.9
PULL = 1.5
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(60)


@dataclass(frozen=True, eq=False)
class Model:
    """How cases come about."""

    shares: tuple[float, ...]  # of the labels
    tables: tuple[Floats, ...]  # for each feature its own parameters, labels × values
    # dependence, groups: of which kind, and which features belong together, the first member first
    dependence: str
    groups: tuple[tuple[int, ...], ...]
    # for each feature the w_k of its values; used by correlated groups
    loadings: tuple[Floats, ...]

    @classmethod
    def draw(cls, traits: Traits, rng: np.random.Generator) -> Model:
        """Return a model of that kind."""
        features, labels = traits.features, len(traits.shares)
        groups = _deal(rng, features, *GROUP_SIZES[traits.dependence])
        low, high = VALUES[traits.values]
        sizes = rng.integers(low, high + 1, features)
        if traits.dependence == "copies":
            for group in groups:
                sizes[list(group)] = sizes[group[0]]
        relevant = set(rng.permutation(features)[: traits.relevant].tolist())
        tables = []
        for feature, size in enumerate(sizes.tolist()):
            common = rng.dirichlet(np.full(size, COMMON_SHARES[traits.common_shares]))
            spread = STRENGTHS[traits.strength] if feature in relevant else 0.0
            table = common * np.exp(spread * rng.standard_normal((labels, size)))
            tables.append(table / table.sum(axis=1, keepdims=True))
        loadings = tuple(rng.standard_normal(size) for size in sizes.tolist())
        return cls(traits.shares, tuple(tables), traits.dependence, groups, loadings)

    @cached_property
    def marginals(self) -> tuple[Floats, ...]:
        """P(value | label) of each feature by itself, labels × values."""
        result = list(self.tables)
        for first, *others in self.groups:
            if self.dependence == "copies":
                for each in others:
                    own = (1 - REPEATED) * self.tables[each]
                    result[each] = REPEATED * self.tables[first] + own
            elif self.dependence == "correlated groups":
                for each in (first, *others):
                    result[each] = self._averaged(each)
        return tuple(result)

    @cached_property
    def worths(self) -> Floats:
        """Mutual information of each feature, by itself, with the label."""
        return np.array([information(np.asarray(self.shares), each) for each in self.marginals])

    def cases(self, labels: Integers, rng: np.random.Generator) -> Integers:
        """Return the values of new cases of these labels, cases × features."""
        values = np.empty((len(labels), len(self.tables)), dtype=np.int64)
        for group in self.groups:
            latent = rng.standard_normal(len(labels))
            for feature in group:
                chances = self.tables[feature][labels]
                if self.dependence == "correlated groups":
                    chances = _moved(chances, latent[:, None] * self.loadings[feature])
                drawn = _pick(chances, rng.random(len(labels)))
                if self.dependence == "copies" and feature != group[0]:
                    repeats = rng.random(len(labels)) < REPEATED
                    drawn = np.where(repeats, values[:, group[0]], drawn)
                values[:, feature] = drawn
        return values

    def _averaged(self, feature: int) -> Floats:
        """P(value | label) over all values of the group's variable, by Gauss's quadrature."""
        pulls = _NODES[:, None, None] * self.loadings[feature]
        given = _moved(self.tables[feature], pulls)
        result: Floats = np.tensordot(_WEIGHTS / _WEIGHTS.sum(), given, axes=1)
        return result


def _deal(
    rng: np.random.Generator, features: int, smallest: int, largest: int
) -> tuple[tuple[int, ...], ...]:
    left: Sequence[int] = rng.permutation(features).tolist()
    groups = []
    while left:
        size = int(rng.integers(smallest, largest + 1))
        groups.append(tuple(left[:size]))
        left = left[size:]
    return tuple(groups)


def _moved(chances: Floats, pulls: Floats) -> Floats:
    """Chances whose logits are moved; the last axis is that of the values."""
    weights = chances * np.exp(PULL * pulls)
    result: Floats = weights / weights.sum(axis=-1, keepdims=True)
    return result


def _pick(chances: Floats, uniform: Floats) -> Integers:
    """For each row of chances the value that a uniform number falls on."""
    bounds = chances.cumsum(axis=1)
    result: Integers = (uniform[:, None] >= bounds[:, :-1]).sum(axis=1)
    return result


def information(shares: Floats, table: Floats) -> float:
    """Return the mutual information of a label with these shares and a value with P(value | label)."""
    joint = shares[:, None] * table
    apart = shares[:, None] * joint.sum(axis=0)
    there = joint > 0
    return float((joint[there] * np.log(joint[there] / apart[there])).sum())
