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
from budgeted.journal import Journal, connections, words
from tests import studies
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
        with pytest.raises(JournalError, match="holds others or fewer"):
            journal.read(after=1)
        path.unlink()
        with pytest.raises(JournalError, match="the file is gone"):
            journal.read(after=1)
    assert not path.exists()


CONFLICTS = """
import sys, threading
from budgeted.errors import ConflictError
from budgeted.journal import Journal
from tests.journals import told
def write(who):
    with Journal(sys.argv[1], "a") as journal:
        for _ in range(15):
            try:
                last = len(journal.read())
                journal.append([told(last + 1), told(last + 2)], expected=last, by=who)
            except ConflictError:
                pass
        for expected in (0, 1):
            try:
                journal.append([told(1), told(2)], expected=expected, by=who)
            except ConflictError:
                pass
threads = [threading.Thread(target=write, args=(str(each),)) for each in range(4)]
for each in threads: each.start()
for each in threads: each.join()
"""


def test_conflicts_say_nothing_on_stderr(url):
    Journal(url, "a", create=True).release()
    done = subprocess.run(
        [sys.executable, "-c", CONFLICTS, url], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""


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
        shown = words.reason_of(Exception(each))
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
