"""Exp3: features gain weight by how well the classifier does after buying them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from budgeted.policies.base import Choice
from budgeted.policies.draws import draw_cell
from budgeted.policies.hindsight import Floats, hindsight, per_money
from budgeted.policies.parameters import check_share
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
