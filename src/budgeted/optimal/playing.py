"""What a policy's money is worth exactly: over all draws of the policy and all answers.

The probability of every situation is carried forward from the start, until the money is spent.
Which situations count as the same is up to the policy: see `Policy.looks_back` and `Policy.alike`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from budgeted.errors import DrawError
from budgeted.learners.belief import Belief, Integers
from budgeted.learners.layout import position_in
from budgeted.optimal.draws import odds
from budgeted.optimal.ends import Ends, Played
from budgeted.optimal.ordering import play_orders
from budgeted.optimal.tallies import exchanges, one_price_each, whole_units
from budgeted.policies.base import Policy, alike, looks_back
from budgeted.problem.orders import Purchase
from budgeted.state import State
from budgeted.value.loss import Loss, named

MOST_SITUATIONS = 200_000
"""In which a policy is asked; each takes some tenths of a millisecond."""


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
        Who chooses; its draws are branched over, see `budgeted.optimal.draws.odds`.
    start
        What is known at the beginning; cases are without end.
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
    how = _play_cells if one_price_each(start.problem) else play_orders
    return how(policy, start, named(loss), most_situations)


def _play_cells(policy: Policy, start: Belief, loss: Loss, most_situations: int) -> Played:
    problem = start.problem
    costs, budget = whole_units(problem)
    cheapest = min(costs)
    keys = _Keys(policy, start)
    ends = Ends(start, loss)
    ahead: list[dict[bytes, tuple[State, float]]] = [{} for _ in range(budget + 1)]
    first = State.start(problem, belief=start)
    ahead[0][b""] = (first, 1.0)
    situations = 0
    for spent in range(budget + 1):
        level, ahead[spent] = ahead[spent], {}
        for state, chance in level.values():
            tally = state.belief.tally - start.tally
            if spent + cheapest > budget:
                ends.add(tally, chance)
                continue
            situations += 1
            if situations > most_situations:
                return Played(None, situations - 1, f"more than {most_situations} situations")
            try:
                chosen = odds(policy, state)
            except DrawError as error:
                return Played(None, situations, str(error))
            for action, share in chosen.items():
                if action is None:
                    ends.add(tally, chance * share)
                    continue
                after = spent + costs[action.feature]
                for value, likely in enumerate(state.belief.mean(action.feature)[action.label]):
                    weight = chance * share * float(likely)
                    position = position_in(problem, *action, value)
                    tally[position] += 1
                    if after + cheapest > budget:
                        ends.add(tally, weight)
                    else:
                        key = keys.of(tally, state.history, position)
                        known = ahead[after].get(key)
                        if known is None:
                            new = state.after(Purchase(*action, value, state.price(action)))
                            ahead[after][key] = (new, weight)
                        else:
                            ahead[after][key] = (known[0], known[1] + weight)
                    tally[position] -= 1
    return Played(ends.total(), situations)


class _Keys:
    """Which situations are the same to a policy: the least of the equivalent ones stands for all.

    A key is the tally (unless the whole history is looked at, which has it) and as many of the last
    purchases as the policy looks at.
    """

    def __init__(self, policy: Policy, start: Belief) -> None:
        self._problem = start.problem
        self._back = looks_back(policy)
        self._group = exchanges(start, alike(policy))
        # Where each exchange takes a position.
        self._moves = np.argsort(self._group, axis=1)

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
