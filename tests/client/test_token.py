"""Where the token goes: to the address that was given, not in plain text, and nowhere else."""

import pytest

from budgeted.client import Client
from budgeted.errors import AccessError, ServerError, UnknownError
from tests.client.servers import against, answering

TOKEN = "s3cret"


def test_a_redirect_is_not_followed_and_gets_no_token():
    with answering(lambda *_: (200, {}, b"{}")) as (other, seen_there):
        for status in (301, 302, 303, 307, 308):
            headers = {"Location": f"{other}/api/studies/flu/ask?x=1"}
            with answering(lambda *_, s=status, h=headers: (s, h, b"")) as (url, seen):
                sends_on = pytest.raises(ServerError, match="sends on to")
                with Client(url, token=TOKEN) as client, sends_on as caught:
                    client.study("flu").ask()
                assert other in str(caught.value)
                assert {each[2]["authorization"] for each in seen} == {f"Bearer {TOKEN}"}
        assert seen_there == []


@pytest.mark.parametrize("url", ["http://lab.example.org", "http://10.0.0.7:8000", "HTTP://lab"])
def test_plain_http_to_another_machine_is_refused_with_a_token(url):
    with pytest.raises(AccessError, match="plain text"):
        Client(url, token=TOKEN)
    Client(url).close()  # without one, nothing is given away
    Client(url, token=TOKEN, plain_http=True).close()


@pytest.mark.parametrize(
    "url", ["http://localhost:8000", "http://127.0.0.1", "http://[::1]:8000", "https://lab"]
)
def test_this_machine_and_https_are_fine(url):
    Client(url, token=TOKEN).close()


@pytest.mark.parametrize(
    ("url", "words"),
    [("lab.example.org", "no address"), ("ftp://lab", "no address"), ("http://", "no address"),
     ("http://lab:x", "no address"), ("https://anna:pw@lab", "no name, password"),
     ("https://lab/?a=1", "no name, password")],
)  # fmt: skip
def test_addresses_that_make_no_sense_are_refused_in_words(url, words):
    with pytest.raises(ServerError, match=words):
        Client(url)


@pytest.mark.parametrize("token", ["", " ", "two words", "tökén", "a\nb"])
def test_a_token_is_one_word(token):
    with pytest.raises(AccessError, match="one word"):
        Client("https://lab", token=token)


def test_a_proxy_of_the_environment_sees_nothing_that_is_for_this_machine(monkeypatch):
    with answering(lambda *_: (404, {}, b'{"error": "none"}')) as (proxy, seen_there):
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy)
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        with (
            against(lambda *_: (404, {}, b'{"error": "none"}'), token=TOKEN) as (client, seen),
            pytest.raises(UnknownError),
        ):
            client.study("flu").status()
        assert len(seen) == 1
        assert seen_there == []


def test_a_path_in_front_of_everything_is_kept():
    with against(lambda *_: (404, {}, b'{"error": "none"}'), "/budgeted/") as (client, seen):
        with pytest.raises(UnknownError):
            client.study("flu").status()
        assert seen[0][1] == "/budgeted/api/studies/flu"


def test_it_names_the_extra_where_httpx_is_missing(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(ServerError, match=r"pip install 'budgeted\[client\]'"):
        Client("https://lab")
