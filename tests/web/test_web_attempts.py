"""Trying passwords: slow for who guesses, and never for ever for who knows."""

import asyncio
import os

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeted.errors import BusyError
from budgeted.web.auth.attempts import Attempts, Buckets
from budgeted.web.auth.credential_files import write_line
from budgeted.web.auth.credentials import password_line
from tests.web.test_web_access import PASSWORD, log_in
from tests.webs import client, make_study, process


class Known:
    """Credentials that are quick to check."""

    def line_for(self, name, secret):
        return "line" if secret == f"{name}'s" else ""


class Trial:
    def __init__(self):
        self.now = 0.0
        self.attempts = Attempts(clock=lambda: self.now)

    def __call__(self, address, name, secret, browser=""):
        """ "right", "wrong" or "wait"."""
        try:
            done = self.attempts.check(Known(), address, name, secret, browser)
            return "right" if asyncio.run(done) else "wrong"
        except BusyError:
            return "wait"


def test_an_address_may_try_ten_and_then_one_now_and_then():
    trial = Trial()
    tried = [trial("192.0.2.1", f"name {at}", "guess") for at in range(12)]
    assert tried == ["wrong"] * 10 + ["wait"] * 2
    assert trial("192.0.2.2", "anna", "anna's") == "right", "others do not wait"
    trial.now += 7
    assert [trial("192.0.2.1", "x", "guess") for _ in range(2)] == ["wrong", "wait"]


def test_a_right_password_does_not_make_up_for_wrong_ones():
    trial = Trial()
    tried = [trial("192.0.2.1", "anna", "guess") if at % 2 else trial("192.0.2.1", "ben", "ben's")
             for at in range(24)]  # fmt: skip
    assert tried.count("wrong") == 10
    assert tried[-1] == tried[-2] == "wait"


def test_a_name_may_be_tried_twenty_times_wherever_from():
    trial = Trial()
    tried = [trial(f"192.0.2.{at}", "anna", "guess") for at in range(25)]
    assert tried == ["wrong"] * 20 + ["wait"] * 5
    assert trial("198.51.100.1", "ben", "ben's") == "right"


@pytest.mark.slow
def test_nobody_is_locked_out_for_ever():
    """Somebody tries anna's name day and night from everywhere; anna's own browser gets in at once,
    and any other browser as soon as there is a pause of six seconds."""
    trial = Trial()
    for at in range(2_000):
        trial(f"10.{at // 250}.{at % 250}.1", "anna", "guess")
        trial.now += 0.5
    assert trial("192.0.2.7", "anna", "anna's") == "wait"
    assert trial("192.0.2.7", "anna", "anna's", browser="hers") == "right"
    trial.now += 6.1
    assert trial("192.0.2.7", "anna", "anna's") == "right"


def test_a_stolen_browser_may_try_ten_as_well():
    trial = Trial()
    tried = [trial("192.0.2.7", "anna", "guess", browser="hers") for _ in range(12)]
    assert tried == ["wrong"] * 10 + ["wait"] * 2


@given(st.lists(st.tuples(st.floats(0, 100), st.text(max_size=3)), max_size=60))
def test_no_bucket_gives_more_than_it_has(steps):
    """In any time no key gets more tokens than a full bucket and what came back meanwhile."""
    now, taken = [0.0], {}
    buckets = Buckets(5, 10.0, lambda: now[0])
    for pause, key in steps:
        now[0] += pause
        if not buckets.wait(key):
            buckets.take(key)
            taken.setdefault(key, []).append(now[0])
    for times in taken.values():
        for at, first in enumerate(times):
            for number, last in enumerate(times[at:], start=1):
                assert number <= 5 + (last - first) / 10 + 1e-6


def test_memory_does_not_grow_with_names():
    buckets = Buckets(5, 10.0, lambda: 0.0)
    for at in range(20_000):
        buckets.take(str(at))
    assert len(buckets._full_at) <= 4_096


@pytest.mark.slow
def test_a_browser_that_was_in_before_gets_in_again(tmp_path):
    write_line(tmp_path / "passwords", "anna", password_line(PASSWORD))
    make_study(tmp_path / "studies.db").release()
    with client(tmp_path, password_file=tmp_path / "passwords") as browser:
        browser.app.state.attempts = Attempts(clock=lambda: 0.0)
        log_in(browser)
        browser.post("/logout")
        with httpx.Client(base_url=browser.base_url) as attacker:
            for _ in range(11):
                wrong = {"name": "anna", "secret": "a wrong password"}
                last = attacker.post("/login", data=wrong)
            assert last.status_code == 429
            assert "wait 6 seconds" in last.text
        assert log_in(browser).status_code == 303


STILL = """
from budgeted.web import attempts
attempts.Attempts.__init__.__defaults__ = (lambda: 0.0,)
attempts._SLOTS = 2**60
"""


@pytest.fixture
def lab(tmp_path, monkeypatch):
    """A folder with a study and a password. In servers started from here time stands still for who
    must wait, so that the machine may be slow; and no two addresses share a bucket by bad luck."""
    make_study(tmp_path / "studies.db").release()
    write_line(tmp_path / "passwords", "anna", password_line(PASSWORD))
    (tmp_path / "still").mkdir()
    (tmp_path / "still" / "sitecustomize.py").write_text(STILL)  # what Python runs as it starts
    found = [str(tmp_path / "still"), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(found))
    return tmp_path


def knock(url, forwarded, name, secret):
    """What a new browser is told that wants to log in, with that X-Forwarded-For."""
    with httpx.Client(base_url=url, headers={"x-forwarded-for": forwarded}, timeout=100) as browser:
        return log_in(browser, name, secret).status_code


@pytest.mark.slow
def test_a_trusted_proxy_says_whose_wrong_passwords_they_are(lab):
    options = ("--password-file", str(lab / "passwords"), "--trusted-proxy", "127.0.0.1")
    with process(lab, *options) as (url, _):
        tried = [knock(url, "192.0.2.9", f"nobody {at}", "a wrong password") for at in range(12)]
        assert tried == [401] * 10 + [429] * 2
        assert knock(url, "192.0.2.8", "anna", PASSWORD) == 303, "another address"
        assert knock(url, "192.0.2.8, 192.0.2.9", "anna", PASSWORD) == 429, "the first is made up"


@pytest.mark.slow
@pytest.mark.parametrize("trusted", [(), ("--trusted-proxy", "10.0.0.1")], ids=["none", "another"])
def test_nobody_else_says_whose_wrong_passwords_they_are(lab, trusted):
    """What is in the header changes nothing: who is connected counts."""
    with process(lab, "--password-file", str(lab / "passwords"), *trusted) as (url, _):
        tried = [knock(url, f"192.0.2.{at}", f"nobody {at}", "a wrong password")
                 for at in range(1, 13)]  # fmt: skip
        assert tried == [401] * 10 + [429] * 2
        assert knock(url, "198.51.100.1", "anna", PASSWORD) == 429
