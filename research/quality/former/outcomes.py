r"""Expected losses under a relevance-aware belief, outcome by outcome of one feature.

There the probability that a feature matters moves with everything seen of it, so the values of a
feature no longer part into separate sums as in the spectral engine. But the features still do: the
loss is the same integral of a product over features, and of the feature that is bought the factor
is averaged over the outcomes of its purchases::

    φ_i(ω) = Σ_k θ_i1k^(½+iω) θ_i2k^(½−iω),    E[φ_i] = Σ_outcomes P(outcome) φ_i(θ after outcome)

The outcomes are all there are while these are few; else, for two values, equally likely groups of
counts under each hypothesis; else counts drawn from a fixed stream, the same at every decision, so
that features are compared on common numbers. The odds that a feature matters, as the *other*
features tell them, are held while it is bought, and rounded so that results can be remembered.

With three labels or more the loss is replaced by a bound on it: the sum over pairs of labels of
the loss of telling the two apart. P_y P_z / P is at most P_y P_z / (P_y + P_z), and sums of the
latter keep the closed form.
"""

from __future__ import annotations

from collections.abc import Hashable
from itertools import combinations
from math import comb, lgamma, prod

import numpy as np
from numpy.typing import NDArray

from budgeted.cache import remembered
from budgeted.learners.belief import Floats, Integers
from budgeted.learners.layout import layout_of
from budgeted.learners.special import log_gamma
from budgeted.memory import Memory
from budgeted.value import beta_binomial
from budgeted.value.estimate import CellEstimates, Estimate
from budgeted.value.loss import Loss
from budgeted.value.spectral import without_each
from research.quality.former.odds import logistic
from research.quality.former.relevance import RelevanceBelief

Complexes = NDArray[np.complex128]

STEP = np.pi / 16
FREQUENCIES: Floats = np.arange(0, 4.5, STEP)
ERROR = 1e-5
"""Of the integral: see `budgeted.value.spectral`, whose bounds hold with this step too."""
LOSSES = ("gini", "entropy")
MOST_OUTCOMES = 600
"""Up to so many outcomes of a feature are enumerated."""
DRAWS = 64
GROUPS = 8
ROUNDING = 0.5
"""Log-odds that a feature matters, judged by the others, are rounded to this while it is bought."""
RESOLUTION = 1e-12

_WEIGHTS: Floats = np.where(FREQUENCIES == 0, 1.0, 2.0) * STEP / np.cosh(np.pi * FREQUENCIES)
_KERNELS = {"gini": _WEIGHTS, "entropy": _WEIGHTS * 2 / (1 + 4 * FREQUENCIES**2)}
_memory = Memory()


def expected(belief: RelevanceBelief, allocation: Integers, loss: Loss) -> Estimate:
    """Return the expected loss after an allocation, features × labels."""
    value = _total(belief, _factors_after(belief, allocation), loss)
    return Estimate(value, "outcomes", lower=max(0.0, value - ERROR), upper=value + ERROR)


def cells(belief: RelevanceBelief, depths: Integers, given: Integers, loss: Loss) -> CellEstimates:
    """Return the expected loss after `given` and `depths` more purchases of each cell alone."""
    values = np.full(depths.shape, np.nan)
    now = _factors_after(belief, given)
    others = _without_each(belief, now, loss)
    total = _total(belief, now, loss)
    for label in range(depths.shape[1]):
        asked = np.flatnonzero(depths[:, label])
        more = np.zeros_like(depths)
        more[:, label] = depths[:, label]
        values[asked, label] = total + _changes(belief, now, others, given, more, asked)
    return CellEstimates(values, "outcomes", RESOLUTION)


def features(
    belief: RelevanceBelief, depths: Integers, given: Integers, loss: Loss
) -> CellEstimates:
    """Return the expected loss after `given` and all `depths` more purchases of each feature."""
    values = np.full(len(depths), np.nan)
    now = _factors_after(belief, given)
    asked = np.flatnonzero(depths.any(axis=1))
    others = _without_each(belief, now, loss)
    values[asked] = _total(belief, now, loss) + _changes(belief, now, others, given, depths, asked)
    return CellEstimates(values, "outcomes", RESOLUTION)


def _changes(
    belief: RelevanceBelief,
    now: Complexes,
    others: Complexes,
    given: Integers,
    more: Integers,
    asked: Integers,
) -> Floats:
    """By how much the loss changes when each asked feature is bought."""
    before = _averages(belief, given, asked)
    after = _averages(belief, given + more, asked)
    result: Floats = (others[asked] * (after - before)).real.sum(axis=(1, 2))
    return result


def _total(belief: RelevanceBelief, factors: Complexes, loss: Loss) -> float:
    return float((_prior_factors(belief, loss) * factors.prod(axis=0)).real.sum())


def _without_each(belief: RelevanceBelief, factors: Complexes, loss: Loss) -> Complexes:
    result: Complexes = without_each(factors) * _prior_factors(belief, loss)
    return result


def _prior_factors(belief: RelevanceBelief, loss: Loss) -> Complexes:
    shares = belief.problem.prior
    rows = [
        np.sqrt(shares[one] * shares[two]) * (shares[one] / shares[two]) ** (1j * FREQUENCIES)
        for one, two in _pairs(len(shares))
    ]
    result: Complexes = np.stack(rows) * _KERNELS[loss.name]
    return result


def _pairs(labels: int) -> list[tuple[int, int]]:
    return list(combinations(range(labels), 2))


def _factors_after(belief: RelevanceBelief, given: Integers) -> Complexes:
    """φ of each feature with the purchases under way, features × pairs of labels × frequencies."""
    problem = belief.problem
    logs = np.log(belief.means)
    products = []
    for one, two in _pairs(len(problem.labels)):
        size, angle = (logs[one] + logs[two]) / 2, logs[one] - logs[two]
        powers = np.exp(size[:, None] + 1j * angle[:, None] * FREQUENCIES)
        products.append(np.add.reduceat(powers, layout_of(problem).offsets, axis=0))
    factors: Complexes = np.stack(products, axis=1)
    under_way = np.flatnonzero(given.any(axis=1))
    if len(under_way):
        before = _averages(belief, np.zeros_like(given), under_way)
        factors[under_way] += _averages(belief, given, under_way) - before
    return factors


def _averages(belief: RelevanceBelief, bought: Integers, asked: Integers) -> Complexes:
    """E[φ after the purchases] of the asked features, with rounded odds.

    Only differences of two such averages are used, so that the rounding makes no gain or loss of
    its own.
    """
    if not len(asked):
        return np.empty((0, len(_pairs(len(belief.problem.labels))), len(FREQUENCIES)), complex)
    odds = np.round(belief.log_odds / ROUNDING) * ROUNDING
    keys: list[Hashable] = []
    for feature in asked.tolist():
        columns = belief.columns(feature)
        keys.append(
            (
                belief.alpha[:, columns].tobytes(),
                belief.observed[:, columns].tobytes(),
                float(odds[feature]),
                *bought[feature].tolist(),
            )
        )

    def compute(missing: list[int]) -> Complexes:
        return np.stack(
            [_average(belief, int(asked[at]), odds[asked[at]], bought[asked[at]]) for at in missing]
        )

    return _memory.rows(keys, compute)


def _average(
    belief: RelevanceBelief, feature: int, log_odds: float, purchases: Integers
) -> Complexes:
    columns = belief.columns(feature)
    apart, together = belief.counts[:, columns], belief.pooled[columns]
    odds = float(log_odds + belief.log_evidence[feature])
    weights, seen, ratios = _outcomes(apart, together, float(logistic(np.array(odds))), purchases)
    pairs = _pairs(len(belief.problem.labels))
    return _factors(apart, together, odds + ratios, seen, weights, pairs)


def _factors(
    apart: Floats,
    together: Floats,
    odds: Floats,
    seen: Floats | Integers,
    weights: Floats,
    pairs: list[tuple[int, int]],
) -> Complexes:
    """Return φ averaged over outcomes (outcomes × labels × values), pairs × frequencies.

    `odds` are the log-odds after each outcome that the feature matters.
    """
    share = logistic(odds)[:, None, None]
    numbers = seen[0].sum(axis=1)  # the same in every outcome
    own = (apart + seen) / (apart.sum(axis=1) + numbers)[:, None]
    common = (together + seen.sum(axis=1)) / (together.sum() + numbers.sum())
    logs = np.log(share * own + (1 - share) * common[:, None])
    result = np.empty((len(pairs), len(FREQUENCIES)), dtype=complex)
    for row, (one, two) in zip(result, pairs, strict=True):
        sizes = np.exp((logs[:, one] + logs[:, two]) / 2) * weights[:, None]
        row[:] = _transform(sizes.ravel(), (logs[:, one] - logs[:, two]).ravel())
    return result


def _transform(sizes: Floats, angles: Floats) -> Complexes:
    """Σ size · e^(iω·angle) at every frequency; these are multiples of a step, so by products."""
    powers = np.empty((len(FREQUENCIES), len(sizes)), dtype=complex)
    powers[0] = sizes
    turn, done = np.exp(1j * STEP * angles), 1
    while done < len(powers):  # each time twice as many, by a turn twice as large
        more = min(done, len(powers) - done)
        np.multiply(powers[:more], turn, out=powers[done : done + more])
        turn, done = turn * turn, done + more
    result: Complexes = powers.sum(axis=1)
    return result


def _log_chance(counts: Floats, seen: Floats | Integers) -> Floats:
    """Log-probability of seeing these in their order, outcomes × labels, from Dirichlet counts.

    All outcomes have the same number of values of each label.
    """
    numbers = seen[0].sum(axis=-1)
    totals = counts.sum(axis=-1)
    whole = [lgamma(total) - lgamma(total + number)
             for total, number in zip(totals.ravel().tolist(), numbers.ravel().tolist(),
                                      strict=True)]  # fmt: skip
    result: Floats = _log_rising(counts, seen).sum(axis=-1) + np.reshape(whole, totals.shape)
    return result


def _log_rising(counts: Floats, seen: Floats | Integers) -> Floats:
    """Log Γ(count + seen)/Γ(count): for whole numbers from a table of sums, which is faster."""
    if seen.dtype.kind == "f":
        return log_gamma(counts + seen) - log_gamma(counts)
    most = int(seen.max())
    table = np.zeros((counts.size, most + 1))
    np.cumsum(np.log(counts.ravel()[:, None] + np.arange(most)), axis=1, out=table[:, 1:])
    rows = np.arange(counts.size).reshape(counts.shape) * (most + 1)
    result: Floats = table.ravel()[rows + seen.astype(np.int64, copy=False)]
    return result


def _outcomes(
    apart: Floats, together: Floats, relevance: float, purchases: Integers
) -> tuple[Floats, Floats | Integers, Floats]:
    """Return weights that sum to one, what is seen, and the log Bayes factor of each outcome.

    What is seen: outcomes × labels × values. The Bayes factor says how much the outcome speaks for
    a feature that matters.
    """
    values = len(together)
    bought = tuple(purchases.tolist())
    if prod(comb(number + values - 1, values - 1) for number in bought) <= MOST_OUTCOMES:
        seen, pooled, ways = _everything(bought, values)
        own = _log_chance(apart, seen).sum(axis=1)
        common = _log_chance(together, pooled)
        hypotheses = ((relevance, own), (1 - relevance, common))
        logs = np.logaddexp.reduce(
            [np.log(chance) + ways + each for chance, each in hypotheses if chance > 0]
        )
        weights = np.exp(logs - logs.max())  # one in 171! would be none
        return weights / weights.sum(), seen, own - common
    views = ((relevance, True), (1 - relevance, False))
    likely = [(chance, matters) for chance, matters in views if chance > 1e-3]
    outcomes = _grouped if values == 2 and len(purchases) == 2 else _drawn
    found = [(chance, *outcomes(apart, together, matters, purchases)) for chance, matters in likely]
    weights = np.concatenate([chance * weight for chance, weight, _ in found])
    some = np.concatenate([each for _, _, each in found])
    ratios = _log_chance(apart, some).sum(axis=1) - _log_chance(together, some.sum(axis=1))
    return weights / weights.sum(), some, ratios


@remembered
def _everything(purchases: tuple[int, ...], values: int) -> tuple[Integers, Integers, Floats]:
    """Return all outcomes, the same summed over labels, and in how many orders each can come.

    The last in logarithms, and up to a factor that all have in common.
    """
    rows = [_compositions(number, values) for number in purchases]
    at = np.indices([len(row) for row in rows]).reshape(len(rows), -1)
    seen = np.stack([row[position] for row, position in zip(rows, at, strict=True)], axis=1)
    ways = -_log_rising(np.ones(seen.shape[1:]), seen).sum(axis=(1, 2))
    return seen, seen.sum(axis=1), ways


def _compositions(total: int, parts: int) -> Integers:
    """Return all ways to split a number, one per row.

    >>> _compositions(2, 2).tolist()
    [[0, 2], [1, 1], [2, 0]]
    """
    bars = np.array(list(combinations(range(total + parts - 1), parts - 1)), dtype=np.int64)
    ends = np.full((len(bars), 1), total + parts - 1)
    edges = np.concatenate([np.full((len(bars), 1), -1), bars, ends], axis=1)
    result: Integers = np.diff(edges, axis=1) - 1
    return result


def _grouped(
    apart: Floats, together: Floats, own: bool, purchases: Integers
) -> tuple[Floats, Floats | Integers]:
    """Two values, two labels: equally likely groups of counts, each at its mean."""
    one, two = purchases.tolist()
    chances, first = _groups((apart[0] if own else together)[None], one)
    seen_one = np.stack([first[0], one - first[0]], axis=1)
    before = np.broadcast_to(apart[1], seen_one.shape) if own else together + seen_one
    more, second = _groups(before, two)
    seen_two = np.stack([second, two - second], axis=2)
    both = np.broadcast_to(seen_one[:, None], seen_two.shape)
    weights = chances[0][:, None] * more
    return weights.ravel(), np.stack([both, seen_two], axis=2).reshape(-1, 2, 2)


def _groups(counts: Floats, purchases: int) -> tuple[Floats, Floats]:
    """Return weights and mean numbers of the first value in at most `GROUPS` groups, row by row.

    >>> weights, numbers = _groups(np.array([[1.0, 1.0]]), 15)
    >>> weights.round(3).tolist()[0][:2], numbers.round(3).tolist()[0][:3]
    ([0.125, 0.125], [0.5, 2.5, 4.5])
    """
    chances = beta_binomial.weights(counts[:, 0], counts.sum(axis=1), purchases)
    numbers = np.arange(purchases + 1.0)
    if purchases < GROUPS:
        return chances, np.broadcast_to(numbers, chances.shape)
    # Means of groups by the area under the quantile function between multiples of 1/GROUPS.
    mass, moment = np.zeros((2, len(counts), purchases + 2))
    np.cumsum(chances, axis=1, out=mass[:, 1:])
    np.cumsum(chances * numbers, axis=1, out=moment[:, 1:])
    shares = np.arange(GROUPS + 1) / GROUPS
    edges = [np.interp(shares * x[-1], x, y) for x, y in zip(mass, moment, strict=True)]
    means = np.clip(np.diff(edges, axis=1) * GROUPS, 0, purchases)  # rounding may exceed
    return np.full((len(counts), GROUPS), 1 / GROUPS), means


def _drawn(
    apart: Floats, together: Floats, own: bool, purchases: Integers
) -> tuple[Floats, Floats | Integers]:
    """Any number of values and labels: drawn, always from the same stream."""
    rng = np.random.default_rng(0)
    common = _dirichlet(together, rng)
    seen = []
    for counts, bought in zip(apart, purchases.tolist(), strict=True):
        chances = _dirichlet(counts, rng) if own else common
        seen.append(rng.multinomial(bought, chances))
    return np.full(DRAWS, 1 / DRAWS), np.stack(seen, axis=1)


def _dirichlet(counts: Floats, rng: np.random.Generator) -> Floats:
    drawn: Floats = rng.dirichlet(counts, size=DRAWS)
    drawn /= drawn.sum(axis=1, keepdims=True)
    return drawn
