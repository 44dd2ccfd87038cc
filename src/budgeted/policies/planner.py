"""Several requests from one decision: a policy's plan is followed while nothing new is known."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from budgeted.belief import Belief
from budgeted.policies.base import Choice, Chooser
from budgeted.problem import Action
from budgeted.state import State


class Planner:
    """Hands out the plan of a policy, and asks it again as soon as the plan no longer fits.

    A decision of `auto` weighs whole handfuls of purchases. When several requests are wanted at
    the same moment, there is no need to weigh everything anew for each of them: the handful that
    was best is bought. Nor would that give much else. If a handful of n is worth most per money,
    then what is left of it after some of it was bought is worth at least as much per money: what
    was bought cannot have been worth more, or a smaller handful would have been better.

    A plan ends when it is used up, when a value came back or the budget was changed (then the
    belief is another one), or when anything but the plan's own requests is under way. Scores and
    reason are those of the decision. A policy without plans is asked each time.

    This is memory, so a planner is made anew for requests that are wanted together, and not kept:
    what is asked depends on the study and on nothing else.

    Parameters
    ----------
    policy
        Who decides.

    Examples
    --------
    >>> from budgeted import Feature, Problem, State
    >>> from budgeted.policies import policy
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.5, 0.5), 9)
    >>> planner, state = Planner(policy("auto")), State.start(problem)
    >>> first = planner.choose(state, np.random.default_rng(0))
    >>> first.plan
    (Action(feature=0, label=0),)
    >>> planner.choose(state.reserve(first.action), np.random.default_rng(0)).action
    Action(feature=0, label=0)
    """

    def __init__(self, policy: Chooser) -> None:
        self._policy = policy
        self._choice: Choice | None = None
        self._known: Belief | None = None
        self._under_way: Counter[Action] = Counter()

    def choose(self, state: State, rng: np.random.Generator) -> Choice | None:
        """Return the next purchase of the plan, or what the policy decides now."""
        choice = self._next_of_plan(state) or self._policy.choose(state, rng)
        self._choice = choice
        if choice is not None and choice.plan:
            self._known = state.belief
            self._under_way = Counter(state.under_way())
            self._under_way[choice.action] += 1
        return choice

    def _next_of_plan(self, state: State) -> Choice | None:
        last = self._choice
        if (
            last is None
            or not last.plan
            or state.belief is not self._known
            or not state.depths()[last.plan[0]]
            or self._under_way != state.under_way()
        ):
            return None
        return replace(last, action=last.plan[0], plan=last.plan[1:])
