"""The contract on every database, and what only files can suffer."""

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from decimal import Decimal
from pathlib import Path

import pytest

from budgeted.errors import JournalError
from budgeted.studies.events import Closed, Told
from budgeted.studies.journal import Journal, parse_url, rows
from tests import journals


@pytest.mark.parametrize("check", journals.CHECKS, ids=lambda check: check.__name__)
def test_contract(check, database):
    check(database)


@pytest.fixture
def file(tmp_path):
    """A SQLite file with one event, at rest."""
    path = tmp_path / "studies.db"
    with Journal(str(path), "a", create=True) as journal:
        journal.append([Told(1, "yes", Decimal(1))], expected=0, by="me")
    return path


def contents(path):
    return {each.name: each.read_bytes() for each in path.parent.iterdir()}


@pytest.mark.parametrize("create", [False, True])
@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"case,label\n1,well\n" * 100, "is not a SQLite database"),
        (b"SQLite format 3\0" + b"\1" * 5000, "is (not a SQLite database|damaged)"),
    ],
)
def test_a_file_that_is_no_database(tmp_path, content, says, create):
    path = tmp_path / "cases.csv"
    path.write_bytes(content)
    with pytest.raises(JournalError, match=says):
        Journal(str(path), "a", create=create)
    assert contents(path) == {"cases.csv": content}


@pytest.mark.parametrize("create", [False, True])
def test_the_database_of_another_program(tmp_path, create):
    path = tmp_path / "other.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE recipes (name TEXT)")
    connection.close()
    before = contents(path)
    with pytest.raises(JournalError, match=r"belongs to another program \(it has tables recipes\)"):
        Journal(str(path), "a", create=create)
    assert contents(path) == before


def test_a_file_cut_short(file):
    file.write_bytes(file.read_bytes()[:-5000])
    before = contents(file)
    with pytest.raises(JournalError, match="is damaged; restore it from a backup"):
        Journal(str(file), "a").read()
    assert contents(file)[file.name] == before[file.name]


def test_a_flipped_bit_in_a_value(file):
    content = file.read_bytes()
    assert content.count(b'"value":"yes"') == 1
    file.write_bytes(content.replace(b'"value":"yes"', b'"value":"yep"'))
    with Journal(str(file), "a") as journal, pytest.raises(JournalError, match="at event 1"):
        journal.read()


def test_a_file_that_is_not_there_is_not_made(tmp_path):
    with pytest.raises(JournalError, match="there is no such file"):
        Journal(str(tmp_path / "none.db"), "a")
    with pytest.raises(JournalError, match="cannot be opened"):
        Journal(str(tmp_path / "no" / "folder" / "none.db"), "a", create=True)
    assert list(tmp_path.iterdir()) == []


AS_NOBODY = """
import os, sys
from budgeted.errors import JournalError
from budgeted.studies.events import Closed
from budgeted.studies.journal.rows import to_json
from budgeted.studies.journal import Journal
path = sys.argv[1]
with Journal(path, "a") as journal:  # everything is loaded before the rights are given up
    journal.read(), to_json(Closed())
if os.getuid() == 0:  # the superuser may write to anything
    os.setgid(65534)
    os.setuid(65534)
with Journal(path, "a") as journal:
    print(len(journal.read()))
    try:
        journal.append([Closed()], expected=1, by="me")
    except JournalError as error:
        print(error)
"""


def test_a_read_only_file_can_be_read_and_says_so_when_written(file):
    with tempfile.TemporaryDirectory() as folder:  # tmp_path is closed to other users
        os.chmod(folder, 0o777)
        copied = Path(folder) / file.name
        shutil.copy(file, copied)
        copied.chmod(0o444)
        before = copied.read_bytes()
        done = subprocess.run(
            [sys.executable, "-c", AS_NOBODY, str(copied)],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        events, words = done.stdout.splitlines()
        assert events == "1"
        assert "is read-only" in words
        assert "nothing was changed" in words
        assert copied.read_bytes() == before


def test_a_full_disk(file):
    with Journal(str(file), "a") as journal:
        with journal._engine.connect() as connection:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
            connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(JournalError, match="has no room left"):
            journal.append([Closed("x" * 100_000)], expected=1, by="me")
        assert len(journal.read()) == 1
    with Journal(str(file), "a") as journal:
        assert journal.append([Closed()], expected=1, by="me")[0].seq == 2


def test_the_file_is_safe_against_power_cuts(file):
    with Journal(str(file), "a") as journal, journal._engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2


def test_a_server_that_is_not_there():
    with pytest.raises(JournalError, match=r"postgresql.*\*\*\*.*cannot be reached") as caught:
        Journal("postgresql://anna:secret@127.0.0.1:1/studies", "a")
    assert "secret" not in str(caught.value)


def test_a_read_only_transaction_on_a_server(postgres):
    from tests.databases import new_postgres_database

    url, drop = new_postgres_database(postgres)
    try:
        Journal(url, "a", create=True).release()
        mark = "&" if "?" in url else "?"
        read_only = f"{url}{mark}options=-c%20default_transaction_read_only%3Don"
        with (
            Journal(read_only, "a") as journal,
            pytest.raises(JournalError, match=r"is read-only.*nothing was changed"),
        ):
            journal.append([Closed()], expected=0, by="me")
    finally:
        drop()


@pytest.mark.parametrize(
    "url", ["mysql://host/name", "sqlite://", "sqlite:///:memory:", "a://b://"]
)
def test_other_databases_are_refused(url):
    with pytest.raises(JournalError, match="--db"):
        parse_url(url)


WRITER = """
import sys
from budgeted.studies.events import Closed
from budgeted.studies.journal import Journal
with Journal(sys.argv[1], "a") as journal:
    for number in range(1, 301):
        journal.append([Closed()], expected=number, by="me")
"""


def test_a_file_can_be_opened_while_another_process_writes(file):
    """The defect: whoever opened it between a write and its note beside was told of damage."""
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(file)])
    seen = []
    while writer.poll() is None:
        with Journal(str(file), "a") as journal:
            seen.append(len(journal.read()))
    assert writer.wait() == 0
    assert seen == sorted(seen)
    assert len(set(seen)) > 1, "some were opened meanwhile"


def test_a_write_between_reading_the_events_and_checking_them(file, monkeypatch):
    fetch = rows.fetch

    def fetch_and_write(*arguments):
        rows = fetch(*arguments)
        with Journal(str(file), "a") as other:
            other.append([Closed()], expected=1, by="other")
        return rows

    monkeypatch.setattr(rows, "fetch", fetch_and_write)
    with Journal(str(file), "a") as journal:
        assert len(journal.read()) == 1
