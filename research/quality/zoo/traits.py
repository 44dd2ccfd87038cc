"""What kind of world it is: the distribution of the zoo, as a table and as data.

==================  ====================================================================
features            log-uniform whole number, 4 to 100
values              each feature 2; or 2 to 4; or 2 to 14; a third of the worlds each
relevant features   none 8 %; one to three 25 %; a uniform share, at least one, 42 %; all 25 %
strength            P(value k | label j) ∝ m_k exp(σ z_jk), z standard normal; σ = 0.5 (weak),
                    1 (moderate) or 2 (strong) in a third of the worlds each
common shares       m ~ Dirichlet(a, …): a = 0.3 (skewed), 1 (ordinary), 5 (even), a third each
labels              two 60 %; three, four, five, six 10 % each
their shares        the most frequent has a share of 1/labels + (.95 − 1/labels) u², u uniform, so
                    that equally frequent labels are not rare; the others divide the rest by
                    Dirichlet(5, …), drawn towards even where one would have more than the most
                    frequent
dependence          given the label: independent 50 %; copies 25 %; correlated groups 25 %
missing cells       none 70 %; else a uniform share from .05 to .3, completely at random
prices              all 1.00 40 %; log-uniform from 1 to 20, by chance 35 %; the same prices, but
                    the more a feature says of the label the dearer 25 %
budget              log-uniform, 1 to 30 values of every feature
==================  ====================================================================

In worlds with copies or correlated groups every feature belongs to a group (`research.quality.zoo.model`).
So that no world takes hours, features × values of every feature is at most 400: beyond that both
are drawn again.

One kind of world is known to be hard and has its own place: 4 % of the worlds have 60 Boolean
features, of which 5 are relevant and weak, two labels with shares .6 and .4, independent features
and equal prices; all else is drawn as above.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import exp, log
from typing import TypeVar

import numpy as np

from budgeted.seeds import stream

SELECTION_SEED = 20261117
CONFIRMATION_SEED = 20261218
TABLES_SEED = 20261219
"""Of the splits, orders of columns and prices of the tables, which choose nothing either."""
SEEDS = {"selection": SELECTION_SEED, "confirmation": CONFIRMATION_SEED}
"""Of selection one may look at the worlds and choose by them; those of the others choose nothing."""

Name = TypeVar("Name")

ZOO = 5
"""First number of the path of the zoo's streams; see `budgeted.seeds`."""
_TRAITS = 0

FEATURES = (4, 100)
VALUES = {"Boolean": (2, 2), "2–4 values": (2, 4), "2–14 values": (2, 14)}
RELEVANT = {
    "none relevant": 0.08,
    "one to three relevant": 0.25,
    "some relevant": 0.42,
    "all relevant": 0.25,
}
STRENGTHS = {"weak": 0.5, "moderate": 1.0, "strong": 2.0}
COMMON_SHARES = {"skewed values": 0.3, "ordinary values": 1.0, "even values": 5.0}
LABELS = {2: 0.6, 3: 0.1, 4: 0.1, 5: 0.1, 6: 0.1}
LARGEST_SHARE, SPLIT = 0.95, 5.0
DEPENDENCE = {"independent": 0.5, "copies": 0.25, "correlated groups": 0.25}
COMPLETE, MISSING = 0.7, (0.05, 0.3)
PRICES = {"equal prices": 0.4, "prices by chance": 0.35, "prices rise with worth": 0.25}
MULTIPLES = (1.0, 30.0)
MOST_WORK = 400
HARD, HARD_SHARE = "60 features, 5 weak ones", 0.04

# Strata of traits that are numbers, each with its upper bound.
SIZES = {"4–9 features": 9, "10–31 features": 31, "32–100 features": 100}
PRIORS = {"prior below .65": 0.65, "prior .65–.8": 0.8, "prior above .8": 1.0}
BUDGETS = {"1–3 values a feature": 3, "3–10 values a feature": 10, "10–30 values a feature": 30}
NUMBERS_OF_LABELS = {"two labels": 2, "three to six labels": 6}
GAPS = {"complete": 0.0, "missing cells": 1.0}
STRATA = (
    *SIZES, *VALUES, *RELEVANT, *STRENGTHS, *COMMON_SHARES, *NUMBERS_OF_LABELS, *PRIORS,
    *DEPENDENCE, *GAPS, *PRICES, *BUDGETS, HARD,
)  # fmt: skip
"""Names of all strata, kind by kind."""


@dataclass(frozen=True)
class Traits:
    """What was drawn about a world."""

    features: int  # how many
    # values, relevance, strength, common_shares, dependence, prices: words of the tables above
    values: str
    relevance: str
    relevant: int  # how many features have parameters that depend on the label
    strength: str
    common_shares: str
    shares: tuple[float, ...]  # of the labels, in random order
    dependence: str
    missing: float  # chance that a cell of a training case is empty
    prices: str
    multiple: float  # how many values of every feature the budget would buy
    hard: bool  # whether it is one of the fixed kind

    @property
    def strata(self) -> tuple[str, ...]:
        """Where the world belongs: one name of each kind."""
        names = (
            _within(self.features, SIZES),
            self.values,
            self.relevance,
            self.strength,
            self.common_shares,
            _within(len(self.shares), NUMBERS_OF_LABELS),
            _within(max(self.shares), PRIORS),
            self.dependence,
            _within(self.missing, GAPS),
            self.prices,
            _within(self.multiple, BUDGETS),
        )
        return (*names, HARD) if self.hard else names


def draw_traits(seed: int, number: int) -> Traits:
    """Return the traits of a world: always the same for a seed and a number."""
    rng = stream(seed, ZOO, number, _TRAITS)
    hard = bool(rng.random() < HARD_SHARE)
    features, multiple = _size(rng, 60 if hard else None)
    relevance = one_of(rng, RELEVANT)
    traits = Traits(
        features=features,
        values=one_of(rng, _evenly(VALUES)),
        relevance=relevance,
        relevant=_how_many_relevant(rng, relevance, features),
        strength=one_of(rng, _evenly(STRENGTHS)),
        common_shares=one_of(rng, _evenly(COMMON_SHARES)),
        shares=_label_shares(rng),
        dependence=one_of(rng, DEPENDENCE),
        missing=0.0 if rng.random() < COMPLETE else float(rng.uniform(*MISSING)),
        prices=one_of(rng, PRICES),
        multiple=multiple,
        hard=hard,
    )
    if not hard:
        return traits
    return replace(
        traits,
        values="Boolean",
        relevance="some relevant",
        relevant=5,
        strength="weak",
        shares=tuple(rng.permutation((0.6, 0.4)).tolist()),
        dependence="independent",
        prices="equal prices",
    )


def _size(rng: np.random.Generator, fixed: int | None) -> tuple[int, float]:
    """Features, and values of every feature that the budget buys, within the bound on the work."""
    while True:
        features = fixed or whole_in_logs(rng, *FEATURES)
        multiple = uniform_in_logs(rng, *MULTIPLES)
        if features * multiple <= MOST_WORK:
            return features, multiple


def _how_many_relevant(rng: np.random.Generator, relevance: str, features: int) -> int:
    most = {"none relevant": 0, "one to three relevant": 3}.get(relevance, features)
    if relevance == "all relevant" or most == 0:
        return most
    return int(rng.integers(1, most + 1))


def _label_shares(rng: np.random.Generator) -> tuple[float, ...]:
    labels = one_of(rng, LABELS)
    most = 1 / labels + (LARGEST_SHARE - 1 / labels) * rng.random() ** 2
    others = (1 - most) * rng.dirichlet(np.full(labels - 1, SPLIT))
    even = (1 - most) / (labels - 1)
    if others.max() > most:  # even is at most 1/labels, and so below
        others = even + (others - even) * (most - even) / (others.max() - even)
    shares = rng.permutation((most, *others))
    return tuple((shares / shares.sum()).tolist())


def _evenly(names: Mapping[str, object]) -> dict[str, float]:
    return {name: 1 / len(names) for name in names}


def _within(number: float, bounds: Mapping[str, float]) -> str:
    """Return the first name whose upper bound the number does not cross."""
    return next(name for name, bound in bounds.items() if number <= bound)


def one_of(rng: np.random.Generator, chances: Mapping[Name, float]) -> Name:
    """Return a name, drawn with its chance."""
    bounds = np.cumsum(list(chances.values()))
    at = int(np.searchsorted(bounds, rng.random() * bounds[-1], side="right"))
    return list(chances)[at]


def uniform_in_logs(rng: np.random.Generator, low: float, high: float) -> float:
    """Return a number whose logarithm is uniform."""
    return min(high, max(low, exp(rng.uniform(log(low), log(high)))))


def whole_in_logs(rng: np.random.Generator, low: int, high: int) -> int:
    """Return a whole number k with a chance that is proportional to log((k + 1) / k).

    These are the numbers below those that are uniform in logs, both ends included.
    """
    return min(high, int(uniform_in_logs(rng, low, high + 1)))
