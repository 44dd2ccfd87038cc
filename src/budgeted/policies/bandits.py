"""Bandits of Deng et al. (2007): features gain by how well the classifier does after buying them.

Deng, Bourke, Scott, Sunderman and Zheng, *Bandit-based algorithms for budgeted learning*, ICDM. The
reward of a purchase is the accuracy of the classifier on the bought pool after it (see
`budgeted.policies.effects`), per money: times the lowest cost divided by the feature's. Labels are
drawn from the prior.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from budgeted.loss.losses import Floats
from budgeted.policies.base import Cell, Policy, Scores, View
from budgeted.policies.effects import effects, per_money
from budgeted.policies.parameters import check_number

_LARGEST = 1e100
"""Weights are scaled down beyond this; only their ratios count."""


@dataclass(frozen=True)
class Exp3(Policy):
    """Draw a feature with a probability that grows with the rewards it brought.

    The weights are those of Auer, Cesa-Bianchi, Freund and Schapire (2002), *The nonstochastic
    multiarmed bandit problem*, SIAM Journal on Computing 32(1). Of n features::

        p_i = (1 − γ) w_i / Σ w + γ/n,      w_i ← w_i · exp(γ · reward / (p_i · n))

    The weights are computed from the history, with the probabilities that all features had; those
    that cannot be bought any more are left out only of the draw. Requests under way have no reward
    yet; the draws spread them.

    Parameters
    ----------
    gamma
        Share of purchases that are drawn evenly, above 0 and at most 1.

    Examples
    --------
    >>> from budgeted import Feature, Problem, Purchase, State
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1), Feature("cough", ("no", "yes"), 1)],
    ...                   ("well", "ill"), prior=(0.5, 0.5), budget=5)
    >>> state = State.start(problem).after(Purchase(0, 1, value=1, cost=1))
    >>> Exp3(gamma=0.5).choose(state, np.random.default_rng(1)).reason
    "'fever' was drawn with probability 0.56"
    """

    name = "exp3"
    summary = "draw the features whose purchases left an accurate classifier"
    symmetries = ("features", "labels", "values")

    gamma: float = 0.05

    def __post_init__(self) -> None:
        check_number("gamma", self.gamma, most=1)

    def scores(self, now: View) -> Scores:
        """Return 1 − the chance of each cell."""
        features = probabilities(len(now.depth), _plays(now), self.gamma)
        shares = np.where(now.depth > 0, now.problem.prior, 0.0)
        of_feature = shares.sum(axis=1, keepdims=True)
        chances = features[:, None] * shares / np.where(of_feature > 0, of_feature, 1.0)
        return Scores(1 - chances / chances.sum())

    def chances(self, now: View, scores: Scores) -> Floats:
        """Return the chance of each cell."""
        return np.nan_to_num(1 - scores.values)

    def reason(self, now: View, cell: Cell, scores: Scores) -> str:
        """Return the chance of the feature."""
        chance = self.chances(now, scores)[cell[0]].sum()
        return f"{now.problem.features[cell[0]].name!r} was drawn with probability {chance:.2f}"


@dataclass(frozen=True)
class Exp3C(Exp3):
    """Draw a label from the prior, then a feature as the Exp3 of that label says.

    A feature can be worth buying from cases of one label and not from those of another; so each
    label has weights of its own, which only purchases of that label move. Labels of which nothing
    can be bought are left out of the draw.

    Parameters
    ----------
    gamma
        Share of purchases that are drawn evenly, above 0 and at most 1.

    Examples
    --------
    >>> from budgeted import Feature, Problem, Purchase, State
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1), Feature("cough", ("no", "yes"), 1)],
    ...                   ("well", "ill"), prior=(0.5, 0.5), budget=5)
    >>> state = State.start(problem).after(Purchase(0, 1, value=1, cost=1))
    >>> scores = Exp3C(gamma=0.5).choose(state, np.random.default_rng(1)).scores
    >>> [round(1 - score, 2) for score in scores.values()]
    [0.25, 0.28, 0.25, 0.22]
    """

    name = "exp3c"
    summary = "Exp3 with weights of their own for every label"

    def scores(self, now: View) -> Scores:
        """Return 1 − the chance of each cell."""
        chances = np.zeros(now.depth.shape)
        for label in np.flatnonzero(now.depth.any(axis=0)).tolist():
            features = probabilities(len(now.depth), _plays(now, label), self.gamma)
            sold = np.where(now.depth[:, label] > 0, features, 0.0)
            chances[:, label] = now.problem.prior[label] * sold / sold.sum()
        return Scores(1 - chances / chances.sum())

    def reason(self, now: View, cell: Cell, scores: Scores) -> str:
        """Return the chance of the cell."""
        name, label = now.problem.features[cell[0]].name, now.problem.labels[cell[1]]
        chance = self.chances(now, scores)[cell]
        return f"{name!r} of {label!r} was drawn with probability {chance:.2f}"


@dataclass(frozen=True)
class FollowExpectedLeader(Policy):
    """Buy the feature after whose purchases the classifier erred least, up to noise.

    After Kalai and Vempala (2005), *Efficient algorithms for online decision problems*, Journal of
    Computer and System Sciences 71(3). A purchase adds the error of the classifier to the sum of
    its feature, and the feature with the least (sum + noise from 0 to 1/ε) / (purchases + 1) is
    next. The noise fades with the purchases of a feature; a feature never bought competes with its
    noise alone. With unequal costs a purchase adds 1 − accuracy · (lowest cost / its cost). A
    request under way counts as a purchase after which the classifier is as good as it is now.

    Parameters
    ----------
    epsilon
        The noise goes up to 1/ε; above 0 and at most 1.

    Examples
    --------
    >>> from budgeted import Feature, Problem, Purchase, State
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1), Feature("cough", ("no", "yes"), 1)],
    ...                   ("well", "ill"), prior=(0.5, 0.5), budget=5)
    >>> state = State.start(problem).after(Purchase(0, 1, value=1, cost=1))
    >>> FollowExpectedLeader().choose(state, np.random.default_rng(0)).reason
    "least mean error with noise, 2.70, for 'cough'"
    """

    name = "fel"
    summary = "the feature whose purchases left the least error, up to noise"
    symmetries = ("features", "labels", "values")

    epsilon: float = 0.1

    def __post_init__(self) -> None:
        check_number("epsilon", self.epsilon, most=1)

    def scores(self, now: View) -> Scores:
        """Return the mean error with noise of the feature of each cell."""
        scale, past = per_money(now.state), effects(now.state)
        accuracy = past.accuracy[-1] if past.accuracy else max(now.problem.prior)
        played = [each.feature for each in (*now.state.history, *now.state.pending)]
        right = np.array([*past.accuracy, *[accuracy] * len(now.state.pending)])
        sums = np.bincount(played, 1 - right * scale[played], len(scale))
        counts = np.bincount(played, minlength=len(scale))
        means = (sums + now.rng.uniform(0, 1 / self.epsilon, len(scale))) / (counts + 1)
        return Scores(np.repeat(means[:, None], now.depth.shape[1], axis=1))

    def chances(self, now: View, scores: Scores) -> Floats:
        """Return the shares of the labels of the leader."""
        return now.label_shares(int(np.nanargmin(scores.values)) // now.depth.shape[1])

    def reason(self, now: View, cell: Cell, scores: Scores) -> str:
        """Return the leader's error."""
        name = now.problem.features[cell[0]].name
        return f"least mean error with noise, {scores.values[cell]:.2f}, for {name!r}"


def _plays(now: View, label: int | None = None) -> Iterable[tuple[int, float]]:
    """Yield the purchases, of one label or of all, and their rewards."""
    scale, past = per_money(now.state), effects(now.state)
    for each, right in zip(now.state.history, past.accuracy, strict=True):
        if label is None or each.label == label:
            yield each.feature, right * scale[each.feature]


def probabilities(features: int, plays: Iterable[tuple[int, float]], gamma: float) -> Floats:
    """Return Exp3's probabilities after some plays, (feature, reward from 0 to 1) each.

    >>> probabilities(2, [(0, 1.0), (0, 1.0)], gamma=0.5).round(3).tolist()
    [0.61, 0.39]
    """
    weights = [1.0] * features
    total = float(features)
    for feature, reward in plays:
        chance = (1 - gamma) * weights[feature] / total + gamma / features
        grown = weights[feature] * float(np.exp(gamma * reward / (chance * features)))
        total += grown - weights[feature]
        weights[feature] = grown
        if total > _LARGEST:
            weights = [each / total for each in weights]
            total = sum(weights)
    shares = np.array(weights)
    result: Floats = (1 - gamma) * shares / shares.sum() + gamma / features
    return result
