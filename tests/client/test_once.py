"""Sent again after a lost answer, and carried out once; refused for good, and not sent again."""

import json

import pytest

from budgeted.client import Client, connection
from budgeted.errors import (
    BusyError,
    JournalError,
    ServerError,
    StudyError,
    UnknownError,
    UnknownFateError,
)
from tests import webs
from tests.client.servers import TOKEN, against, answering, guarded
from tests.crashes.relay import TO_CLIENT, TO_SERVER, Relay

AFTER = {TO_CLIENT: (0, 1, 40, 200, 700), TO_SERVER: (0, 1, 40, 200, 300)}
"""Bytes after which the connection breaks: before, within and behind the head."""
DONE = {"requests": [], "money": {"budget": "1", "spent": "0", "reserved": "0", "free": "1"}}


@pytest.fixture
def pauses(monkeypatch):
    """How long the client would have waited; it does not."""
    found = []
    monkeypatch.setattr(connection.time, "sleep", found.append)
    return found


def said(**fields):
    return {"Content-Type": "application/json"}, json.dumps(fields).encode()


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    with guarded(tmp_path_factory.mktemp("once")) as found:
        yield found


def test_what_is_sent_again_is_carried_out_once(address, pauses):
    """Whatever is lost, on the way there or back, there is one request more each time."""
    with Relay(address) as relay, Client(f"http://127.0.0.1:{relay.port}", token=TOKEN) as client:
        study = client.create_study(webs.STUDY.replace("flu", "lossy"), webs.CASES)
        expected = 0
        for direction, several in AFTER.items():
            for after in several:
                with Client(f"http://127.0.0.1:{relay.port}", token=TOKEN) as another:
                    relay.drop(direction, after)
                    done = another.study("lossy").ask()
                    expected += 1
                    assert done.key
                    assert len(done) == 1
        assert relay.dropped == expected == len(pauses)
        relay.mend()
        assert len(study.pending()) == expected
        assert len(study.history()) == 1 + expected


def test_who_goes_on_after_a_crash_gives_the_same_key(address):
    with Client(address, token=TOKEN) as client:
        study = client.create_study(webs.STUDY.replace("flu", "crash"), webs.CASES)
        first = study.ask(2, key="monday")
    with Client(address, token=TOKEN) as client:
        again = client.study("crash").ask(2, key="monday")
    assert again.repeated
    assert not first.repeated
    assert [each.number for each in again] == [each.number for each in first]


def test_a_server_that_is_busy_for_a_moment_is_asked_again_with_the_same_key(pauses):
    def answer(at, request):
        if at < 3:
            headers, body = said(error="the database is busy")
            return 503, headers | {"Retry-After": "7"}, body
        return 200, *said(**DONE)

    with answering(answer) as (url, seen), Client(url) as client:
        done = client.study("flu").tell(1, "no")
    assert [headers["idempotency-key"] for _, _, headers, _ in seen] == [done.key] * 3
    assert pauses == [7, 7]


def test_pauses_grow_and_end(pauses):
    with answering(lambda *_: (503, *said(error="the disk is full"))) as (url, seen):
        with Client(url, retries=9) as client, pytest.raises(JournalError, match="disk is full"):
            client.study("flu").status()
        assert len(seen) == 10
    assert all(0.25 * 2**at <= each <= 0.5 * 2**at for at, each in enumerate(pauses[:6]))
    assert max(pauses) <= connection.LONGEST_PAUSE


def test_it_says_with_which_key_to_go_on_where_nobody_knows(pauses):
    full = (503, *said(error="the disk is full"))
    with (
        against(lambda *_: full, retries=1) as (client, _),
        pytest.raises(UnknownFateError) as caught,
    ):
        client.study("flu").ask(key="mine")
    assert caught.value.key == "mine"
    assert "mine" in str(caught.value)
    assert "disk is full" in str(caught.value)


@pytest.mark.parametrize("status", [502, 504])
@pytest.mark.parametrize("answer", [({}, b"<html>"), said(error="too slow")])
def test_a_proxy_that_gives_up_does_not_say_what_became_of_it(pauses, status, answer):
    with (
        against(lambda *_: (status, *answer), retries=1) as (client, _),
        pytest.raises(UnknownFateError) as caught,
    ):
        client.study("flu").ask(key="mine")
    assert caught.value.key == "mine"
    assert len(pauses) == 1


def test_a_server_that_is_not_there_is_said_to_be_so(pauses):
    with answering(lambda *_: (200, *said())) as (url, _):
        pass
    with Client(url, retries=2) as client:
        with pytest.raises(ServerError, match=f"{url} cannot be reached"):
            client.study("flu").status()
        with pytest.raises(ServerError, match="cannot be reached"):
            client.study("flu").ask()  # it never arrived, as everybody can tell
    assert len(pauses) == 4


@pytest.mark.parametrize(
    ("status", "error"),
    [(404, UnknownError), (409, StudyError), (429, BusyError), (422, ServerError),
     (400, ServerError), (413, ServerError), (500, ServerError)],
)  # fmt: skip
def test_what_is_refused_is_not_sent_again(pauses, status, error):
    with answering(lambda *_: (status, *said(error="no, because"))) as (url, seen):
        with Client(url) as client, pytest.raises(error, match="no, because"):
            client.study("flu").ask()
        assert len(seen) == 1
    assert not pauses


def test_all_mistakes_are_told():
    answer = said(error="two", mistakes=["n: must be 1", "case: is not there"])
    with (
        against(lambda *_: (422, *answer)) as (client, _),
        pytest.raises(ServerError) as caught,
    ):
        client.study("flu").ask()
    assert caught.value.mistakes == ("n: must be 1", "case: is not there")


def test_a_study_is_not_begun_twice(pauses):
    """Creating has no key, so where its answer is lost, or nobody knows, it is not sent again."""
    with answering(lambda *_: (503, *said(error="busy"))) as (url, seen), Client(url) as client:
        with pytest.raises(JournalError, match="busy"):
            client.create_study("", "")
        assert len(seen) == 1
    with answering(lambda *_: (200, *said())) as (url, _), Relay(url) as relay:
        relay.drop(TO_CLIENT, 0)
        with (
            Client(f"http://127.0.0.1:{relay.port}") as client,
            pytest.raises(UnknownFateError, match="nobody knows whether it was carried out"),
        ):
            client.create_study("", "")
    assert not pauses


@pytest.mark.parametrize(
    ("body", "words"),
    [(b"<html>", "no JSON"), (b"[]", "no object"), (b"{}", "requests: is missing"),
     (b'{"requests": 3}', "requests: is 3 instead of a list"),
     (json.dumps(DONE).replace('"1"', '"one"').encode(), "instead of an amount")],
)  # fmt: skip
def test_an_answer_of_something_else_is_not_taken_for_one(body, words):
    with (
        against(lambda *_: (200, {}, body)) as (client, _),
        pytest.raises(ServerError, match=words),
    ):
        client.study("flu").ask()


def test_a_refusal_without_words_is_told_as_such():
    with (
        against(lambda *_: (500, {}, b"<html>")) as (client, _),
        pytest.raises(ServerError, match="answered 500 without words"),
    ):
        client.study("flu").status()
