"""Uniform expenditure: the same money for every feature."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar

import numpy as np

from budgeted.policies.base import Choice, in_turn
from budgeted.problem import Action, money
from budgeted.problem.orders import Purchase, Request
from budgeted.state import State


@dataclass(frozen=True)
class UniformExpenditure:
    """Buy from the feature on which the least money was spent so far.

    Each of n features gets about b/n of a budget b, so expensive ones are bought less often
    (Lizotte, Madani and Greiner, 2003, Section 3.2). Ties between features go round; within the
    feature it is the turn of the label that was bought least.

    Examples
    --------
    >>> from budgeted import Feature, Problem, State
    >>> from budgeted.policies import policy
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1), Feature("scan", ("no", "yes"), 4)],
    ...                   ("well", "ill"), prior=(0.5, 0.5), budget=16)
    >>> state, rng = State.start(problem), np.random.default_rng(0)
    >>> while (choice := policy("uniform-expenditure").choose(state, rng)) is not None:
    ...     state = state.reserve(choice.action)
    >>> Counter(problem.features[request.feature].name for request in state.pending)
    Counter({'fever': 8, 'scan': 2})
    """

    name: ClassVar[str] = "uniform-expenditure"
    summary: ClassVar[str] = "the same money for every feature, so expensive ones less often"
    takes_turns: ClassVar[bool] = True
    looks_back: ClassVar[int] = 1
    alike: ClassVar[tuple[str, ...]] = ("values",)

    def choose(self, state: State, rng: np.random.Generator) -> Choice | None:
        """Return a cell of the feature with the least money spent; its scores are that money."""
        affordable = state.affordable()
        if not affordable:
            return None
        spent = [Decimal(0)] * len(state.problem.features)
        bought: Counter[Action] = Counter()
        bills: tuple[Purchase | Request, ...] = (*state.history, *state.pending)
        for each in bills:
            spent[each.feature] = money.add(spent[each.feature], each.cost)
            bought[each.action] += 1
        possible = {action.feature for action in affordable}
        least = min(spent[feature] for feature in possible)
        poorest = {feature for feature in possible if spent[feature] == least}
        last = None if state.last_action is None else state.last_action.feature
        feature = in_turn(range(len(spent)), last, poorest)[0]
        labels = [action for action in affordable if action.feature == feature]
        return Choice(
            min(labels, key=lambda action: (bought[action], action.label)),
            {action: float(spent[action.feature]) for action in affordable},
            f"least money went to {state.problem.features[feature].name!r} so far: {least}",
        )
