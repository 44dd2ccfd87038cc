"""Every outcome of a policy's draws, with its probability, instead of one outcome of chance."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from budgeted.errors import DrawError
from budgeted.policies.base import Policy
from budgeted.problem import Action, Order
from budgeted.state import State
from budgeted.value import ENGINES

MOST_OUTCOMES = 10_000
"""Of the draws of one decision."""
_SEED = 2**31
"""A whole number from so many is no choice but a seed for something that samples."""


def odds(policy: Policy, state: State) -> dict[Action | None, float]:
    """Return the probability of each action of a policy; None is to stop.

    A policy that draws continuous numbers may offer ``odds(state)`` of its own; of all others every
    outcome of their draws is tried.

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
    found: dict[Action | None, list[float]] = {}
    for order, chance in order_odds(policy, state).items():
        action = None if order is None else Action(order.features[0], order.label)
        found.setdefault(action, []).append(chance)
    return {action: math.fsum(parts) for action, parts in found.items()}


def order_odds(policy: Policy, state: State) -> dict[Order | None, float]:
    """Return the probability of each order of a policy, as `odds` does of its first features."""
    own = getattr(policy, "odds", None)
    if own is not None:
        return {_order(each): float(chance) for each, chance in own(state).items() if chance > 0}
    chances: dict[Order | None, list[float]] = {}
    scripts: list[tuple[int, ...]] = [()]
    tried = 0
    while scripts:
        tried += 1
        if tried > MOST_OUTCOMES:
            raise DrawError(f"draws have more than {MOST_OUTCOMES} outcomes in one decision")
        branch = Branch(scripts.pop())
        choice = policy.choose(state, branch)
        drawn = choice is not None and choice.engine in ENGINES and ENGINES[choice.engine].draws
        if branch.seeded and drawn:
            raise DrawError("samples losses")
        order = None if choice is None else choice.order
        chances.setdefault(order, []).append(branch.chance)
        scripts.extend(branch.others())
    return {order: math.fsum(parts) for order, parts in sorted(chances.items(), key=str)}


def _order(wanted: Action | Order | None) -> Order | None:
    """A policy may say the odds of cells, or of orders."""
    if wanted is None or isinstance(wanted, Order):
        return wanted
    return Order((wanted.feature,), wanted.label)


class Branch(np.random.Generator):
    """A stand-in for a generator whose draws come out as a script says.

    Draws behind the end of the script come out as the first thing possible, and `others` lists the
    scripts of everything else that could have happened there. Following all of them visits each
    outcome of all draws once. Draws that are not discrete raise a `DrawError`.

    Parameters
    ----------
    script
        Which of the possible outcomes each draw has, in order.

    Examples
    --------
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
        if not name.startswith("_") and hasattr(np.random.Generator, name):
            own = name in ("integers", "choice", "permutation", "shuffle")
            if not own:
                raise DrawError(f"draws continuous numbers ({name})")
        return super().__getattribute__(name)

    def others(self) -> Iterable[tuple[int, ...]]:
        """Yield the scripts of what else could have happened behind the end of the script."""
        for at in range(len(self._script), len(self._ways)):
            for other in range(1, self._ways[at]):
                yield (*self._taken[:at], other)

    def integers(
        self,
        low: Any,
        high: Any = None,
        size: Any = None,
        dtype: Any = None,
        endpoint: bool = False,
    ) -> Any:
        """Stand for a whole number from a range, each with the same probability."""
        low, high = (0, low) if high is None else (low, high)
        number = int(high) - int(low) + bool(endpoint)
        if number >= _SEED:
            self.seeded = True
            return int(low)
        return self._drawn(size, lambda: int(low) + self._one([1 / number] * number))

    def choice(
        self,
        a: Any,
        size: Any = None,
        replace: bool = True,
        p: Any = None,
        axis: int = 0,
        shuffle: bool = True,
    ) -> Any:
        """Stand for one of several, with given or with equal probabilities."""
        pool = np.arange(a) if isinstance(a, int | np.integer) else np.asarray(a)
        chances = [1 / len(pool)] * len(pool) if p is None else [float(each) for each in p]

        def draw() -> Any:
            at = self._one(chances)
            if not replace:
                rest = 1 - chances[at]
                chances[at] = 0.0
                chances[:] = [each / rest if rest > 0 else 0.0 for each in chances]
            return pool[at]

        return self._drawn(size, draw)

    def permutation(self, x: Any, axis: int = 0) -> Any:
        """Stand for an order, each with the same probability."""
        pool = np.arange(x) if isinstance(x, int | np.integer) else np.asarray(x)
        return self.choice(pool, size=len(pool), replace=False)

    def shuffle(self, x: Any, axis: int = 0) -> None:
        """Put a list or an array into an order, each with the same probability."""
        x[:] = [x[at] for at in self.permutation(len(x))]

    def _drawn(self, size: Any, draw: Any) -> Any:
        if size is None:
            return draw()
        shape = (size,) if isinstance(size, int | np.integer) else tuple(size)
        return np.array([draw() for _ in range(math.prod(shape))]).reshape(shape)

    def _one(self, chances: Sequence[float]) -> int:
        """Return which of several happens; what has no probability does not."""
        possible = [at for at, chance in enumerate(chances) if chance > 0]
        position = len(self._taken)
        which = self._script[position] if position < len(self._script) else 0
        self._taken.append(which)
        self._ways.append(len(possible))
        self.chance *= chances[possible[which]]
        return possible[which]
