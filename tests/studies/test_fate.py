"""What became of a write whose answer is lost; tests/crashes/drops.py drops any byte."""

from __future__ import annotations

import psycopg
import pytest

from budgeted.errors import JournalError, UnknownFateError
from budgeted.studies.journal import fate
from budgeted.web import probes
from tests import sample_studies as studies
from tests.crashes.drops import UNCHANGED, commit_answer, rows
from tests.crashes.relay import TO_CLIENT, Relay
from tests.databases import new_postgres_database
from tests.webs import client


@pytest.fixture
def server_database(postgres):
    url, drop = new_postgres_database(postgres)
    yield url
    drop()


def test_a_commit_whose_answer_is_lost_is_done(server_database):
    """The defect: it was said that nothing was changed, and asking again doubled the request."""
    with Relay(server_database) as relay, studies.begin(relay.url) as study:
        study.ask()
        lost = commit_answer(relay, study)
        relay.drop(TO_CLIENT, lost)
        study.ask()
        assert relay.dropped == 1
        assert len(rows(server_database)) == 4
        studies.check_everything(study)


def test_a_commit_of_unknown_fate_says_so_and_can_be_repeated(server_database, monkeypatch):
    monkeypatch.setattr(fate, "PATIENCE", 0.2)
    with Relay(server_database) as relay, studies.begin(relay.url) as study:
        study.ask()
        lost = commit_answer(relay, study)
        relay.drop(TO_CLIENT, lost, refusing=True)
        with pytest.raises(UnknownFateError, match="it is not known whether it was") as caught:
            study.ask(key="mine")
        assert "repeated with the key mine it is carried out once" in caught.value.reason
        assert UNCHANGED not in str(caught.value)
        relay.mend()
        (asked,) = study.ask(key="mine")
        assert asked.number == 3
        assert len(rows(server_database)) == 4


def test_a_beginning_whose_answer_is_lost(server_database):
    """Whether a study was begun is found out too, at any byte that comes back."""
    with Relay(server_database) as relay:
        studies.begin(relay.url, "first").release()
        before = relay.passed[TO_CLIENT]
        studies.begin(relay.url, "second").release()
        usual = relay.passed[TO_CLIENT] - before
        for at in range(max(0, usual - 60), usual, 7):
            name = f"at {at}"
            relay.drop(TO_CLIENT, at)
            try:
                studies.begin(relay.url, name).release()
                begun = True
            except JournalError as error:
                begun = UNCHANGED not in str(error) and None
            relay.mend()
            with psycopg.connect(server_database) as connection:
                query = "SELECT count(*) FROM budgeted_events WHERE study = %s"
                (found,) = connection.execute(query, [name]).fetchone()
            assert begun is None or found == begun


def test_a_server_whose_database_cannot_be_reached(server_database, tmp_path, monkeypatch):
    """It says so without saying where the database is, and is ready again by itself."""
    monkeypatch.setattr(probes, "_FRESH", 0.0)
    with Relay(server_database) as relay, client(tmp_path, relay.url) as server:
        studies.begin(relay.url, "flu").release()
        assert server.get("/ready").status_code == 200
        relay.drop(TO_CLIENT, 0, refusing=True)
        secrets = [relay.url.partition("://")[2].partition("@")[0], "127.0.0.1", str(relay.port),
                   server_database.rpartition("/")[2].partition("?")[0]]  # fmt: skip
        for path in ("/ready", "/studies", "/api/studies", "/api/studies/flu"):
            answer = server.get(path)
            assert answer.status_code == 503, path
            assert [each for each in secrets if each in answer.text] == []
        relay.mend()
        for path in ("/ready", "/studies"):
            assert server.get(path).status_code == 200
