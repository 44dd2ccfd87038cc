"""Studies that are deleted: on SQLite and on PostgreSQL."""

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
from budgeted.studies.journal import studies
from tests.webs import make_study


def test_only_what_is_over_can_be_deleted(database):
    with make_study(database) as study:
        with pytest.raises(StudyError, match="is not closed; close it first"):
            study.delete()
        study.close()
        assert study.delete() == study.head
    assert studies(database) == ()
    with pytest.raises(UnknownError, match="there is no study 'flu'"):
        Study.open(database, "flu")


def test_others_are_left_alone_and_the_name_may_be_used_again(database):
    make_study(database, "other").release()
    with make_study(database) as study:
        study.record([("P3", "fever", "yes")])
        study.close()
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
        study.close()
        study.delete()
        for attempt in (stale.refresh, stale.ask, lambda: stale.reopen("again")):
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
        study.close()
        with Study.open(database, "flu") as other:
            other.reopen("wait")
        with pytest.raises(ConflictError):
            study._journal.delete()
        with pytest.raises(StudyError, match="is not closed; close it first"):
            study.delete()
        assert study.events == 3


def test_of_two_who_delete_one_does(database):
    with make_study(database) as study:
        study.close()
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
        study.close()
        whole = rows.delete_rows

        def stumble(connection, name):
            whole(connection, name)
            connection.exec_driver_sql("SELECT * FROM nowhere")

        monkeypatch.setattr(rows, "delete_rows", stumble)
        with pytest.raises(JournalError):
            study.delete()
        monkeypatch.undo()
        assert study.verify().events == 2
        study.reopen("again")
    with Study.open(database, "flu") as study:
        assert study.events == 3


def test_nothing_of_it_stays_in_a_sqlite_file(tmp_path):
    database = tmp_path / "studies.db"
    make_study(database, "other").release()
    with make_study(database) as study:
        study.record([("P3", "fever", "yes")])
        study.close("Wolpertinger")
        study.delete()
    held = b"".join(each.read_bytes() for each in tmp_path.iterdir())
    assert b"other" in held
    assert b"Wolpertinger" not in held


def test_the_command_line_lists_closed_studies_apart_and_deletes_them(tmp_path):
    database = str(tmp_path / "studies.db")
    make_study(database).release()

    def run(*words, **options):
        return CliRunner().invoke(main, ["study", *words, "--db", database], **options)

    assert "is not closed; close it first" in run("delete", "flu", "--yes").output
    run("close", "--why", "done")
    assert run("list").output == "there are none\n"
    assert run("list", "--closed").output == "flu\n"
    run("reopen", "--why", "a second wave")
    assert run("list").output == "flu\n"
    run("close")
    wrong = run("delete", "flu", input="grippe\n")
    assert "nothing was deleted" in wrong.output
    assert studies(database) == ("flu",)
    assert "Study 'flu' is deleted: 4 events, digest " in run("delete", "flu", input="flu\n").output
    assert studies(database) == ()
