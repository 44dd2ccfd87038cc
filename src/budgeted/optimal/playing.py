"""What a policy's money is worth exactly: over all draws of the policy and all answers.

The probability of every situation is carried forward from the start, until the money is spent.
Which situations count as the same is up to the policy: see `Policy.history_needed` and
`Policy.symmetries`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from budgeted.errors import DrawError
from budgeted.learners.belief import Belief, Integers
from budgeted.learners.layout import position_in
from budgeted.loss import Loss, named
from budgeted.optimal.programme import exchanges, losses, whole_units
from budgeted.policies.base import Policy
from budgeted.problem.orders import Purchase
from budgeted.state import State

MOST_SITUATIONS = 200_000
"""In which a policy is asked; each takes some tenths of a millisecond."""


@dataclass(frozen=True)
class Played:
    """The exact result of a policy.

    Attributes
    ----------
    expected
        Its expected loss once the money is spent; None where that cannot be computed.
    situations
        In how many it was asked.
    why_not
        Why there is no result, in words.
    """

    expected: float | None
    situations: int
    why_not: str = ""


def play(
    policy: Policy,
    start: Belief,
    loss: str | Loss = "gini",
    most_situations: int = MOST_SITUATIONS,
) -> Played:
    """Return the exact expected loss of a policy that spends the whole budget.

    Parameters
    ----------
    policy
        Who chooses; all that it may draw is gone through, see `Policy.odds`.
    start
        What is known at the beginning; each feature has a price, and cases are without end.
    loss
        ``gini``, ``entropy`` or ``zero_one``: of the belief in the end.
    most_situations
        Give up beyond so many that the policy tells apart.

    Examples
    --------
    >>> from budgeted import Feature, Problem
    >>> from budgeted.policies import policy
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1), Feature("scan", ("no", "yes"), 4)],
    ...                   ("well", "ill"), prior=(0.5, 0.5), budget=8)
    >>> for name in ("greedy", "sfl"):
    ...     print(f"{name:>6} {play(policy(name), Belief.prior(problem)).expected:.4f}")
    greedy 0.4453
       sfl 0.4424
    """
    problem = start.problem
    costs, budget = whole_units(problem)
    cheapest = min(costs)
    keys = _Keys(policy, start)
    ends: dict[bytes, float] = {}
    ahead: list[dict[bytes, tuple[State, float]]] = [{} for _ in range(budget + 1)]
    ahead[0][b""] = (State.start(problem, belief=start), 1.0)
    situations = 0
    for spent in range(budget + 1):
        level, ahead[spent] = ahead[spent], {}
        for state, chance in level.values():
            tally = state.belief.tally - start.tally
            if spent + cheapest > budget:
                _add(ends, tally, chance)
                continue
            situations += 1
            if situations > most_situations:
                return Played(None, situations - 1, f"more than {most_situations} situations")
            try:
                chosen = policy.odds(state)
            except DrawError as error:
                return Played(None, situations, str(error))
            if not chosen:
                _add(ends, tally, chance)
            for action, share in chosen.items():
                after = spent + costs[action.feature]
                for value, likely in enumerate(state.belief.mean(action.feature)[action.label]):
                    weight = chance * share * float(likely)
                    position = position_in(problem, *action, value)
                    tally[position] += 1
                    if after + cheapest > budget:
                        _add(ends, tally, weight)
                    else:
                        key = keys.of(tally, state.history, position)
                        known = ahead[after].get(key)
                        if known is None:
                            new = state.after(Purchase(*action, value, state.price(action)))
                            ahead[after][key] = (new, weight)
                        else:
                            ahead[after][key] = (known[0], known[1] + weight)
                    tally[position] -= 1
    tallies = np.frombuffer(b"".join(ends), dtype=np.int64).reshape(len(ends), -1)
    found = losses(start, tallies, named(loss)) @ np.array(list(ends.values()))
    return Played(float(found), situations)


def _add(ends: dict[bytes, float], tally: Integers, weight: float) -> None:
    """Add a situation in which the money is spent, with its probability."""
    key = tally.tobytes()
    ends[key] = ends.get(key, 0.0) + weight


class _Keys:
    """Which situations are the same to a policy: the least of the equivalent ones stands for all.

    A key is the tally (unless the whole history is looked at, which has it) and as many of the last
    purchases as the policy looks at.
    """

    def __init__(self, policy: Policy, start: Belief) -> None:
        self._problem = start.problem
        self._back = policy.history_needed
        self._group = exchanges(start, policy.symmetries)
        self._moves = np.argsort(self._group, axis=1)  # where each exchange takes a position

    def of(self, tally: Integers, history: Sequence[Purchase], position: int) -> bytes:
        """Return the key of the situation after the history and one more purchase."""
        if self._back == 0:
            rows = tally[self._group]
        else:
            earlier = history if self._back is None else history[len(history) - self._back + 1 :]
            recent = [self._position(each) for each in earlier]
            rows = self._moves[:, [*recent, position]]
            if self._back is not None:
                rows = np.concatenate([tally[self._group], rows], axis=1)
        keys: list[bytes] = [row.tobytes() for row in rows.astype(np.uint16)]
        return min(keys)

    def _position(self, purchase: Purchase) -> int:
        value = purchase.value
        assert value is not None  # every answer here has one
        return position_in(self._problem, purchase.feature, purchase.label, value)
