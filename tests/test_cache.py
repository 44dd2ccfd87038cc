"""What is remembered stays within its bytes, and is what was computed."""

import sys
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeted.cache import Cache, remembered, size_of


@given(
    st.integers(0, 5_000),
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 2_000), st.booleans()), max_size=60),
)
def test_a_cache_is_a_dictionary_that_forgets(most, steps):
    """Never more than its bytes; what is found is what was put there last, or nothing."""
    cache, put = Cache(most), {}
    for key, size, looks in steps:
        if looks:
            assert cache.get(key) in (put.get(key), None)
            continue
        put[key] = bytes(size)
        cache.put(key, put[key])
        assert cache.bytes <= most
        assert sum(sys.getsizeof(put[each]) for each in put if each in cache) <= most
    cache.clear()
    assert (cache.bytes, len(cache)) == (0, 0)


def test_what_was_used_last_stays():
    cache = Cache(10_000)
    cache.put("a", bytes(4_000))
    cache.put("b", bytes(4_000))
    assert cache.get("a") is not None
    cache.put("c", bytes(4_000))
    assert [each in cache for each in "abc"] == [True, False, True]
    cache.put("d", bytes(20_000))  # too large by itself: the others need not go
    assert [each in cache for each in "acd"] == [True, True, False]


def test_a_function_that_remembers():
    asked = []

    @remembered(most_bytes=100_000)
    def double(number, times=2):
        asked.append(number)
        return np.full(100, number * times)

    for number in (1, 2, 1, 2, 1):
        assert double(number)[0] == 2 * number
    assert asked == [1, 2]
    assert double(1, times=3)[0] == 3
    for number in range(1000):
        double(number)
    assert double.cache.bytes <= 100_000


@dataclass(frozen=True)
class Pair:
    first: object
    second: object


class Slotted:
    __slots__ = ("inner",)

    def __init__(self, inner):
        self.inner = inner


@pytest.mark.parametrize(
    "wrap",
    [lambda big: big, lambda big: [big], lambda big: {"key": big}, lambda big: {big: 1},
     lambda big: Pair(1, big), lambda big: Slotted((big,)), lambda big: Pair(Slotted(big), [big])],
)  # fmt: skip
def test_size_of_what_holds_something_large(wrap):
    assert 100_000 <= size_of(wrap(bytes(100_000))) < 102_000


def test_size_of_arrays():
    numbers = np.zeros(10_000)
    assert 80_000 <= size_of(numbers) < 82_000
    assert 80_000 <= size_of(numbers[:3]) < 82_000, "a view keeps all of it"
    assert size_of([numbers, numbers[:3], numbers[5:]]) < 82_000


def test_what_refers_to_itself():
    knot = [bytes(1000)]
    knot.append(knot)
    assert 1000 < size_of(knot) < 1500
