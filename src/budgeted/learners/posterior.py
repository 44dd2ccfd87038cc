r"""What all features together say: how many matter, and how strongly; summed exactly over a grid.

Features are pooled. Whether most of them matter, and how strongly those that do tell the labels
apart, is typical of a study, and is learned from all of its features. A *setting* of the grid is

- how even the common shares of values are, β = 1 or 5;
- which share s of the features matters: all of them; d^(−1/3), d^(−2/3) or 1/d of d features, from
  all to about one in equal steps of the logarithm; or none. Equally probable at first;
- the typical level t of those that do; half of them have it, the others a neighbouring level.

That makes 34 settings. One more takes every feature as the problem states it, with its Dirichlet
counts under each label and nothing in common: plain naive Bayes. It says that every feature
matters, which is the less probable the more there are: 3/(d + 3) at first, as likely as not with
three of them. Each setting has a weight, its prior times the probability of all counts, a product
over the features. Nothing is sampled and nothing is iterated to convergence: it is a function of
the counts.

A feature whose prior counts are not all the same is known to somebody. It keeps these in every
setting and has no vote.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar

import numpy as np

from budgeted.learners.belief import Floats, Integers
from budgeted.learners.layout import layout_of
from budgeted.learners.special import log_rising, log_sum
from budgeted.learners.strength import remembered_strengths
from budgeted.problem import Problem

SPIKE_AND_SLAB = "a spike-and-slab posterior"
"""The form in which this is known: a feature may be irrelevant, or have some strength."""
_STEPS = 3
"""Between "all features matter" and "about one does"."""
_TYPICAL = 0.5
"""Share of the features that matter which have the typical level."""


@dataclass(frozen=True, eq=False)
class Posterior:
    """What is known of the parameters of all features."""

    problem: Problem
    counts: Floats
    weights: Floats  # probability of each setting; the last one takes the features as stated
    components: Floats
    means: Floats  # expected parameters in each component, β × components × labels × values
    draws: Floats
    concentrations: Floats
    stated: Integers  # which features keep their prior counts in every setting
    evenness: tuple[float, ...] = ()
    levels: tuple[float, ...] = ()

    form: ClassVar[str] = SPIKE_AND_SLAB

    @property
    def evennesses(self) -> int:
        """How many β there are; settings come β by β."""
        return len(self.draws)

    def of_setting(self, setting: int) -> Floats:
        """Return the expected parameters in a setting, labels × values."""
        if setting == len(self.weights) - 1:
            return self.as_stated
        beta = setting * self.evennesses // (len(self.weights) - 1)
        chances = np.repeat(self.components[setting], layout_of(self.problem).widths, axis=0)
        found: Floats = np.einsum("kc,cyk->yk", chances, self.means[beta])
        found[:, self.stated_columns] = self.as_stated[:, self.stated_columns]
        return found

    @cached_property
    def chances(self) -> Floats:
        """Probability of each component of each feature, over all settings, features × components.

        Components come β by β; the last one is to be as the problem states.
        """
        by_setting = self.weights[:-1, None, None] * self.components
        by_beta = by_setting.reshape(self.evennesses, -1, *by_setting.shape[1:]).sum(axis=1)
        result = by_beta.transpose(1, 0, 2).reshape(len(self.problem.features), -1)
        result[self.stated] = 0.0
        return np.column_stack([result, 1 - result.sum(axis=1)])

    @cached_property
    def expected(self) -> Floats:
        """Expected parameters over all settings, labels × values."""
        chances = np.repeat(
            self.chances, layout_of(self.problem).widths, axis=0
        ).T  # components × values
        means = self.means.reshape(-1, *self.counts.shape)
        result: Floats = np.einsum("ck,cyk->yk", chances[:-1], means)
        result += chances[-1] * self.as_stated
        return result

    def kappas(self, features: Sequence[int]) -> Floats:
        """Return κ of the components of some features, without the last; infinite if irrelevant."""
        columns = layout_of(self.problem).starts[features]
        return np.tile(self.concentrations[:, columns].T, self.evennesses)

    @cached_property
    def as_stated(self) -> Floats:
        """Parameters of plain naive Bayes, labels × values."""
        layout = layout_of(self.problem)
        counts = layout.prior_counts + self.counts
        totals = np.add.reduceat(counts, layout.starts, axis=1)
        result: Floats = counts / np.repeat(totals, layout.widths, axis=1)
        return result

    @cached_property
    def stated_columns(self) -> Integers:
        """Where the values of features that keep their prior counts stand."""
        stated = np.isin(np.arange(len(self.problem.features)), self.stated)
        return np.flatnonzero(np.repeat(stated, layout_of(self.problem).widths))


def posterior(
    problem: Problem,
    counts: Floats,
    evenness: Sequence[float],
    levels: Sequence[float],
    as_stated: float,
) -> Posterior:
    """Return what counts, labels × values, say of all features."""
    sizes, offsets = layout_of(problem).widths, layout_of(problem).starts
    parts = 1 + len(levels)
    logs = np.empty((len(sizes), len(evenness), parts))
    draws = np.empty((len(evenness), parts, counts.shape[1]))
    kappa = np.full((parts, counts.shape[1]), np.inf)
    for size in np.unique(sizes):
        alike = np.flatnonzero(sizes == size)
        columns = offsets[alike][:, None] + np.arange(size)
        found = remembered_strengths(counts[:, columns].transpose(1, 0, 2), evenness, levels)
        logs[alike] = found.logs
        draws[:, :, columns] = found.draws.transpose(1, 2, 0, 3)
        kappa[1:, columns] = found.concentrations[:, None, None]
    stated = _informed(problem)
    logs[stated] = 0.0
    # An informed feature is as stated in every setting: only the others can differ from that.
    open_ones = len(sizes) - len(stated)
    prior, chances = _settings(max(open_ones, 1), len(levels))
    plain = as_stated / (open_ones + as_stated)
    with np.errstate(divide="ignore"):
        each = logs[:, :, None] + np.log(chances)
        before = np.log((1 - plain) / len(evenness) * prior)
    evidence = log_sum(each)  # features × β × settings of one β
    components = np.exp(each - evidence[..., None]).transpose(1, 2, 0, 3)
    whole = evidence.sum(axis=0) + before
    weights = np.append(whole, _log_as_stated(problem, counts, stated) + np.log(plain))
    weights = np.exp(weights - weights.max())
    return Posterior(
        problem,
        counts,
        weights / weights.sum(),
        components.reshape(-1, *components.shape[2:]),
        _means(problem, counts, draws, kappa),
        draws,
        kappa,
        stated,
        tuple(evenness),
        tuple(levels),
    )


@lru_cache(maxsize=64)
def _settings(features: int, levels: int) -> tuple[Floats, Floats]:
    """Return the settings of one β: how probable each is, and its chances of each component.

    Components are being irrelevant, and each level.
    """
    typical = np.zeros((levels, levels))
    for at in range(levels):
        near = [each for each in (at - 1, at + 1) if 0 <= each < levels]
        typical[at, at] = _TYPICAL
        typical[at, near] = (1 - _TYPICAL) / len(near)
    shares = float(features) ** -(np.arange(_STEPS + 1) / _STEPS)
    rows = [np.append(1 - share, share * row) for share in shares for row in typical]
    none = np.eye(1, 1 + levels)[0]
    prior = np.append(np.full(len(rows), 1 / levels), 1.0) / (len(shares) + 1)
    return prior, np.stack([*rows, none])


def _informed(problem: Problem) -> Integers:
    """Features whose prior counts say more than how sure one is."""
    first = layout_of(problem).prior_counts[:1, layout_of(problem).starts]
    same = layout_of(problem).prior_counts == np.repeat(first, layout_of(problem).widths, axis=1)
    return np.flatnonzero(~np.logical_and.reduceat(same.all(axis=0), layout_of(problem).starts))


def _log_as_stated(problem: Problem, counts: Floats, leave_out: Integers) -> float:
    """Log-probability of all counts with the prior counts of the problem."""
    prior, offsets = layout_of(problem).prior_counts, layout_of(problem).starts
    values = np.add.reduceat(log_rising(prior, counts), offsets, axis=1)
    totals = (np.add.reduceat(each, offsets, axis=1) for each in (prior, counts))
    return float(np.delete((values - log_rising(*totals)).sum(axis=0), leave_out).sum())


def _means(problem: Problem, counts: Floats, draws: Floats, kappa: Floats) -> Floats:
    """Expected parameters, β × components × labels × values."""
    sizes, offsets = layout_of(problem).widths, layout_of(problem).starts
    sums = np.repeat(np.add.reduceat(draws, offsets, axis=-1), sizes, axis=-1)
    shares = (draws / sums)[:, :, None]
    totals = np.repeat(np.add.reduceat(counts, offsets, axis=1), sizes, axis=1)
    result = np.empty((*draws.shape[:2], *counts.shape))
    result[:, 0] = shares[:, 0]
    prior = kappa[1:, None]
    result[:, 1:] = (counts + prior * shares[:, 1:]) / (totals + prior)
    return result
