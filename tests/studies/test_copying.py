"""Studies copied from one database to another: whole or not at all, with every digest."""

import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from budgeted import Feature, Study
from budgeted.errors import BudgetedError, JournalError, StudyError, UnknownError
from budgeted.studies import journal as journals
from budgeted.studies.copying import copy_study
from budgeted.studies.journal import Journal, copies
from budgeted.studies.journal import studies as names_in
from budgeted.studies.ledger import summaries
from tests import databases
from tests import sample_studies as studies
from tests.journals import tamper


@pytest.fixture(params=[("sqlite", "postgres"), ("postgres", "sqlite"), ("sqlite", "sqlite")],
                ids="-to-".join)  # fmt: skip
def places(request, tmp_path):
    """A database to copy from, and one to copy to."""
    made, drops = [], []
    for at, kind in enumerate(request.param):
        if kind == "sqlite":
            made.append(str(tmp_path / f"{at}.db"))
            continue
        url, drop = databases.new_postgres_database(request.getfixturevalue("postgres"))
        made.append(url)
        drops.append(drop)
    yield made
    for drop in drops:
        drop()


def play(database):
    """A study in which much happened; its digest."""
    with studies.begin(database, "größer, mit 'Zeichen'", policy="round-robin") as study:
        study.ask(4, key="asked-once")
        study.tell(1, "yes")
        study.add_cases([("new", "label 0")], known=[("new", "f1", "no")], groups={"new": "north"})
        study.add_feature(Feature("scan", ("-", "+"), 2))
        study.withdraw("case 3", forget=True)
        return study.name, study.events, study.head.digest


def test_a_copy_is_the_same_study(places):
    name, events, digest = play(places[0])
    with Study.open(places[0], by="me", clock=studies.CLOCK) as study:
        assert study.copy_to(places[1]) == (events, digest)
        with Study.open(places[1], by="me", clock=studies.CLOCK) as copy:
            assert (copy.name, copy.events, copy.head.digest) == (name, events, digest)
            assert copy.history() == study.history()
            assert copy.verify(digest).expected == events
            assert study.verify(digest).expected == events
            with Journal(places[0], name) as one, Journal(places[1], name) as other:
                assert summaries(one) == summaries(other)
            assert copy.ask(4, key="asked-once") == study.ask(4, key="asked-once")
            study.tell(2, "no")
            copy.tell(2, "no")
            asked, same = study.ask(2), copy.ask(2)
            assert [(each.case, each.feature) for each in asked] == [
                (each.case, each.feature) for each in same
            ]
            studies.check_folded(copy)


def test_there_and_back_again(places, tmp_path):
    name, events, digest = play(places[0])
    back = str(tmp_path / "back.db")
    copy_study(places[0], name, places[1])
    assert copy_study(places[1], name, back) == (events, digest)
    with Study.open(back) as study:
        assert study.verify(digest).events == events
    assert Path(f"{back}-heads").is_file()


def test_what_is_there_is_left_alone(places):
    name, _, digest = play(places[0])
    copy_study(places[0], name, places[1])
    with Study.open(places[1]) as copy:
        copy.set_budget(99)
        later = copy.head
    for source, target in (places, places[::-1], [places[0]] * 2):
        with pytest.raises(StudyError, match=r"there is a study .* already; nothing was copied"):
            copy_study(source, name, target)
    with Study.open(places[1]) as copy, Study.open(places[0]) as study:
        assert (copy.head, study.head.digest) == (later, digest)


def test_the_name_is_a_part_of_the_digests(places):
    name, events, _ = play(places[0])
    with Study.open(places[0]) as study:
        with pytest.raises(StudyError, match="cannot be called 'other': the name is a part of"):
            study.copy_to(places[1], "other")
        assert study.copy_to(places[1], name).seq == events


def test_others_in_the_database_stay(places):
    with studies.begin(places[1], "mine") as mine:
        mine.ask()
        name, _, _ = play(places[0])
        copy_study(places[0], name, places[1])
        mine.ask()
        assert sorted(names_in(places[1])) == sorted(["mine", name])
        assert mine.verify().events == 3


def test_there_must_be_such_a_study(tmp_path):
    name, _, _ = play(str(tmp_path / "a.db"))
    with pytest.raises(UnknownError, match="there is no study 'other'; there are: "):
        copy_study(str(tmp_path / "a.db"), "other", str(tmp_path / "b.db"))
    with pytest.raises(JournalError, match="there is no such file"):
        copy_study(str(tmp_path / "no.db"), name, str(tmp_path / "b.db"))
    assert not (tmp_path / "b.db").exists()


def test_what_is_damaged_is_not_copied(places):
    name, _, _ = play(places[0])
    with Journal(places[0], name) as journal:
        tamper(journal, "UPDATE budgeted_events SET actor = 'you' WHERE seq = 2")
    with pytest.raises(JournalError, match="edited at event 2"):
        copy_study(places[0], name, places[1])


@pytest.mark.parametrize("kept", [1, 3])
def test_a_copy_that_breaks_off_leaves_nothing(places, monkeypatch, kept):
    """Whatever was written of it is gone; afterwards it can be copied as if nothing had been."""
    name, events, digest = play(places[0])
    monkeypatch.setattr(copies, "_PORTION", 2)
    write, written = journals.rows.write_rows, []

    def stumble(*arguments):
        if len(written) == kept:
            raise OSError("the disk caught fire")
        written.append(write(*arguments))

    monkeypatch.setattr(journals.rows, "write_rows", stumble)
    with pytest.raises(OSError, match="caught fire"):
        copy_study(places[0], name, places[1])
    assert len(written) == kept
    assert names_in(places[1]) == ()
    with pytest.raises(BudgetedError, match="there is no study"):
        Study.open(places[1], name)
    monkeypatch.setattr(journals.rows, "write_rows", write)
    assert copy_study(places[0], name, places[1]) == (events, digest)
    with Study.open(places[1]) as copy:
        assert copy.verify(digest).events == events


KILLED = """
import os, signal, sys
from budgeted.studies import journal
from budgeted.studies.copying import copy_study
from budgeted.studies.journal import copies

copies._PORTION = 2
write, written = journal.rows.write_rows, []

def dies(*arguments):
    written.append(write(*arguments))
    if len(written) == 3:
        os.kill(os.getpid(), signal.SIGKILL)

journal.rows.write_rows = dies
copy_study(*sys.argv[1:])
"""


def test_a_copy_whose_process_is_killed_leaves_nothing(places):
    name, events, digest = play(places[0])
    done = subprocess.run([sys.executable, "-c", KILLED, places[0], name, places[1]], check=False)
    assert done.returncode == -signal.SIGKILL
    assert names_in(places[1]) == ()
    assert copy_study(places[0], name, places[1]) == (events, digest)


BUSY = """
import sys
from budgeted import Study

with Study.open(sys.argv[1]) as study:
    print("ready", flush=True)
    for number in range(200):
        study.set_budget(1000 + number)
    print(study.head.digest)
"""


def test_a_copy_of_a_study_that_others_write_to_is_one_of_a_moment(places, tmp_path):
    name, _, digest = play(places[0])
    busy = subprocess.Popen([sys.executable, "-c", BUSY, places[0]], stdout=subprocess.PIPE)
    try:
        assert busy.stdout.readline() == b"ready\n"
        head = copy_study(places[0], name, places[1])
        last = busy.communicate(timeout=120)[0].decode().strip()
    finally:
        busy.kill()
        busy.wait()
    with Study.open(places[0]) as study, Study.open(places[1]) as copy:
        assert study.head.digest == last
        assert study.verify(head.digest).expected == head.seq == copy.events
        assert copy.verify(digest).events == head.seq
        assert copy.history() == study.history()[: head.seq]


def test_of_two_who_copy_at_once_one_does(places):
    name, events, _ = play(places[0])
    Journal(places[1], "", create=True).release()
    done, refused = [], []

    def copy():
        try:
            done.append(copy_study(places[0], name, places[1]).seq)
        except StudyError as error:
            refused.append(str(error))

    threads = [threading.Thread(target=copy) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert done == [events]
    assert len(refused) == 3
    assert all("already; nothing was copied" in each for each in refused)
