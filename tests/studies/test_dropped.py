"""A study that is dropped without being released gives back its connections, and hangs nobody."""

from __future__ import annotations

import gc

from budgeted import Study
from budgeted.studies.journal import connections
from tests.sample_studies import make_cases, make_problem


def test_a_finaliser_that_runs_under_the_lock_does_not_wait_for_it(tmp_path, monkeypatch):
    """The collector may come while connections are made, as any allocation can call it."""
    problem = make_problem()
    dropped = Study.create(str(tmp_path / "a.db"), "s", problem, make_cases(problem), by="me")
    dropped.itself = dropped  # only the collector finds it
    del dropped
    made = connections.make_engine
    waited = []

    def make(url):
        assert connections._pools_lock.locked()
        lock = connections._pools_lock
        monkeypatch.setattr(connections, "_pools_lock", _NoWaiting(lock, waited))
        gc.collect()
        monkeypatch.setattr(connections, "_pools_lock", lock)
        return made(url)

    monkeypatch.setattr(connections, "make_engine", make)
    with Study.create(str(tmp_path / "b.db"), "s", problem, make_cases(problem), by="me"):
        pass
    assert not waited
    places = [place for _, place in connections._pools]
    assert not [place for place in places if str(tmp_path) in place]


class _NoWaiting:
    """The lock, which notes who would wait for it for ever."""

    def __init__(self, lock, waited):
        self._lock, self._waited = lock, waited

    def acquire(self, blocking=True):
        if blocking:
            self._waited.append("waits")
            raise RuntimeError("this would wait for ever")
        return self._lock.acquire(blocking=False)

    def release(self):
        self._lock.release()

    def __enter__(self):
        self.acquire()

    def __exit__(self, *_):
        self.release()
