"""`study verify`: what it finds, and what only a digest that was noted down can."""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3

import pytest
from click.testing import CliRunner

from budgeted import Study
from budgeted.cli.main import main
from budgeted.errors import JournalError, StudyError
from budgeted.studies.events import Asked
from budgeted.studies.journal import Journal
from tests import sample_studies as studies


@pytest.fixture
def path(tmp_path):
    with studies.begin(str(tmp_path / "studies.db")) as study:
        for request in study.ask(3):
            study.tell(request.number, "yes")
        study.ask()
    return tmp_path / "studies.db"


def run(path, *arguments):
    return CliRunner().invoke(main, ["study", *arguments, "--db", str(path)])


def test_a_sound_study(path):
    with Study.open(str(path)) as study:
        sound = study.verify()
        assert (sound.events, sound.digest) == (8, study.head.digest)
        assert (sound.spent, sound.reserved, sound.free) == (3, 1, 8)
        assert study.verify(sound.digest[:12]).expected == 8
        study.cancel(4)
        assert study.verify(sound.digest).expected == 8
        assert study.verify().expected is None
        with pytest.raises(StudyError, match="expect: must be a digest"):
            study.verify("yes")


def test_the_digest_is_shown_where_people_look(path):
    with Study.open(str(path)) as study:
        digest = study.head.digest
        assert study.status().digest == digest == study.snapshot().digest
    assert f"8 events, digest {digest}" in run(path, "status").output
    assert f"8 events, digest {digest}" in run(path, "export").stderr
    run(path, "cancel", "4")
    closed = run(path, "close").output
    with Study.open(str(path)) as study:
        assert study.head.digest in closed


def test_the_command(path):
    done = run(path, "verify", "--json")
    digest = json.loads(done.output)["digest"]
    assert json.loads(done.output)["events"] == 8
    said = run(path, "verify", "--expect", digest).output
    assert "is in good order: 8 events" in said
    assert "is that of event 8; 0 were written since" in said


def test_an_older_copy_of_everything_is_found_by_its_digest_only(path, tmp_path):
    old = shutil.copytree(path.parent, tmp_path / "old", ignore=lambda *_: ["old"])
    with Study.open(str(path)) as study:
        study.cancel(4)
        noted = study.head.digest
    assert run(old / "studies.db", "verify").exit_code == 0
    refused = run(old / "studies.db", "verify", "--expect", noted)
    assert refused.exit_code == 1
    assert "an older copy, or another database, was put in its place" in refused.output


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE budgeted_events SET actor = 'x' WHERE seq = 5",
        "DELETE FROM budgeted_events WHERE seq = 8",
        "DELETE FROM budgeted_events WHERE seq = 3",
        "UPDATE budgeted_heads SET seq = 7",
        "DELETE FROM budgeted_heads",
        """UPDATE budgeted_heads SET summary = replace(summary, '"spent": "3', '"spent": "2')""",
        "UPDATE budgeted_heads SET summary_digest = ''",
    ],
)
def test_what_is_wrong_is_said(path, statement):
    with Study.open(str(path)) as study:
        connection = sqlite3.connect(path)
        connection.execute(statement)
        connection.commit()
        connection.close()
        with pytest.raises(JournalError):
            study.verify()
    assert run(path, "verify").exit_code == 1


def test_other_words_for_an_event_are_no_damage(path, monkeypatch):
    """After an upgrade that says things better, every study would have been called damaged."""
    monkeypatch.setattr(Asked, "words", lambda self: "something was asked for")
    with Study.open(str(path)) as study:
        assert study.verify().events == 8


def test_a_summary_with_a_digest_of_its_own_is_compared_with_the_events(path):
    """Whoever edits the money on the list and knows how digests are made is found out as well."""
    connection = sqlite3.connect(path)
    digest, summary = connection.execute("SELECT digest, summary FROM budgeted_heads").fetchone()
    edited = summary.replace('"spent": "3"', '"spent": "2"')
    assert edited != summary
    made = hashlib.sha256(f"{digest}\0{edited}".encode()).hexdigest()
    connection.execute("UPDATE budgeted_heads SET summary = ?, summary_digest = ?", [edited, made])
    connection.commit()
    connection.close()
    with Study.open(str(path)) as study:
        with pytest.raises(JournalError, match="what the list of studies shows"):
            study.verify()
        study.cancel(4)
        study.verify()


@pytest.mark.parametrize("create", [False, True])
def test_an_emptied_file_does_not_pass_for_a_new_one(path, create):
    path.write_bytes(b"")
    with pytest.raises(JournalError, match="is empty, though a study was written to it"):
        Journal(str(path), "study", create=create)
    path.with_name("studies.db-heads").unlink()  # as the message says
    Journal(str(path), "study", create=True).release()


def test_a_lost_file_is_not_taken_for_one_that_never_was(path):
    path.unlink()
    with pytest.raises(JournalError, match="is gone, though a study was written to it"):
        Study.open(str(path))
    studies.begin(str(path)).release()  # who deletes a file and begins anew means it


def test_an_older_copy_is_accepted_for_a_reason_that_the_log_keeps(path):
    """Nobody has to delete a file by hand after a restore."""
    with Study.open(str(path)) as study:
        older = path.read_bytes()
        study.note("written after the backup")
    for each in path.parent.glob("studies.db-*"):
        if not each.name.endswith("-heads"):
            each.unlink()
    path.write_bytes(older)
    with pytest.raises(JournalError, match="say so with 'budgeted study accept-restore'"):
        Study.open(str(path))
    because = ["--because", "the disk was lost", "--as", "anna"]
    done = run(path, "accept-restore", "study", *because)
    assert "of 9 events that were written, 1 are missing" in done.output
    with Study.open(str(path)) as study:
        assert (study.events, study.history()[-1].by) == (9, "anna")
        assert "the disk was lost" in study.notes()[-1].text
        study.note("it goes on")
    again = run(path, "accept-restore", "study", *because)
    assert "holds all that was written; nothing is missing" in again.output
