"""What a policy's money is worth exactly: over all draws of the policy and all answers.

The probability of every situation is carried forward from the start, until the money is spent.
Which situations count as the same is up to the policy: see `Policy.looks_back` and `Policy.alike`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from budgeted.errors import DrawError
from budgeted.learners.belief import Belief, Integers
from budgeted.learners.layout import position_in
from budgeted.optimal.programme import exchanges, losses, whole_units
from budgeted.policies.base import Policy, alike, looks_back
from budgeted.problem import Action
from budgeted.problem.orders import Purchase
from budgeted.state import State
from budgeted.value import ENGINES
from budgeted.value.loss import Loss, named

MOST_SITUATIONS = 200_000
"""In which a policy is asked; each takes some tenths of a millisecond."""
MOST_OUTCOMES = 10_000
"""Of the draws of one decision."""
_SEED = 2**31
"""A whole number from so many is no choice but a seed for something that samples."""


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
        Who chooses; its draws are branched over, see `odds`.
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
                chosen = odds(policy, state)
            except DrawError as error:
                return Played(None, situations, str(error))
            for action, share in chosen.items():
                if action is None:
                    _add(ends, tally, chance * share)
                    continue
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
        self._back = looks_back(policy)
        self._group = exchanges(start, alike(policy))
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


def odds(policy: Policy, state: State) -> dict[Action | None, float]:
    """Return the probability of each action of a policy; None is to stop.

    Raises
    ------
    DrawError
        If the policy draws continuous numbers, or more outcomes than can be tried.

    Examples
    --------
    >>> from budgeted import Feature, Problem
    >>> from budgeted.policies import policy
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.75, 0.25), 10)
    >>> for action, chance in odds(policy("random-shopper"), State.start(problem)).items():
    ...     print(action, chance)
    Action(feature=0, label=0) 0.75
    Action(feature=0, label=1) 0.25
    """
    chances: dict[Action | None, list[float]] = {}
    scripts: list[tuple[int, ...]] = [()]
    for _ in range(MOST_OUTCOMES):
        branch = Branch(scripts.pop())
        choice = policy.choose(state, branch)
        drawn = choice is not None and choice.engine in ENGINES and ENGINES[choice.engine].draws
        if branch.seeded and drawn:
            raise DrawError("samples losses")
        action = None if choice is None else choice.action
        chances.setdefault(action, []).append(branch.chance)
        scripts.extend(branch.others())
        if not scripts:
            return {each: math.fsum(chances[each]) for each in sorted(chances, key=str)}
    raise DrawError(f"draws have more than {MOST_OUTCOMES} outcomes in one decision")


class Branch(np.random.Generator):
    """A stand-in for a generator whose draws come out as a script says.

    Draws behind the end of the script come out as the first thing possible, and `others` lists the
    scripts of everything else that could have happened there. Following all of them visits each
    outcome of all draws once. Draws that are not discrete raise a `DrawError`.

    >>> first = Branch(())
    >>> int(first.integers(3)), first.chance == 1 / 3, list(first.others())
    (0, True, [(1,), (2,)])
    >>> first.random()
    Traceback (most recent call last):
    ...
    budgeted.errors.DrawError: draws continuous numbers (random)
    """

    def __init__(self, script: tuple[int, ...]) -> None:
        super().__init__(np.random.PCG64(0))
        self._script = script
        self._taken: list[int] = []
        self._ways: list[int] = []
        self.chance = 1.0
        self.seeded = False

    def __getattribute__(self, name: str) -> Any:
        followed = name.startswith("_") or name in ("integers", "choice", "permutation", "shuffle")
        if not followed and hasattr(np.random.Generator, name):
            raise DrawError(f"draws continuous numbers ({name})")
        return super().__getattribute__(name)

    def others(self) -> Iterable[tuple[int, ...]]:
        """Yield the scripts of what else could have happened behind the end of the script."""
        for at in range(len(self._script), len(self._ways)):
            for other in range(1, self._ways[at]):
                yield (*self._taken[:at], other)

    def integers(self, low: Any, high: Any = None, **_: Any) -> Any:  # type: ignore[override]
        """Stand for a whole number from a range, each with the same probability."""
        low, high = (0, low) if high is None else (low, high)
        if high - low >= _SEED:
            self.seeded = True
            return low
        return low + self._one([1 / (high - low)] * (high - low))

    def choice(self, a: Any, size: int | None = None, replace: bool = True, p: Any = None) -> Any:  # type: ignore[override]
        """Stand for one of several, or some of them, with given or with equal probabilities."""
        pool = np.arange(a) if isinstance(a, int) else np.asarray(a)
        chances = np.full(len(pool), 1 / len(pool)) if p is None else np.array(p, dtype=float)
        taken = []
        for _ in range(1 if size is None else size):
            taken.append(self._one(chances.tolist()))
            if not replace:
                chances[taken[-1]] = 0
                chances /= chances.sum() or 1
        return pool[taken[0]] if size is None else pool[taken]

    def permutation(self, x: Any) -> Any:  # type: ignore[override]
        """Stand for an order, each with the same probability."""
        pool = np.arange(x) if isinstance(x, int) else np.asarray(x)
        return self.choice(pool, len(pool), replace=False)

    def shuffle(self, x: Any) -> None:  # type: ignore[override]
        """Put a list or an array into an order, each with the same probability."""
        x[:] = [x[at] for at in self.permutation(len(x))]

    def _one(self, chances: Sequence[float]) -> int:
        """Return which of several happens; what has no probability does not."""
        possible = [at for at, chance in enumerate(chances) if chance > 0]
        position = len(self._taken)
        which = self._script[position] if position < len(self._script) else 0
        self._taken.append(which)
        self._ways.append(len(possible))
        self.chance *= chances[possible[which]]
        return possible[which]
