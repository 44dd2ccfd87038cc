"""What a journal must do, on each database in test_journal.py."""

from __future__ import annotations

import threading
from decimal import Decimal

import pytest

from budgeted.cli.studies.hints import words as command
from budgeted.errors import ConflictError, ForeignHistoryError, JournalError
from budgeted.studies.events import Cancelled, Told
from budgeted.studies.journal import Journal, parse_url, studies
from budgeted.studies.journal.connections import make_engine
from budgeted.studies.journal.sidecar import forget_beside

AT = "2026-01-02T03:04:05Z"


def told(number):
    return Told(number, "yes", Decimal("1.50"))


def check_a_stale_writer_changes_nothing(database):
    with Journal(database, "a", create=True) as journal, Journal(database, "a") as other:
        journal.append([told(1)], expected=0, by="me")
        for expected in (0, 2):
            with pytest.raises(ConflictError, match="has 1 events by now"):
                other.append([told(2), told(3)], expected=expected, by="you")
        assert len(other.read()) == 1
        other.append([told(2)], expected=1, by="you")


def check_one_writes_for_many(database):
    """Each event keeps the name of who gave rise to it, and the digests know it."""
    with Journal(database, "a", create=True) as journal:
        written = journal.append(
            [told(1), told(2), told(3)], expected=0, by=["anna", "ben", "anna"]
        )
        assert [each.by for each in written] == ["anna", "ben", "anna"]
        with pytest.raises(ValueError, match=r"shorter|longer"):
            journal.append([told(4), told(5)], expected=3, by=["anna"])
        with pytest.raises(JournalError, match="cannot be stored"):
            journal.append([told(4), told(5)], expected=3, by=["anna", "b\0n"])
    with Journal(database, "a") as journal:
        assert journal.read() == written


def check_reading_goes_on(database):
    with Journal(database, "a", create=True) as one, Journal(database, "a") as other:
        keys = [("k1", "tell"), ("k1", "tell"), ("", "")]
        written = one.append([told(1), told(2), told(3)], expected=0, by="me", at=AT, keys=keys)
        assert [(each.key, each.command) for each in other.read()] == keys
        assert {each.at for each in written} == {AT}
        for after in range(4):
            assert other.read(after) == written[after:]
        one.append([told(4)], expected=3, by="me")
        assert [each.seq for each in other.read(3)] == [4]
        with pytest.raises(JournalError):
            other.read(9)


def check_of_a_write_that_fails_nothing_is_written(database):
    with Journal(database, "a", create=True) as journal:
        with pytest.raises(JournalError, match="cannot be written as JSON"):
            journal.append([told(1), Told(2, "yes", float("nan"))], expected=0, by="me")
        assert journal.read() == ()


def check_studies_are_apart(database):
    with Journal(database, "a", create=True) as one, Journal(database, "b") as two:
        one.append([told(1)], expected=0, by="me")
        two.append([told(7), told(8)], expected=0, by="me", summary="two values")
        assert [each.event for each in one.read()] == [told(1)]
        assert [each.event for each in two.read()] == [told(7), told(8)]
        assert one.names() == ("a", "b")
        assert one.heads() == [("a", one.head, ""), ("b", two.head, "two values")]


def check_odd_texts_survive(database):
    odd = ("", "it's", '"; DROP TABLE budgeted_events; --', "\u0000", "𝔘", "a\nb", "=1+1")
    wanted = [Cancelled(1, text) for text in odd]
    with Journal(database, "x'; --", create=True) as journal:
        journal.append(wanted, expected=0, by="O'Neil")
    with Journal(database, "x'; --") as journal:
        assert [each.event for each in journal.read()] == wanted


def check_the_digest_stands_for_all(database):
    with Journal(database, "a", create=True) as one, Journal(database, "a") as other:
        seen = set()
        for number in (1, 2, 3):
            one.append([told(7)], expected=number - 1, by="me", at=AT)
            other.read(number - 1)
            assert one.head == other.head
            assert one.head.seq == number
            seen.add(one.head.digest)
        assert len(seen) == 3, "the same event gets another digest behind another history"


def check_texts_that_cannot_be_stored_are_refused(database):
    with Journal(database, "a", create=True) as journal:
        for text in ("\ud800", "a\0b"):
            with pytest.raises(JournalError, match="cannot be stored"):
                journal.append([told(1)], expected=0, by=text)
            with pytest.raises(JournalError, match="cannot be stored"):
                Journal(database, text)
        with pytest.raises(JournalError, match="cannot be written as JSON"):
            journal.append([Cancelled(1, "\ud800")], expected=0, by="me")
        assert journal.read() == ()


def check_many_writers_leave_no_gap(database):
    """Eight threads, each with a connection of its own, all wanting the same numbers."""
    Journal(database, "a", create=True).release()

    def write(who):
        with Journal(database, "a") as journal:
            for _ in range(10):
                while True:
                    last = len(journal.read())
                    try:
                        journal.append([told(last + 1)], expected=last, by=who)
                        break
                    except ConflictError:
                        continue

    threads = [threading.Thread(target=write, args=(str(each),)) for each in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with Journal(database, "a") as journal:
        entries = journal.read()
    assert [each.seq for each in entries] == [each.event.number for each in entries]
    assert len(entries) == 80


def check_damage_is_found(database):
    with Journal(database, "a", create=True) as journal:
        journal.append([told(1), told(2), told(3)], expected=0, by="me")
        tamper(journal, "UPDATE budgeted_events SET actor = 'you' WHERE seq = 2")
    with Journal(database, "a") as journal, pytest.raises(JournalError, match="edited at event 2"):
        journal.read()


def check_a_gap_is_found(database):
    with Journal(database, "a", create=True) as journal:
        journal.append([told(1), told(2), told(3)], expected=0, by="me")
        tamper(journal, "DELETE FROM budgeted_events WHERE seq = 2")
    with Journal(database, "a") as journal, pytest.raises(JournalError, match="at event 2"):
        journal.read()


def check_another_format_is_not_touched(database):
    words = "format 2; this budgeted knows format 1 only: a newer one wrote it, so update the"
    with Journal(database, "a", create=True) as journal:
        journal.append([told(1)], expected=0, by="me")
    with Journal(database, "a") as journal:
        tamper(journal, "UPDATE budgeted_format SET version = 2")
    for create in (False, True):
        with pytest.raises(JournalError, match=words):
            Journal(database, "a", create=create)
    with pytest.raises(JournalError, match=words):
        studies(database)


def check_a_format_that_is_no_number_is_said(database):
    with Journal(database, "a", create=True) as journal:
        kind = "TEXT" if journal._engine.dialect.name == "postgresql" else ""
        tamper(journal, "DROP TABLE budgeted_format")
        tamper(journal, f"CREATE TABLE budgeted_format (version {kind})")
        tamper(journal, "INSERT INTO budgeted_format VALUES ('two')")
    with pytest.raises(JournalError, match="a journal in format two; this budgeted knows"):
        Journal(database, "a")
    repair(database, "DELETE FROM budgeted_format")
    with pytest.raises(JournalError, match=r"a journal in format nothing"):
        Journal(database, "a")


def check_a_cut_tail_is_found(database):
    """By who opens the study and by who has it open: for reading and for writing, at once."""
    with Journal(database, "a", create=True) as journal:
        journal.append([told(1), told(2), told(3)], expected=0, by="me")
        for left in (2, 1, 0):
            tamper(journal, f"DELETE FROM budgeted_events WHERE seq > {left}")
            with Journal(database, "a") as other:
                with pytest.raises(JournalError, match=f"it holds {left} events, and 3 were writ"):
                    other.read()
                with pytest.raises(ConflictError, match="has 3 events by now"):
                    other.append([told(left + 1)], expected=left, by="you")
            with pytest.raises(JournalError, match="at event 3"):
                journal.read(after=3)
            with pytest.raises(JournalError, match="at event 3"):
                journal.append([told(4)], expected=3, by="me")
        assert studies(database) == ("a",)


def check_a_lost_head_is_found(database):
    with Journal(database, "a", create=True) as journal:
        journal.append([told(1), told(2)], expected=0, by="me")
        tamper(journal, "DELETE FROM budgeted_heads")
    with Journal(database, "a") as journal, pytest.raises(JournalError, match="edited at event 1"):
        journal.read()
    assert studies(database) == ("a",)


def check_another_history_is_refused(database):
    """Of the same length, shorter or longer: neither read nor written to, and said at once."""
    for others, least in ((3, 3), (2, 2), (5, 5), (0, 0)):
        study = f"with {others} events"
        with Journal(database, study, create=True) as mine, Journal(database, study) as other:
            mine.append([told(1), told(2), told(3)], expected=0, by="me")
            tamper(mine, f"DELETE FROM budgeted_events WHERE study = '{study}'")
            tamper(mine, f"DELETE FROM budgeted_heads WHERE study = '{study}'")
            if mine._file:
                forget_beside(mine._file)  # as who restores an older copy is told to
            if others:
                events = [told(number) for number in range(11, 11 + others)]
                other.append(events, expected=0, by="me")
            for attempt in (
                lambda mine=mine: mine.read(after=3),
                lambda mine=mine: mine.read(after=0),
                lambda mine=mine: mine.append([told(4)], expected=3, by="me"),
            ):
                with pytest.raises(
                    ForeignHistoryError,
                    match=f"has {least} now.*Open the study"
                    if others
                    else "not in the database any more",
                ):
                    attempt()
            mine.forget()
            assert len(mine.read()) == others
            mine.append([told(99)], expected=others, by="me")


def repair(database, statement):
    """Change a database that cannot be opened."""
    engine = make_engine(parse_url(database))
    with engine.begin() as connection:
        connection.exec_driver_sql(statement)
    engine.dispose()


def check_a_foreign_table_of_our_name_is_not_touched(database):
    with Journal(database, "a", create=True) as journal:
        tamper(journal, "DROP TABLE budgeted_events")
    with pytest.raises(JournalError, match="belongs to another program"):
        Journal(database, "a", create=True)


def check_nothing_is_created_unasked(database):
    for attempt in (lambda: Journal(database, "a"), lambda: studies(database)):
        with pytest.raises(JournalError, match="there are no studies") as caught:
            attempt()
        assert "'budgeted study new'" in command(caught.value)


def tamper(journal, statement):
    """Change the database behind the journal's back."""
    with journal._engine.connect() as connection:
        connection.exec_driver_sql("SELECT 1")
        connection.exec_driver_sql(statement)
        connection.commit()


CHECKS = [value for name, value in list(globals().items()) if name.startswith("check_")]
