"""What a page says when something cannot be, or when nobody knows whether it was done."""

import json
import re

import pytest

from budgeted import Study
from budgeted.errors import JournalError, UnknownFateError
from tests.web.test_page_forms import events, send, words
from tests.webs import client, make_study

WHERE = "postgresql://anna@lab/studies"


@pytest.fixture
def site(tmp_path):
    with make_study(tmp_path / "studies.db") as study:
        study.ask(3)
        study.tell(1, "yes")
    with client(tmp_path, log=str(tmp_path / "log.jsonl")) as found:
        found.database = str(tmp_path / "studies.db")
        found.log = tmp_path / "log.jsonl"
        yield found


@pytest.fixture
def lost(monkeypatch):
    """The answer of the next write is lost, which is done or not; returns what says which."""
    carry_out = Study.carry_out

    def lose(written):
        def losing(study, sent, shared=False):
            monkeypatch.setattr(Study, "carry_out", carry_out)
            if written:
                carry_out(study, sent)
            return tuple(
                UnknownFateError("it is not known whether it was written", WHERE, each.key)
                for each in sent
            )

        monkeypatch.setattr(Study, "carry_out", losing)

    return lose


@pytest.mark.parametrize("written", [True, False], ids=["written", "not written"])
@pytest.mark.parametrize("htmx", [True, False], ids=["htmx", "plain"])
def test_a_write_of_unknown_fate_is_not_called_undone_and_is_pressed_again(
    site, lost, written, htmx
):
    before = events(site)
    lost(written)
    answer = send(site, "requests/2/tell", htmx, value="no", key="abc123")
    said = words(answer) + answer.headers.get("HX-Trigger", "")
    assert answer.status_code == 503
    assert "It is not known whether this was recorded. Press again: it is not recorded" in said
    assert "Not done" not in said
    assert "anna@lab" not in said
    if htmx:
        assert "abc123" not in said
        assert "fresh" not in json.loads(answer.headers["HX-Trigger"]), "it keeps its key"
        again = send(site, "requests/2/tell", htmx, value="no", key="abc123")
    else:  # the page holds the form once more, the key hidden in it
        assert "abc123" not in words(answer)
        (form,) = re.findall(r'<form method="post" action="/studies.*?</form>', answer.text, re.S)
        fields = dict(re.findall(r'name="(\w+)" value="([^"]*)"', form))
        assert fields["key"] == "abc123"
        again = site.post(re.search('action="([^"]+)"', form)[1], data=fields)
    assert again.status_code in (200, 303)
    assert [each[:14] for each in events(site)[len(before) :]] == ["request 2 told"]


@pytest.mark.slow
def test_a_program_is_told_the_key_of_a_write_of_unknown_fate(site, lost):
    lost(True)
    answer = site.post("/api/studies/flu/ask", json={"n": 1}, headers={"Idempotency-Key": "k7"})
    assert answer.status_code == 503
    assert "the key k7" in answer.json()["error"]


@pytest.mark.parametrize("htmx", [True, False], ids=["htmx", "plain"])
def test_a_database_that_is_gone_is_in_the_log_whoever_asked(site, monkeypatch, htmx):
    def gone(study, sent, shared=False):
        raise JournalError("cannot be reached; nothing was changed", WHERE)

    monkeypatch.setattr(Study, "carry_out", gone)
    answer = send(site, "ask", htmx, n="1")
    assert answer.status_code == 503
    assert "cannot be reached" in words(answer)
    assert "anna@lab" not in answer.text
    lines = map(json.loads, site.log.read_text().splitlines())
    (line,) = [each for each in lines if each["id"] == answer.headers["x-request-id"]]
    assert (line["status"], line["error"]) == (503, "JournalError")
    assert WHERE in line["cause"]


def test_a_refusal_of_the_study_is_in_the_log_by_its_kind(site):
    answer = send(site, "requests/1/cancel", htmx=True)
    assert answer.status_code == 422
    lines = map(json.loads, site.log.read_text().splitlines())
    (line,) = [each for each in lines if each["id"] == answer.headers["x-request-id"]]
    assert line["error"] == "StudyError"


ENDLESS = "1" * 5_000


@pytest.mark.parametrize("number", [ENDLESS, "٣" * 5_000, "²", "-1", "1e3"])
def test_numbers_without_an_end_are_refused_in_words(site, number):
    before = events(site)
    for path, fields in (
        ("ask", {"n": number}),
        ("record", {"case": "P10", "what": f"{number}=yes"}),
    ):
        answer = send(site, path, htmx=True, **fields)
        assert answer.status_code == 422, path
        assert len(words(answer)) < 500
    for path in (f"history?page={number}", f"cards?shown={number}"):
        assert site.get(f"/studies/flu/{path}").status_code == 200
    assert site.get("/studies/flu/model", params={"known": f"{number}=yes"}).status_code == 422
    assert events(site) == before
