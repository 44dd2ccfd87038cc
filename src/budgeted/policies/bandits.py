"""Bandits: features are drawn by how well the classifier did after values of them were bought."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from budgeted.policies.base import Choice, check_share
from budgeted.policies.hindsight import Floats, hindsight, per_money
from budgeted.policies.turns import draw_cell, draw_label
from budgeted.problem import Action
from budgeted.state import State

_LARGEST = 1e100
"""Weights are scaled down beyond this; only their ratios count."""


@dataclass(frozen=True)
class Exp3:
    """Draw a feature with a probability that grows with the rewards it brought.

    Deng, Bourke, Scott, Sunderman and Zheng (2007), *Bandit-based algorithms for budgeted
    learning*, ICDM; the weights are those of Auer, Cesa-Bianchi, Freund and Schapire (2002), *The
    nonstochastic multiarmed bandit problem*, SIAM Journal on Computing 32(1). Of n features::

        p_i = (1 − γ) w_i / Σ w + γ/n,      w_i ← w_i · exp(γ · reward / (p_i · n))

    The reward of a purchase is the accuracy of the classifier on the bought pool after it (see
    `budgeted.policies.hindsight`), per money: times the lowest cost divided by the feature's.
    The label is drawn from the prior.

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

    name: ClassVar[str] = "exp3"
    summary: ClassVar[str] = "draw the features whose purchases left an accurate classifier"
    draws: ClassVar[bool] = True
    alike: ClassVar[tuple[str, ...]] = ("features", "labels", "values")

    gamma: float = 0.05

    def __post_init__(self) -> None:
        check_share("gamma", self.gamma)

    def choose(self, state: State, rng: np.random.Generator) -> Choice | None:
        """Return a drawn cell; the scores are 1 − the probability of each."""
        affordable = state.affordable()
        if not affordable:
            return None
        scale, past = per_money(state), hindsight(state)
        plays = (
            (each.feature, right * scale[each.feature])
            for each, right in zip(past.history, past.accuracy, strict=True)
        )
        chances = probabilities(len(scale), plays, self.gamma)
        features = {action.feature for action in affordable}
        possible = sum(chances[feature] for feature in features)
        prior = state.problem.prior
        shares = {
            feature: sum(prior[action.label] for action in affordable if action.feature == feature)
            for feature in features
        }
        weights = [
            chances[action.feature] / possible * prior[action.label] / shares[action.feature]
            for action in affordable
        ]
        action, scores = draw_cell(affordable, weights, rng)
        name = state.problem.features[action.feature].name
        chance = chances[action.feature] / possible
        return Choice(action, scores, f"{name!r} was drawn with probability {chance:.2f}")


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


@dataclass(frozen=True)
class Exp3C:
    """Draw a label from the prior, then a feature as the Exp3 of that label says.

    Deng, Bourke, Scott, Sunderman and Zheng (2007), *Bandit-based algorithms for budgeted
    learning*, ICDM. A feature can be worth buying from cases of one label and not from those of
    another; so each label has weights of its own, which only purchases of that label move. All
    else is as in `Exp3`. Labels of which nothing can be bought are left out of
    the draw.

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

    name: ClassVar[str] = "exp3c"
    summary: ClassVar[str] = "Exp3 with weights of their own for every label"
    draws: ClassVar[bool] = True
    alike: ClassVar[tuple[str, ...]] = ("features", "labels", "values")

    gamma: float = 0.05

    def __post_init__(self) -> None:
        check_share("gamma", self.gamma)

    def choose(self, state: State, rng: np.random.Generator) -> Choice | None:
        """Return a drawn cell; the scores are 1 − the probability of each."""
        affordable = state.affordable()
        if not affordable:
            return None
        scale, past = per_money(state), hindsight(state)
        labels = {action.label for action in affordable}
        possible = sum(state.problem.prior[label] for label in labels)
        chances: dict[Action, float] = {}
        for label in labels:
            plays = (
                (each.feature, right * scale[each.feature])
                for each, right in zip(past.history, past.accuracy, strict=True)
                if each.label == label
            )
            all_of_them = probabilities(len(scale), plays, self.gamma)
            here = [action for action in affordable if action.label == label]
            share = state.problem.prior[label] / possible
            total = sum(all_of_them[action.feature] for action in here)
            chances |= {action: share * all_of_them[action.feature] / total for action in here}
        action, scores = draw_cell(affordable, [chances[each] for each in affordable], rng)
        name, label_name = (
            state.problem.features[action.feature].name,
            state.problem.labels[action.label],
        )
        reason = f"{name!r} of {label_name!r} was drawn with probability {chances[action]:.2f}"
        return Choice(action, scores, reason)


@dataclass(frozen=True)
class FollowExpectedLeader:
    """Buy the feature after whose purchases the classifier erred least, up to noise.

    Deng, Bourke, Scott, Sunderman and Zheng (2007), *Bandit-based algorithms for budgeted
    learning*, ICDM, after Kalai and Vempala (2005), *Efficient algorithms for online decision
    problems*, Journal of Computer and System Sciences 71(3). A purchase adds the error of the
    classifier on the bought pool (see `budgeted.policies.hindsight`) to the sum of its feature,
    and the feature with the least (sum + noise from 0 to 1/ε) / (purchases + 1) is next. The
    noise fades with the purchases of a feature; a feature never bought competes with its noise
    alone. The label is drawn from the prior.

    With unequal costs a purchase adds 1 − accuracy · (lowest cost / its cost). A request under
    way counts as a purchase after which the classifier is as good as it is now.

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

    name: ClassVar[str] = "fel"
    summary: ClassVar[str] = "the feature whose purchases left the least error, up to noise"
    alike: ClassVar[tuple[str, ...]] = ("features", "labels", "values")

    epsilon: float = 0.1

    def __post_init__(self) -> None:
        check_share("epsilon", self.epsilon)

    def choose(self, state: State, rng: np.random.Generator) -> Choice | None:
        """Return a cell of the leading feature; the scores are the means with noise."""
        affordable = state.affordable()
        if not affordable:
            return None
        scale, past = per_money(state), hindsight(state)
        now = past.accuracy[-1] if past.accuracy else max(state.problem.prior)
        played = [each.feature for each in past.history]
        played += [each.feature for each in state.pending]
        accuracy = np.array([*past.accuracy, *[now] * len(state.pending)])
        regrets = 1 - accuracy * scale[played]
        sums = np.bincount(played, weights=regrets, minlength=len(scale))
        counts = np.bincount(played, minlength=len(scale))
        means = (sums + rng.uniform(0, 1 / self.epsilon, len(scale))) / (counts + 1)
        scores = {action: float(means[action.feature]) for action in affordable}
        feature = min(affordable, key=lambda action: scores[action]).feature
        name = state.problem.features[feature].name
        return Choice(
            draw_label(state, feature, affordable, rng),
            scores,
            f"least mean error with noise, {means[feature]:.2f}, for {name!r}",
        )
