"""The archive, and studies that are deleted: on SQLite and on PostgreSQL."""

import threading

import pytest
from click.testing import CliRunner

from budgeted import Study
from budgeted.cli.main import main
from budgeted.errors import (
    ConflictError,
    ForeignHistoryError,
    JournalError,
    StudyError,
    UnknownError,
)
from budgeted.studies.archiving import Archived, Unarchived
from budgeted.studies.blinding import Blinder
from budgeted.studies.commands import COMMANDS
from budgeted.studies.journal import Journal, studies
from budgeted.studies.journal.rows import from_json, to_json
from budgeted.studies.ledger import FORMAT, Summary, summaries
from tests.webs import make_study


def test_nothing_changes_a_study_in_the_archive(database):
    with make_study(database) as study:
        study.ask(2)
        study.archive("published", key="k")
        study.archive("published", key="k")
        before = study.head
        for attempt in (
            study.ask,
            study.archive,
            lambda: study.tell(1, "yes"),
            lambda: study.withdraw("P1", forget=True),
            lambda: study.correct(1, "no"),
            lambda: study.set_budget(99),
        ):
            with pytest.raises(StudyError, match="is in the archive; take it back before"):
                attempt()
        assert study.head == before
    with Study.open(database, "flu") as study:
        assert study.archived
        assert study.verify().events == study.events
        study.unarchive("a question came")
        assert not study.archived
        assert study.tell(1, "yes").value == "yes"
        with pytest.raises(StudyError, match="not in the archive"):
            study.unarchive()
        words = [entry.event.words() for entry in study.history()]
        assert "put into the archive (published)" in words
        assert "taken back from the archive (a question came)" in words


def test_a_closed_study_is_closed_when_it_comes_back(database):
    with make_study(database) as study:
        study.close()
        study.archive()
        assert study.closed
        study.unarchive()
        assert study.closed
        with pytest.raises(StudyError, match="is closed"):
            study.ask()


def test_lists_know_what_is_in_the_archive(database):
    make_study(database, "kept").release()
    with make_study(database) as study:
        study.archive()
    with Journal(database, "") as journal:
        found = summaries(journal)
        assert {name: each.archived for name, each in found.items()} == {"flu": True, "kept": False}
    old = found["kept"].to_text().replace('"archived": false, ', "")
    old = old.replace(f'"version": {FORMAT.version}', '"version": 1')
    assert "archived" not in old
    assert Summary.from_text(old) == found["kept"]


def test_only_what_is_over_can_be_deleted(database):
    with make_study(database) as study:
        with pytest.raises(StudyError, match="neither in the archive nor closed"):
            study.delete()
        study.close()
        assert study.delete() == study.head
    assert studies(database) == ()
    with pytest.raises(UnknownError, match="there is no study 'flu'"):
        Study.open(database, "flu")


def test_others_are_left_alone_and_the_name_may_be_used_again(database):
    make_study(database, "other").release()
    with make_study(database) as study:
        study.ask(3)
        study.archive()
        old = study.delete()
    with Study.open(database, "other") as other:
        assert other.verify().events == 1
    with make_study(database, clock=lambda: "2030-01-01T00:00:00Z") as study:
        study.ask()
        assert study.head.digest != old.digest
        assert study.verify().events == 2
        with pytest.raises(JournalError, match="digest"):
            study.verify(old.digest)


def test_who_has_it_open_is_told_and_writes_nothing(database):
    with make_study(database) as study, Study.open(database, "flu") as stale:
        study.archive()
        study.delete()
        for attempt in (stale.refresh, stale.ask, stale.unarchive):
            with pytest.raises(ForeignHistoryError, match="not in the database any more: it was d"):
                attempt()
        assert studies(database) == ()
        make_study(database, clock=lambda: "2030-01-01T00:00:00Z").release()
        with pytest.raises(ForeignHistoryError, match="is not the one that was read here"):
            stale.ask()
        with pytest.raises(ForeignHistoryError):
            stale.delete()
        with Study.open(database, "flu") as new:
            assert new.events == 1


def test_what_somebody_wrote_meanwhile_is_not_deleted_unseen(database):
    with make_study(database) as study:
        study.archive()
        with Study.open(database, "flu") as other:
            other.unarchive("wait")
        with pytest.raises(ConflictError):
            study._journal.delete()
        with pytest.raises(StudyError, match="neither in the archive nor closed"):
            study.delete()
        assert study.events == 3


def test_of_two_who_delete_one_does(database):
    with make_study(database) as study:
        study.archive()
    done, barrier = [], threading.Barrier(2)

    def delete():
        with Study.open(database, "flu") as mine:
            barrier.wait()
            try:
                done.append(mine.delete())
            except ForeignHistoryError as error:
                done.append(error)

    threads = [threading.Thread(target=delete) for _ in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sum(isinstance(each, ForeignHistoryError) for each in done) == 1
    assert studies(database) == ()


def test_a_deletion_that_fails_changes_nothing(tmp_path, monkeypatch):
    from budgeted.studies.journal import rows

    database = str(tmp_path / "studies.db")
    with make_study(database) as study:
        study.archive()
        whole = rows.delete_rows

        def stumble(connection, name):
            whole(connection, name)
            connection.exec_driver_sql("SELECT * FROM nowhere")

        monkeypatch.setattr(rows, "delete_rows", stumble)
        with pytest.raises(JournalError):
            study.delete()
        monkeypatch.undo()
        assert study.verify().events == 2
        study.unarchive()
    with Study.open(database, "flu") as study:
        assert study.events == 3


def test_nothing_of_it_stays_in_a_sqlite_file(tmp_path):
    database = tmp_path / "studies.db"
    make_study(database, "other").release()
    with make_study(database) as study:
        study.record([("P3", "fever", "yes")])
        study.archive("Wolpertinger")
        study.delete()
    held = b"".join(each.read_bytes() for each in tmp_path.iterdir())
    assert b"other" in held
    assert b"Wolpertinger" not in held


@pytest.mark.parametrize("event", [Archived("why"), Unarchived()], ids=lambda each: each.kind)
def test_the_events_are_written_and_read(event):
    assert from_json(to_json(event)) == event


def test_the_command_line_archives_and_deletes(tmp_path):
    database = str(tmp_path / "studies.db")
    make_study(database).release()

    def run(*words, **options):
        return CliRunner().invoke(main, ["study", *words, "--db", database], **options)

    assert "neither in the archive nor closed" in run("delete", "flu", "--yes").output
    assert "put into the archive (done)" in run("archive", "--why", "done").output
    assert run("list").output == "there are none\n"
    assert run("list", "--archived").output == "flu\n"
    assert "in the archive" in run("status").output
    assert "taken back" in run("unarchive").output
    assert run("list").output == "flu\n"
    run("archive")
    wrong = run("delete", "flu", input="grippe\n")
    assert "nothing was deleted" in wrong.output
    assert studies(database) == ("flu",)
    assert "Study 'flu' is deleted: 4 events, digest " in run("delete", "flu", input="flu\n").output
    assert studies(database) == ()


def test_a_study_in_the_archive_is_copied_as_it_is(tmp_path):
    with make_study(tmp_path / "one.db") as study:
        study.archive()
        study.copy_to(str(tmp_path / "two.db"))
    with Study.open(str(tmp_path / "two.db")) as copy:
        assert copy.archived


def test_who_is_blind_is_shown_the_same_events(tmp_path):
    """Labels apart, nothing is left out, and what is told again is told the same."""
    with make_study(tmp_path / "studies.db") as study:
        study.ask(4)
        study.tell(1, "yes")
        study.archive()
        seen = study.snapshot()
    blinder = Blinder()
    hidden = blinder.snapshot(seen)
    assert [each.seq for each in hidden.entries] == [each.seq for each in seen.entries]
    assert [(each.case, each.value) for each in hidden.requests()] == [
        (each.case, each.value) for each in seen.requests()
    ]
    assert hidden.archived
    assert blinder.snapshot(seen).numbered == hidden.numbered
    shown = " ".join(entry.event.words() for entry in hidden.entries)
    assert not any(label in shown for label in seen.state.problem.labels)
    assert {kind.name for kind in COMMANDS.available().values() if kind.in_archive} == {"unarchive"}
