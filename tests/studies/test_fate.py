"""What became of a write: connections that drop at any byte, and histories that are replaced.

`BUDGETED_TEST_DROPS` says how often (40 unless given; 500 take some minutes).
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import uuid
from pathlib import Path

import psycopg
import pytest

from budgeted import Study
from budgeted.errors import JournalError, UnknownFateError
from budgeted.studies.journal import fate
from budgeted.web import probes
from tests import sample_studies as studies
from tests.databases import new_postgres_database
from tests.relay import TO_CLIENT, TO_SERVER, Relay
from tests.webs import client

ROOT = Path(__file__).resolve().parents[2]
DROPS = int(os.environ.get("BUDGETED_TEST_DROPS", "40"))
UNCHANGED = "nothing was changed"


@pytest.fixture
def server_database(postgres):
    url, drop = new_postgres_database(postgres)
    yield url
    drop()


def rows(url):
    """Key and kind of every event, without the package."""
    with psycopg.connect(url) as connection:
        query = "SELECT seq, key, body::json->>'kind' FROM budgeted_events ORDER BY seq"
        return connection.execute(query).fetchall()


def wanted(study, rng):
    """Something to do: its name, what does it with a key, and how many events that gives."""
    pending = study.requests("pending")
    if pending and rng.random() < 0.5:
        number = rng.choice(pending).number
        return rng.choice([
            (1, lambda study, key: study.tell(number, "yes", key=key)),
            (1, lambda study, key: study.cancel(number, key=key)),
            (1, lambda study, key: study.fail(number, why="broken", key=key)),
        ])  # fmt: skip
    many = rng.randint(1, 3)
    return many, lambda study, key: study.ask(many, key=key)


def attempt(do, study, key):
    """What is said of something that is done over a connection that drops."""
    try:
        do(study, key)
    except UnknownFateError as error:
        return "unknown" if key in error.reason else "without its key"
    except JournalError as error:
        return UNCHANGED if UNCHANGED in str(error) else "other"
    return "done"


def test_a_connection_that_drops_at_any_byte(server_database, monkeypatch):
    """Nothing that was acknowledged is lost, and nothing is doubled by doing what we say."""
    monkeypatch.setattr(fate, "PATIENCE", 0.5)
    rng = random.Random(14)
    said = dict.fromkeys(("done", UNCHANGED, "unknown", "other"), 0)
    commits = dict(said)  # of those drops that fell on the answer to a COMMIT
    problem = studies.make_problem(budget="100000")
    options = {"problem": problem, "per_label": 4 * DROPS + 50, "policy": "round-robin"}
    with Relay(server_database) as relay:
        with studies.begin(relay.url, **options) as study:
            study.ask(3)
            before = dict(relay.passed)
            study.ask(2)
            usual = {each: relay.passed[each] - before[each] for each in before}
            for drop in range(DROPS):
                aimed = drop % 4 == 0
                commit = commit_answer(relay, study) if aimed else 0
                events = len(rows(server_database))
                many, do = wanted(study, rng)
                key = uuid.UUID(int=rng.getrandbits(128)).hex
                direction = TO_CLIENT if aimed else rng.choice((TO_SERVER, TO_CLIENT))
                # Not its first bytes: with one more digit in a number the answer begins later.
                at = commit + rng.randrange(4, 18) if aimed else rng.randrange(usual[direction])
                dropped = relay.dropped
                relay.drop(direction, at, refusing=drop % 8 == 4 if aimed else rng.random() < 0.3)
                outcome = attempt(do, study, key)
                relay.mend()
                said[outcome] += 1
                commits[outcome] += aimed and relay.dropped > dropped
                found = rows(server_database)
                if outcome == "done":
                    assert len(found) == events + many, "acknowledged and lost"
                elif outcome == UNCHANGED:
                    assert len(found) == events, "we said that nothing was changed"
                    do(study, "")  # whoever believes that does it again
                else:
                    do(study, key)
                found = rows(server_database)
                assert len(found) == events + many, (outcome, direction, at)
                assert sum(each[1] == key for each in found) in (many, 0)
                studies.check_everything(study)
        with Study.open(server_database) as again:
            studies.check_everything(again)
            assert again.events == len(found)
    sys.stdout.write(f"{DROPS} drops: {said}; on the answer to a COMMIT: {commits}\n")
    assert relay.dropped >= DROPS // 2
    assert commits["done"] >= 1, "what was written is found out"
    assert commits["unknown"] >= 1, "or is said not to be known"
    assert commits[UNCHANGED] + commits["other"] == 0
    assert said[UNCHANGED] >= 1


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


def commit_answer(relay, study):
    """How many bytes come back for an ask before the answer to its COMMIT."""
    before = relay.passed[TO_CLIENT]
    study.ask()
    # CommandComplete "COMMIT" and ReadyForQuery: 1 + 4 + 7, and 1 + 4 + 1 bytes.
    return relay.passed[TO_CLIENT] - before - 18


@pytest.mark.slow
def test_a_restore_under_running_processes(server_database):
    """To any earlier event, while two processes work: nobody goes on with what is gone."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.restores", server_database, str(DROPS)],
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=3600,  # against hanging; forty take some seconds
    )
    assert done.returncode == 0, done.stderr[-3000:]
    sys.stdout.write(done.stdout)


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
