"""Randomness as an argument: separate streams of one seed.

World and policy never share a stream, so what a policy draws changes nothing in the world; and
each step has its own, so that a study that was interrupted draws what it would have drawn.
"""

from __future__ import annotations

import numpy as np

from budgeted.errors import WorldError

WORLD, POLICY, OUTLOOK, IMAGINED, ARRIVAL, HELD, FORECAST, PLAN = 0, 1, 4, 6, 7, 8, 9, 10
"""First number of the path of a stream: who draws from it.

2 and 3 are for problems and splits, 5 is for benchmarks.
"""


def stream(seed: int, *key: int) -> np.random.Generator:
    """Return the generator of a seed and a path of whole numbers.

    >>> [int(stream(7, POLICY, step).integers(100)) for step in (0, 1, 0)]
    [69, 71, 69]
    """
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise WorldError(f"seed: must be a whole number from 0, got {seed!r}")
    drawn = np.random.SeedSequence(int(seed), spawn_key=key)
    return np.random.Generator(np.random.PCG64(drawn))  # what `default_rng` makes, in less time
