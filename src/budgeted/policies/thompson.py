"""Top-two Thompson sampling: which feature might be the best?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from budgeted.learners.belief import Floats
from budgeted.policies.base import Choice
from budgeted.policies.draws import draw_label
from budgeted.policies.parameters import check_count
from budgeted.state import State
from budgeted.value.alone import losses_alone
from budgeted.value.loss import named


@dataclass(frozen=True)
class TopTwoThompson:
    """Buy the best feature of a model drawn from the belief, half the time its challenger.

    Russo (2016), *Simple Bayesian algorithms for best arm identification*, COLT, after Thompson
    (1933), *On the likelihood that one unknown probability exceeds another*, Biometrika 25. Draw
    parameters from the belief; the best feature is the one that, alone, lowers the loss of the
    drawn model most per money. Left to itself this would soon buy one feature only; so with
    probability one half parameters are drawn again until another feature is the best, and that one
    is bought. The label is drawn from the prior.

    Where no other feature wins within `redraws` draws, the second best of the last one is bought.
    Requests under way do not change what is drawn; drawing spreads them.

    Parameters
    ----------
    loss
        ``gini``, ``entropy`` or ``zero_one``, of a feature alone.
    redraws
        How often to draw again at most.

    Examples
    --------
    >>> from budgeted import Feature, Problem, Purchase, State
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1), Feature("cough", ("no", "yes"), 1)],
    ...                   ("well", "ill"), prior=(0.5, 0.5), budget=5)
    >>> state = State.start(problem).after(Purchase(0, 1, value=1, cost=1))
    >>> TopTwoThompson().choose(state, np.random.default_rng(0)).reason
    "'fever' challenges 'cough' for the gini loss in models drawn from the belief"
    """

    name: ClassVar[str] = "top-two-thompson"
    summary: ClassVar[str] = "the best feature of a drawn model, or its challenger"
    draws: ClassVar[bool] = True
    looks_back: ClassVar[int] = 0
    alike: ClassVar[tuple[str, ...]] = ("features", "labels", "values")

    loss: str = "gini"
    redraws: int = 20

    def __post_init__(self) -> None:
        named(self.loss)
        check_count("redraws", self.redraws)

    def choose(self, state: State, rng: np.random.Generator) -> Choice | None:
        """Return a cell of the best feature drawn; the scores are the change of loss per money."""
        affordable = state.affordable()
        if not affordable:
            return None
        features = sorted({action.feature for action in affordable})
        changes = self._changes(state, rng)[features]
        chosen = int(changes.argmin())
        reason = f"lowers the {self.loss} loss most in a model drawn from the belief"
        if len(features) > 1 and rng.integers(2):
            leader = chosen
            for _ in range(self.redraws):
                changes = self._changes(state, rng)[features]
                chosen = int(changes.argmin())
                if chosen != leader:
                    break
            else:
                others = np.delete(np.arange(len(features)), leader)
                chosen = int(others[changes[others].argmin()])
            name = state.problem.features[features[leader]].name
            reason = f"challenges {name!r} for the {self.loss} loss in models drawn from the belief"
        score = dict(zip(features, changes.tolist(), strict=True))
        feature = features[chosen]
        return Choice(
            draw_label(state, feature, affordable, rng),
            {action: score[action.feature] for action in affordable},
            f"{state.problem.features[feature].name!r} {reason}",
        )

    def _changes(self, state: State, rng: np.random.Generator) -> Floats:
        """Return how each feature alone changes the loss of a drawn model, per money."""
        rule, problem = named(self.loss), state.problem
        prior = np.array(problem.prior)
        losses = losses_alone(problem, state.belief.sample(rng), rule)
        result: Floats = (losses - rule(prior)) / state.costs().max(axis=1)
        return result
