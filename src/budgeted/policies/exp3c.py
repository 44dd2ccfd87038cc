"""Exp3C: an Exp3 of its own for every label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from budgeted.policies.base import Choice
from budgeted.policies.draws import draw_cell
from budgeted.policies.exp3 import probabilities
from budgeted.policies.hindsight import hindsight, per_money
from budgeted.policies.parameters import check_share
from budgeted.problem import Action
from budgeted.state import State


@dataclass(frozen=True)
class Exp3C:
    """Draw a label from the prior, then a feature as the Exp3 of that label says.

    Deng, Bourke, Scott, Sunderman and Zheng (2007), *Bandit-based algorithms for budgeted
    learning*, ICDM. A feature can be worth buying from cases of one label and not from those of
    another; so each label has weights of its own, which only purchases of that label move. All
    else is as in `budgeted.policies.exp3`. Labels of which nothing can be bought are left out of
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
