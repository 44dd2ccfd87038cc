"""What a first decision needs in memory grows with the number of features, and no faster."""

import tracemalloc

import numpy as np
import pytest

from budgeted import Feature, Problem, State
from budgeted.cache import results
from budgeted.policies import policy
from budgeted.value.spectral import FREQUENCIES, without_each

LITTLE = 3 * 16 * len(FREQUENCIES)
"""Bytes of the factors of one feature; features of which the same is known share them."""


def peak(number):
    """Bytes that a first decision on so many features holds at most."""
    features = [Feature(f"f{at}", ("no", "yes"), 1) for at in range(number)]
    results.clear()
    tracemalloc.start()
    try:
        state = State.start(Problem(features, ("well", "ill"), (0.6, 0.4), 100))
        assert policy("sfl").choose(state, np.random.default_rng(0)) is not None
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_memory_grows_with_the_number_of_features():
    peak(10)  # what is loaded once is not counted
    few, many = peak(4_000), peak(8_000)
    assert (many - few) / 4_000 < LITTLE


def test_products_without_each_are_those_of_the_others():
    """Blocks of a product join where they meet."""
    rng = np.random.default_rng(1)
    for number in (1, 2, 511, 512, 513, 1_030):
        turns = rng.random((number, 2)) * 2j * np.pi
        factors = np.exp(turns + rng.normal(0, 0.01, turns.shape))
        np.testing.assert_allclose(
            without_each(factors) * factors,
            np.broadcast_to(factors.prod(axis=0), factors.shape),
            rtol=1e-11,
        )
