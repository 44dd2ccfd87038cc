"""What is remembered stays within its bytes, and is what was computed."""

import asyncio
import importlib
import pkgutil
import sys
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import budgeted
from budgeted.cache import MOST_RESULTS, Cache, Remembered, remembered, results, size_of
from budgeted.studies.commands import Ask
from budgeted.web.settings import Limits, Settings
from budgeted.web.worker import StudyWorker
from budgeted.web.workers import StudyWorkers
from tests import sample_studies as studies


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
    asked, cache = [], Cache(100_000)

    def counted(number, times=2):
        asked.append(number)
        return np.full(100, number * times)

    double = Remembered(counted, cache)

    for number in (1, 2, 1, 2, 1):
        assert double(number)[0] == 2 * number
    assert asked == [1, 2]
    assert double(1, times=3)[0] == 3
    for number in range(1000):
        double(number)
    assert cache.bytes <= 100_000


def test_all_engines_together_are_bounded_in_bytes():
    """Whatever they are: a bound for each would add up, and fill for as long as people work."""

    @remembered
    def ones(number):
        return np.ones(number)

    @remembered
    def twos(number):
        return np.full(number, 2.0)

    try:
        for number in range(1, 100):
            assert (ones(50_000 + number)[0], twos(50_000 + number)[0]) == (1, 2)
            assert results.bytes <= MOST_RESULTS
        assert results.bytes > MOST_RESULTS / 2
    finally:
        results.clear()


def test_who_needs_more_than_the_bound_has_it_until_it_needs_less():
    cache = Cache(10_000)
    cache.need("a large study", 50_000)
    for at in range(100):
        cache.put(at, bytes(1_000))
    assert 40_000 < cache.bytes <= 50_000
    cache.need("another engine", 30_000)
    assert cache.most_bytes == 80_000, "both look up what they need for one decision"
    cache.need("another engine", 1_000)
    cache.need("a large study", 2_000)
    assert cache.bytes <= 10_000
    assert 99 in cache


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


DECIDING = ("value", "policies", "learners", "memory", "state", "studies")
"""Where results depend on the counts and the history of a study."""
SMALL = {
    "budgeted.learners.formats.schema": "one document of a few kB",
    "budgeted.learners.scikit_learn._pools": "one",
    "budgeted.learners.posterior._settings": "64 results of a few kB: settings × levels",
    "budgeted.value.spectral._prior_factor": "32 results of 1.4 kB",
    "budgeted.value.information.prior_factor": "32 results of 0.4 kB",
    "budgeted.learners.strength._log_norms": "64 results of a few numbers",
    "budgeted.studies.forecast.kept.code": "one digest",
    "budgeted.studies.journal.rows._adapter": "one, for all kinds of events",
    "budgeted.studies.journal.rows.sql": "the few statements of the journal",
    "budgeted.studies.journal.tables.metadata": "three tables' definitions",
    "budgeted.value.grid._easy": "numbers",
    "budgeted.value.outcomes._compositions": "64 results of at most 225 rows of 225 numbers",
}
"""What `functools` may remember there, and why."""


def remembering():
    for each in pkgutil.walk_packages(budgeted.__path__, "budgeted."):
        if each.name.split(".")[1] not in DECIDING:
            continue
        module = importlib.import_module(each.name)
        for name, thing in vars(module).items():
            if hasattr(thing, "cache_info") and thing.__module__ == each.name:
                yield f"{each.name}.{name}"


def test_what_is_remembered_by_number_is_small():
    assert set(remembering()) <= set(SMALL), "use budgeted.cache.remembered, or say why not"


def test_pages_that_are_kept_are_bounded_in_bytes(tmp_path):
    study = studies.begin(str(tmp_path / "studies.db"), "flu")

    async def look():
        worker = StudyWorker(study)
        for at in range(60):
            page = await worker.view("page", lambda _study, at: bytes([at]) * 1_000_000, at)
            assert page[0] == at
        await worker.release()
        return size_of(worker._views)

    assert 1_000_000 < asyncio.run(look()) < 9_000_000


def test_open_studies_are_bounded(tmp_path):
    """Those that were not used for the longest time are let go, and opened again when wanted."""
    database = str(tmp_path / "studies.db")
    names = [f"study {at}" for at in range(4)]
    for name in names:
        studies.begin(database, name).release()

    async def work(most):
        workers = StudyWorkers(Settings(database, limits=Limits(studies=most)))
        await workers.open()
        for _ in range(2):
            for name in names:
                worker = await workers.worker(name)
                await worker.do(Ask(1), by="anna")
        assert (await worker.look()).events > 2
        kept = len(workers._workers)
        await workers.close()
        return kept

    assert asyncio.run(work(2)) == 2
    assert asyncio.run(work(10)) == 4
