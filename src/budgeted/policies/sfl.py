"""Single feature lookahead (the paper's Section 3.5), and two that grew out of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from budgeted.loss import feature_lookahead
from budgeted.loss.losses import Floats, Integers
from budgeted.policies.base import Cell, Policy, Scores, View
from budgeted.policies.parameters import check_count, check_looking, check_number
from budgeted.state import NO_LIMIT


@dataclass(frozen=True)
class SingleFeatureLookahead(Policy):
    """Buy one value of the cell that would be best if all the money went to it.

    For each cell: the expected loss after as many purchases of it alone as the free money pays for
    and cases are left, at most `max_depth`. The best cell is bought once, and all is weighed anew
    (Lizotte, Madani and Greiner, 2003, Section 3.5 and Figure 2(c)). Unlike greedy it knows the
    budget and the costs.

    Parameters
    ----------
    max_depth
        Look at most this many purchases ahead; as far as the money goes unless given.
    loss
        ``gini``, ``entropy`` or ``zero_one``.
    particles
        How many cases are drawn where there are too many to go through.

    Examples
    --------
    >>> from budgeted import Feature, Problem, Purchase, State
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1), Feature("cough", ("no", "yes"), 1)],
    ...                   ("well", "ill"), prior=(0.5, 0.5), budget=50)
    >>> state = State.start(problem).after(Purchase(0, 1, value=1, cost=1))
    >>> choice = SingleFeatureLookahead(max_depth=30).choose(state, np.random.default_rng(0))
    >>> choice.action, choice.reason
    (Action(feature=1, label=1), 'least expected gini loss, 0.4422, after 30 purchases of it')
    """

    name = "sfl"
    summary = "one value of what would be best if all the money went to it"
    history_needed = 0
    symmetries = ("features", "labels", "values")

    max_depth: int | None = None
    loss: str = "gini"
    particles: int = 1_000

    def __post_init__(self) -> None:
        check_looking(self.loss, self.particles, self.max_depth)

    def numbers(self, now: View) -> Integers:
        """Return how many purchases of each cell are weighed."""
        return now.depth if self.max_depth is None else np.minimum(now.depth, self.max_depth)

    def scores(self, now: View) -> Scores:
        """Return the expected loss if all the money went to each cell."""
        return now.lookahead(self.numbers(now), self.loss, self.particles)

    def reason(self, now: View, cell: Cell, scores: Scores) -> str:
        """Return the loss, and after what."""
        number = int(self.numbers(now)[cell])
        return (
            f"least expected {self.loss} loss, {scores.values[cell]:.4f}, after {number} "
            f"purchase{'s' * (number > 1)} of it"
        )


@dataclass(frozen=True)
class RandomisedLookahead(SingleFeatureLookahead):
    """Draw one of the cells that single feature lookahead finds best, the better the likelier.

    Kapoor and Greiner (2005), *Learning and classifying under hard budgets*, ECML. Lookahead is
    sure of its choice even where others are as good; drawing among the best spreads the money.
    Of the `best` cells with the least expected losses S, each is drawn with probability
    ∝ exp(−S / τ). Losses that matter differ by thousandths, so a fixed τ would draw evenly: here
    τ is `temperature` times the standard deviation of those losses. Cells that cannot be told
    apart from the last of the best are kept too.

    Parameters
    ----------
    max_depth, loss, particles
        As for single feature lookahead.
    best
        How many cells to draw from.
    temperature
        How evenly; towards 0 it becomes lookahead itself.

    Examples
    --------
    >>> from budgeted import Feature, Problem, Purchase, State
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1), Feature("cough", ("no", "yes"), 1)],
    ...                   ("well", "ill"), prior=(0.5, 0.5), budget=50)
    >>> state = State.start(problem).after(Purchase(0, 1, value=1, cost=1))
    >>> choice = RandomisedLookahead(best=2).choose(state, np.random.default_rng(0))
    >>> choice.action, choice.reason
    (Action(feature=1, label=1), 'drawn with probability 0.81 among the 3 best; its expected gini \
loss is 0.4409')
    """

    name = "rsfl"
    summary = "like sfl, but one of the best is drawn, the better the likelier"

    best: int = 10
    temperature: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("best", self.best)
        check_number("temperature", self.temperature)

    def chances(self, now: View, scores: Scores) -> Floats:
        """Return the chances of the best, by how good they are."""
        losses = np.where(np.isnan(scores.values), np.inf, scores.values)
        kept = losses <= np.sort(losses, axis=None)[: self.best][-1] + scores.tie
        kept &= np.isfinite(losses)
        spread = float(losses[kept].std())
        # What cannot be told apart must not decide anything.
        scale = self.temperature * spread if spread > np.max(scores.tie) else np.inf
        behind = np.where(kept, losses, losses.min()) - losses.min()
        weights = np.where(kept, np.exp(-behind / scale), 0.0)
        result: Floats = weights / weights.sum()
        return result

    def reason(self, now: View, cell: Cell, scores: Scores) -> str:
        """Return how probable it was."""
        chances = self.chances(now, scores)
        return (
            f"drawn with probability {chances[cell]:.2f} among the {np.count_nonzero(chances)} "
            f"best; its expected {self.loss} loss is {scores.values[cell]:.4f}"
        )


@dataclass(frozen=True)
class PairLookahead(SingleFeatureLookahead):
    """Buy a value of the feature that would be best if all the money went to all its labels.

    A variant of single feature lookahead, which judges a feature by the purchases of one label at a
    time. But a feature tells labels apart by how its values differ between them: what is learnt of
    one label is worth more once the other is known. So here the purchases that the free money pays
    for are shared evenly between the labels, as far as cases are left, and what remains after even
    shares goes to the labels in the order of what they are worth alone.

    Of the best feature, the label is bought whose share alone has the least expected loss.

    Parameters
    ----------
    max_depth, loss, particles
        As for single feature lookahead.

    Examples
    --------
    >>> from budgeted import Feature, Problem, Purchase, State
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1), Feature("cough", ("no", "yes"), 1)],
    ...                   ("well", "ill"), prior=(0.5, 0.5), budget=50)
    >>> state = State.start(problem).after(Purchase(0, 1, value=1, cost=1))
    >>> choice = PairLookahead(max_depth=30).choose(state, np.random.default_rng(0))
    >>> choice.action.feature, choice.reason
    (1, "least expected gini loss, 0.4103, after 30 purchases of 'cough', shared by the labels")
    """

    name = "pair-lookahead"
    summary = "like sfl, but judging a feature with the money shared by its labels"

    def _shares(self, now: View) -> tuple[Integers, Integers]:
        """How many purchases of each cell are weighed together, and how many alone."""
        depth = self.numbers(now)
        most = NO_LIMIT if self.max_depth is None else self.max_depth
        total = np.minimum(now.state.purchases(depth), most)
        alone = np.minimum(depth, -(-total // depth.shape[1])[:, None])  # rounded up
        shares = evenly(total, depth)
        odd = (shares.sum(axis=1) < total)[:, None]
        if odd.any():
            worth = now.lookahead(np.where(odd, alone, 0), self.loss, self.particles)
            shares = rest_to_the_best(shares, total, depth, worth.values)
        return shares, alone

    def scores(self, now: View) -> Scores:
        """Return the expected loss of the feature of each cell."""
        shares, labels = self._shares(now)[0], now.depth.shape[1]
        found = feature_lookahead(
            now.belief, shares, self.loss, now.under_way, self.particles, now.lot
        )
        values = np.repeat(found.values[:, None], labels, axis=1)
        return Scores(values, found.resolution)

    def due(self, now: View, scores: Scores) -> NDArray[np.bool_]:
        """Return the labels of the best features whose shares alone do most."""
        best = scores.values <= np.nanmin(scores.values) + scores.tie
        alone = now.lookahead(np.where(best, self._shares(now)[1], 0), self.loss, self.particles)
        losses = np.where(np.isnan(alone.values), np.inf, alone.values)
        least = losses <= losses.min(axis=1, keepdims=True) + alone.tie
        return super().due(now, Scores(np.where(best & least, 0.0, np.nan)))

    def reason(self, now: View, cell: Cell, scores: Scores) -> str:
        """Return the loss, and after what."""
        number = int(self._shares(now)[0][cell[0]].sum())
        return (
            f"least expected {self.loss} loss, {scores.values[cell]:.4f}, after {number} "
            f"purchase{'s' * (number > 1)} of {now.problem.features[cell[0]].name!r}, shared by "
            "the labels"
        )


def evenly(total: Integers, most: Integers) -> Integers:
    """Share purchases of each feature evenly between its labels, and leave what does not divide.

    Parameters
    ----------
    total
        Purchases of each feature; no more than there are in all of `most`.
    most
        Of each label, features × labels.

    Examples
    --------
    >>> evenly(np.array([7, 7]), np.array([[9, 9], [9, 2]])).tolist()
    [[3, 3], [5, 2]]
    """
    result = np.zeros_like(most)
    left = total.copy()
    for _ in range(most.shape[1]):  # each time round a label is full, or all have the same
        takes = result < most
        share = left // np.maximum(takes.sum(axis=1), 1)
        more = np.minimum(np.where(takes, share[:, None], 0), most - result)
        result += more
        left -= more.sum(axis=1)
    return result


def rest_to_the_best(shares: Integers, total: Integers, most: Integers, losses: Floats) -> Integers:
    """Return the shares with what was left given one each to the labels of the least losses.

    >>> losses = np.array([[0.2, 0.1]])
    >>> rest_to_the_best(np.array([[3, 3]]), np.array([7]), np.array([[9, 9]]), losses).tolist()
    [[3, 4]]
    """
    left = total - shares.sum(axis=1)
    order = np.where(shares < most, losses, np.inf).argsort(axis=1, kind="stable")
    result: Integers = shares + (order.argsort(axis=1) < left[:, None])
    return result
