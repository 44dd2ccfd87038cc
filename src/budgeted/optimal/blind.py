"""A policy that is shown a price for each feature, and pays what cases really cost."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from budgeted.policies.base import Choice, Policy, alike, looks_back
from budgeted.problem import Problem
from budgeted.state import State
from budgeted.state.offers import NO_LIMIT


@dataclass(frozen=True)
class Blind:
    """The same policy, blind to fees and panels: what it would buy if there were none.

    It sees what is known, the money that is left, and the price of each feature by itself; cells
    that cannot be paid at all are not offered to it. Cases are picked by a rule that does not look
    at prices either, ``settle`` unless the policy prefers another.

    Parameters
    ----------
    policy
        Who decides.

    Examples
    --------
    >>> from budgeted import Feature
    >>> from budgeted.policies import policy
    >>> from budgeted.problem.prices import Tariff
    >>> features = [Feature(name, ("no", "yes"), 10) for name in ("glucose", "insulin")]
    >>> clinic = Problem(features, ("well", "ill"), (0.5, 0.5), 500, Tariff(visit_fee=50))
    >>> state, rng = State.start(clinic), np.random.default_rng(0)
    >>> len(policy("auto").choose(state, rng).order.features)
    2
    >>> len(Blind(policy("auto")).choose(state, rng).order.features)
    1
    """

    name: ClassVar[str] = "blind"
    summary: ClassVar[str] = "another policy that is shown no fees and no panels"

    policy: Policy

    @property
    def looks_back(self) -> int | None:
        """As the policy."""
        return looks_back(self.policy)

    @property
    def alike(self) -> tuple[str, ...]:
        """As the policy."""
        return alike(self.policy)

    @property
    def case_rule(self) -> str:
        """How cases are picked."""
        prefers: dict[str, Any] = dict(getattr(self.policy, "prefers", {}))
        return str(prefers.get("case_rule", "settle"))

    def choose(self, state: State, rng: np.random.Generator) -> Choice | None:
        """Return what the policy buys in a state without fees and panels."""
        can = state.depths(at_most=1) > 0
        if not can.any():
            return None
        problem = _without_fees(state.problem)
        dearest = max(problem.feature_prices)  # with a discount it may cost less than it seems to
        shown = State(
            problem,
            state.belief.of_problem(problem),
            min(problem.budget, max(state.free, dearest)),
            state.history,
            cases_left=np.where(can, NO_LIMIT, 0),
            next_number=state.next_number,
            last_action=state.last_action,
        )
        return self.policy.choose(shown, rng)


@lru_cache(maxsize=8)
def _without_fees(problem: Problem) -> Problem:
    return Problem(problem.features, problem.labels, problem.prior, problem.budget)
