r"""What more values of one feature could be, and what would be believed of it then.

A *component* is one possibility for a feature: irrelevant or of some level, with some β
(`budgeted.learners.strength`); or as the problem states, which is the last one. Under each of them
an outcome of purchases has a probability, the ratio of the evidence after and before; and after it
the common shares of the values are others.

Where there are few outcomes, all of them are gone through. Otherwise some are drawn, the same
number from each component, and each is weighted under a component by how much more probable it is
there than among those drawn. Draws come from a fixed seed, and in an order of labels and values
that depends on their counts alone: so all features with the same counts have the same outcomes
(common random numbers), and no result depends on the order in which features or values are listed,
nor labels, unless these are alike in their shares and in how often each value was seen.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from budgeted.cache import remembered
from budgeted.learners.belief import Floats, Integers
from budgeted.learners.special import dirichlet_draws, log_rising_whole, log_sum
from budgeted.learners.strength import (
    Strengths,
    over_values,
    remembered_strengths,
    strengths,
)
from budgeted.seeds import IMAGINED, stream

MOST_OUTCOMES = 225
"""Up to so many are gone through: 4 values of each of two labels for features of three values."""
DRAWN = 15
"""Outcomes from each component, where they are drawn."""
_TINY = float(np.finfo(float).tiny)


class Imagined(NamedTuple):
    """Outcomes of purchases of a feature; its values come in the order of their counts."""

    chances: Floats  # of each outcome under each component, outcomes × components
    counts: Floats  # what would have been seen of the feature in all, outcomes × labels × values
    common: Floats
    prior: Floats  # prior counts of the problem, labels × values
    own: Floats
    pulled: Floats


def imagine(
    counts: Floats,
    prior: Floats,
    numbers: Integers,
    evenness: Sequence[float],
    levels: Sequence[float],
    shares: Sequence[float] = (),
) -> Imagined:
    """Return what could come of purchases of a feature.

    One value of each of two labels of a Boolean: four outcomes. If the feature is irrelevant, the
    two are alike with probability 2/3, because it is not known how frequent its values are:

    >>> nothing = np.zeros((2, 2))
    >>> found = imagine(nothing, nothing + 1, np.array([1, 1]), [1.0], [1.0, 0.25])
    >>> found.counts.astype(int).tolist()
    [[[0, 1], [0, 1]], [[0, 1], [1, 0]], [[1, 0], [0, 1]], [[1, 0], [1, 0]]]
    >>> found.chances[:, 0].round(3).tolist()
    [0.333, 0.167, 0.167, 0.333]
    """
    wanted = tuple(numbers.tolist())
    order, seen, stated, bought = _in_order(
        counts.shape, counts.tobytes(), prior.tobytes(), wanted, tuple(shares)
    )
    found = _imagine(counts.shape, seen, stated, bought, tuple(evenness), tuple(levels))
    if order == tuple(range(len(order))):
        return found
    back = np.argsort(order)
    return found._replace(
        counts=found.counts[:, back],
        prior=found.prior[back],
        own=found.own[back],
        pulled=found.pulled[back],
    )


@remembered
def _in_order(
    shape: tuple[int, int],
    seen: bytes,
    stated: bytes,
    numbers: tuple[int, ...],
    shares: tuple[float, ...],
) -> tuple[tuple[int, ...], bytes, bytes, tuple[int, ...]]:
    """Return an order of the labels that does not depend on how they and the values are listed.

    And counts, prior counts and numbers of purchases in that order, with the values in theirs.
    """
    counts, prior = (np.frombuffer(each).reshape(shape) for each in (seen, stated))

    def key(label: int) -> tuple[object, ...]:
        values = sorted(zip(counts[label].tolist(), prior[label].tolist(), strict=True))
        return numbers[label], values, *shares[label : label + 1]

    order = sorted(range(len(numbers)), key=key)
    counts, prior = counts[order], prior[order]
    columns = np.lexsort((*prior[::-1], *counts[::-1]))
    bought = tuple(numbers[label] for label in order)
    return tuple(order), counts[:, columns].tobytes(), prior[:, columns].tobytes(), bought


@remembered
def _imagine(
    shape: tuple[int, int],
    seen: bytes,
    stated: bytes,
    numbers: tuple[int, ...],
    evenness: tuple[float, ...],
    levels: tuple[float, ...],
) -> Imagined:
    counts, prior = (np.frombuffer(each).reshape(shape) for each in (seen, stated))
    few = math.prod(math.comb(n + shape[1] - 1, n) for n in numbers) <= MOST_OUTCOMES
    if few:
        more = _all_outcomes(numbers, shape[1])
        # What is known now is a number for each component, which goes when chances are made to add
        # up to one. What is left is in how many ways an outcome can come about.
        later = _strengths_of_outcomes(counts + more, evenness, levels)
        ratios = _by_component(later.logs, _log_stated(prior, counts + more))
        ratios += _log_ways(more)[:, None]
    else:
        now = remembered_strengths(counts[None], evenness, levels)
        more = _drawn_outcomes(counts, prior, numbers, now)
        later = _strengths_of_outcomes(counts + more, evenness, levels)
        stated_now = _log_stated(prior, counts[None])
        ratios = _by_component(
            later.logs - now.logs, _log_stated(prior, counts + more) - stated_now
        )
        # How often an outcome is drawn, on average over components.
        ratios -= log_sum(ratios)[:, None]
    chances = np.exp(ratios - ratios.max(axis=0))
    chances /= chances.sum(axis=0)
    draws = later.draws.reshape(len(more), -1, shape[1])
    common = draws * (chances[:, :-1] / over_values(draws))[..., None]
    common = np.ascontiguousarray(common.swapaxes(0, 1))
    totals = (counts.sum(axis=1) + np.array(numbers))[:, None]
    kappa = np.tile(np.append(np.inf, later.concentrations), len(evenness))
    own = 1 / np.hstack([totals + kappa, totals + prior.sum(axis=1, keepdims=True)])
    pulled = 1 / (1 + totals / kappa)
    return Imagined(chances, counts + more, common, prior, own, pulled)


def _by_component(strengths: Floats, stated: Floats) -> Floats:
    """Put side by side what outcomes say of each strength and of the problem as it is stated."""
    return np.column_stack([strengths.reshape(len(strengths), -1), stated])


def _strengths_of_outcomes(
    outcomes: Floats, evenness: tuple[float, ...], levels: tuple[float, ...]
) -> Strengths:
    """Return what outcomes, outcomes × labels × values, say of the strength of the feature.

    Outcomes that differ only in which value is which say the same. Where most values were never
    seen, as is usual with many values, nearly all do.
    """
    order = np.lexsort(outcomes.swapaxes(0, 1))  # of the values in each outcome
    sorted_values = np.take_along_axis(outcomes, order[:, None], axis=2)
    rows: dict[bytes, int] = {}
    which = np.array([rows.setdefault(each.tobytes(), len(rows)) for each in sorted_values])
    first = np.zeros(len(rows), dtype=np.int64)
    first[which[::-1]] = np.arange(len(which))[::-1]
    found = strengths(sorted_values[first], evenness, levels)
    back = np.argsort(order, axis=1)
    draws = np.take_along_axis(found.draws[which], back[:, None, None], axis=-1)
    return Strengths(found.logs[which], draws, found.concentrations)


def _log_stated(prior: Floats, counts: Floats) -> Floats:
    """Log-probability of counts in a given order if the feature is as the problem states."""
    values = np.zeros(len(counts))
    for number in np.unique(prior).tolist():
        values += log_rising_whole(number, counts[:, prior == number]).sum(axis=1)
    totals = [log_rising_whole(total, seen) for total, seen in
              zip(prior.sum(axis=1).tolist(), counts.sum(axis=2).T, strict=True)]  # fmt: skip
    result: Floats = values - np.sum(totals, axis=0)
    return result


def _log_ways(more: Floats) -> Floats:
    """In how many orders the values of each label can have come, as a logarithm."""
    result: Floats = log_rising_whole(1.0, more.sum(axis=2)).sum(axis=1)
    result -= log_rising_whole(1.0, more).sum(axis=(1, 2))
    return result


def _all_outcomes(numbers: tuple[int, ...], size: int) -> Floats:
    """Every outcome, outcomes × labels × values."""
    rows = [_compositions(number, size) for number in numbers]
    places = np.indices([len(each) for each in rows]).reshape(len(rows), -1)
    return np.stack([row[at] for row, at in zip(rows, places, strict=True)], axis=1)


@lru_cache(maxsize=64)
def _compositions(number: int, size: int) -> Floats:
    """Every way to write a number as a sum of `size` numbers.

    >>> _compositions(2, 2).astype(int).tolist()
    [[0, 2], [1, 1], [2, 0]]
    """
    bars = np.array(list(combinations(range(number + size - 1), size - 1)), dtype=np.int64)
    ends = np.full((len(bars), 1), number + size - 1)
    result = np.diff(np.hstack([np.full_like(ends, -1), bars, ends]), axis=1) - 1.0
    result.setflags(write=False)
    return result


def _drawn_outcomes(
    counts: Floats, prior: Floats, numbers: tuple[int, ...], now: Strengths
) -> Floats:
    """Some outcomes, the same number from each component, outcomes × labels × values."""
    rng = stream(0, IMAGINED)
    common = dirichlet_draws(np.repeat(now.draws[0, :, :, None], DRAWN, axis=2), rng)
    kappa = now.concentrations[:, None, None, None]
    scattered = counts + np.maximum(kappa * common[:, 1:, :, None], _TINY)
    chances = np.concatenate([
        np.repeat(common[:, 0, :, None], len(numbers), axis=2).reshape(-1, *counts.shape),
        dirichlet_draws(scattered, rng).reshape(-1, *counts.shape),
        dirichlet_draws(np.repeat((counts + prior)[None], DRAWN, axis=0), rng),
    ])  # fmt: skip
    return rng.multinomial(numbers, chances).astype(float)
