"""Locks that others hold, how many connections there are, and what is said on stderr."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from budgeted.errors import JournalError
from budgeted.studies.journal import Journal, connections, messages
from tests import sample_studies as studies
from tests.databases import new_postgres_database
from tests.journals import told


@pytest.fixture
def url(postgres):
    found, drop = new_postgres_database(postgres)
    yield found
    drop()


@pytest.fixture
def quick(monkeypatch):
    """A second is long enough to wait in a test."""
    monkeypatch.setattr(connections, "LOCK_WAIT", 1)


def test_a_lock_that_another_program_holds(url, quick):
    """Reading, writing, opening: each ends with a message in words that names no user or host."""
    with Journal(url, "a", create=True) as journal, psycopg.connect(url) as other:
        journal.append([told(1)], expected=0, by="me")
        other.execute("LOCK TABLE budgeted_events, budgeted_format IN ACCESS EXCLUSIVE MODE")
        for attempt in (
            journal.read,
            lambda: journal.append([told(2)], expected=1, by="me"),
            lambda: Journal(url, "b"),
        ):
            with pytest.raises(JournalError, match="is kept locked by another program") as caught:
                attempt()
            assert "postgres" not in caught.value.reason
            assert "/" not in caught.value.reason
        other.rollback()
        assert len(journal.read()) == 1


def test_no_wait_on_a_server_is_without_end(url):
    """Every connection has the limits, not only the first, and keeps them after a transaction that
    came to nothing."""
    meant = {
        "lock_timeout": 1_000 * connections.LOCK_WAIT,
        "statement_timeout": 1_000 * connections.WAIT,
        "idle_in_transaction_session_timeout": 1_000 * connections.IDLE_WAIT,
    }
    assert 0 not in meant.values(), "which is for ever"

    def found(connection):  # what SHOW shows, always in milliseconds
        query = "SELECT name, CAST(setting AS integer) FROM pg_settings"
        shown = dict(connection.exec_driver_sql(query + " WHERE vartype = 'integer'").all())
        return {name: shown[name] for name in meant}

    with Journal(url, "a", create=True) as journal:
        for _ in range(2):
            with journal._engine.connect() as one, journal._engine.connect() as two:
                for each in (one, two):
                    assert found(each) == meant
                    each.rollback()
                    assert found(each) == meant


def test_serving_behind_a_lock_says_so(url):
    """The defect: not even the address was printed."""
    Journal(url, "a", create=True).release()
    with psycopg.connect(url) as other:
        other.execute("LOCK TABLE budgeted_events, budgeted_format IN ACCESS EXCLUSIVE MODE")
        done = subprocess.run(
            [sys.executable, "-m", "budgeted", "serve", "--db", url, "--port", "0"],
            capture_output=True, text=True, check=False, timeout=100,
        )  # fmt: skip
    assert done.returncode != 0
    assert "is kept locked by another program" in done.stderr + done.stdout
    assert "Traceback" not in done.stderr


def test_many_studies_share_few_connections(url):
    """120 open studies, and all of them at work at once."""
    Journal(url, "0", create=True).release()
    journals = [Journal(url, str(number)) for number in range(120)]
    with ThreadPoolExecutor(30) as threads:
        list(threads.map(lambda each: each.append([told(1)], expected=0, by="me"), journals))
        assert all(len(found) == 1 for found in threads.map(lambda each: each.read(), journals))
    with psycopg.connect(url, autocommit=True) as other:
        count = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        (mine,) = other.execute(count).fetchone()
        assert mine - 1 <= connections.MOST
        for each in journals:
            each.release()
        while other.execute(count).fetchone() != (1,):  # a server takes a moment to notice
            pass


def test_journals_of_a_file_share_it_too(tmp_path, monkeypatch):
    database = str(tmp_path / "studies.db")
    with Journal(database, "a", create=True) as one:
        monkeypatch.chdir(tmp_path)
        with Journal("studies.db", "b") as two:
            assert one._engine is two._engine
            one.release()
            two.append([told(1)], expected=0, by="me")
        one.append([told(1)], expected=0, by="me")  # taken again when it is needed


def test_a_file_that_was_replaced_is_opened_anew(tmp_path):
    """What is written to a file that has no name any more would be lost."""
    path, other = tmp_path / "studies.db", tmp_path / "other.db"
    for each in (path, other):
        Journal(str(each), "a", create=True).release()
    with Journal(str(path), "a") as journal:
        journal.append([told(1)], expected=0, by="me")
        os.replace(other, path)
        for end in ("-wal", "-shm"):  # as who restores a copy must
            path.with_name(path.name + end).unlink()
        with pytest.raises(JournalError, match="not in the database any more"):
            journal.read(after=1)
        path.unlink()
        with pytest.raises(JournalError, match="the file is gone"):
            journal.read(after=1)
    assert not path.exists()


CONFLICTS = """
import sys, threading
from sqlalchemy import event
from sqlalchemy.engine import Engine
from budgeted.errors import ConflictError
from budgeted.studies.journal import Journal, connections
from tests.journals import told

connections.LOCK_WAIT = connections.IDLE_WAIT = connections.WAIT = 3_600  # machines may be busy
both, here, said = threading.Barrier(2), threading.local(), []

@event.listens_for(Engine, "before_cursor_execute")
def hold(connection, cursor, statement, *more):
    if "INSERT INTO budgeted_" in statement and here.held:
        here.held = False
        both.wait(60)

def append(journal):
    try:
        journal.append([told(number + 1) for number in range(300)], expected=0, by="me")
    except ConflictError:
        return "conflict"
    return "written"

def write():
    for study in "abcdefghij":
        with Journal(sys.argv[1], study) as journal:
            here.held = True
            said.append(f"{study} {append(journal)} {append(journal)}")

threads = [threading.Thread(target=write) for _ in range(2)]
for each in threads: each.start()
for each in threads: each.join()
print(*sorted(said), sep=chr(10))
"""


def test_conflicts_say_nothing_on_stderr(url):
    """Two begin the same study, and both are held until neither can see what the other writes: so
    the database itself refuses one of them, every time. Then each of them comes too late.

    Many events, as the defect was what the driver said of those in line behind one that failed; and
    many studies, as some ways to write say it only now and then.
    """
    Journal(url, "a", create=True).release()
    done = subprocess.run(
        [sys.executable, "-c", CONFLICTS, url],
        capture_output=True, text=True, check=True, timeout=300,
    )  # fmt: skip
    assert done.stderr == ""
    expected = [f"{study} {first} conflict" for study in "abcdefghij"
                for first in ("conflict", "written")]  # fmt: skip
    assert done.stdout.splitlines() == expected


def test_a_forked_process_has_connections_of_its_own(url):
    with studies.begin(url) as study:
        study.ask()
        child = os.fork()
        if child == 0:
            try:
                study.ask()
                study.release()
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        study.ask()
        assert len(study.requests()) == 3


def test_what_databases_say_is_told_without_hosts_and_users():
    said = (
        'connection to server at "10.1.2.3", port 5432 failed: FATAL: role "anna" does not exist',
        'could not translate host name "db.lab.example" to address: Name or service not known',
        'FATAL:  password authentication failed for user "anna"',
    )
    for each in said:
        shown = messages.reason_of(Exception(each))
        assert not any(secret in shown for secret in ("10.1.2.3", "anna", "db.lab.example")), shown


def test_threads_of_one_journal(tmp_path):
    with Journal(str(tmp_path / "studies.db"), "a", create=True) as journal:
        journal.append([told(1)], expected=0, by="me")
        found = []
        threads = [threading.Thread(target=lambda: found.append(journal.read())) for _ in range(9)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
    assert [len(each) for each in found] == [1] * 9
