"""Trying passwords: slow for who guesses, and never for ever for who knows."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeted.errors import BusyError
from budgeted.web.auth.attempts import _MOST_ADDRESSES, Attempts


class Known:
    """Credentials that are quick to check."""

    def line_for(self, name, secret):
        return "line" if secret == f"{name}'s" else ""


class Trial:
    def __init__(self):
        self.now = 0.0
        self.attempts = Attempts(clock=lambda: self.now)

    def __call__(self, address, name, secret):
        """ "right", "wrong" or "wait"."""
        try:
            done = self.attempts.check(Known(), address, name, secret)
            return "right" if asyncio.run(done) else "wrong"
        except BusyError:
            return "wait"


def test_an_address_may_try_ten_and_then_one_now_and_then():
    trial = Trial()
    tried = [trial("192.0.2.1", f"name {at}", "guess") for at in range(12)]
    assert tried == ["wrong"] * 10 + ["wait"] * 2
    assert trial("192.0.2.2", "name 1", "name 1's") == "right", "others do not wait"
    trial.now += 7
    assert [trial("192.0.2.1", "x", "guess") for _ in range(2)] == ["wrong", "wait"]


def test_a_right_password_does_not_make_up_for_wrong_ones():
    trial = Trial()
    tried = [trial("192.0.2.1", "anna", "guess") if at % 2 else trial("192.0.2.1", "ben", "ben's")
             for at in range(24)]  # fmt: skip
    assert tried.count("wrong") == 10
    assert tried[-1] == tried[-2] == "wait"


def test_nobody_locks_out_somebody_else():
    """However often her name is tried, and from wherever."""
    trial = Trial()
    for at in range(200):
        trial(f"10.0.{at}.1", "anna", "guess")
    assert trial("192.0.2.7", "anna", "anna's") == "right"


@given(st.lists(st.tuples(st.floats(0, 100), st.sampled_from(["a", "b"])), max_size=40))
def test_no_address_gets_more_than_its_bucket_has(steps):
    """In any time none gets more tries than a full bucket and what came back meanwhile."""
    trial, taken = Trial(), {}
    for pause, address in steps:
        trial.now += pause
        if trial(address, "anna", "guess") == "wrong":
            taken.setdefault(address, []).append(trial.now)
    for times in taken.values():
        for at, first in enumerate(times):
            for number, last in enumerate(times[at:], start=1):
                assert number <= 10 + (last - first) / 6 + 1e-6


def test_memory_does_not_grow_with_addresses():
    attempts = Attempts(clock=lambda: 0.0)
    for at in range(3 * _MOST_ADDRESSES):
        attempts._take(str(at), 0.0)
    assert len(attempts._full_at) <= _MOST_ADDRESSES


@pytest.mark.parametrize("address", ["2001:db8::2", "2001:db8:0:0:ffff::1"])
def test_a_household_is_one_address(address):
    trial = Trial()
    for _ in range(10):
        trial("2001:db8::1", "anna", "guess")
    assert trial(address, "anna", "guess") == "wait"
