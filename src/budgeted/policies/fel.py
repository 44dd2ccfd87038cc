"""FEL: follow the expected leader, with a little noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from budgeted.policies.base import Choice
from budgeted.policies.draws import draw_label
from budgeted.policies.hindsight import hindsight, per_money
from budgeted.policies.parameters import check_share
from budgeted.state import State


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
