"""What every journal must do, whatever it is kept in."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Protocol

from budgeted.errors import BudgetedError, ConflictError, ForeignHistoryError, JournalError
from budgeted.studies.events import Cancelled, Closed, Entry, Event, Told
from budgeted.studies.journal import Head
from budgeted.testing.words import in_words

_AT = "2026-01-02T03:04:05Z"
_ODD = ("", "it's", '"; DROP TABLE budgeted_events; --', "\u0000", "𝔘", "a\nb", "=1+1")
_WRITERS, _EACH = 4, 5


class AnyJournal(Protocol):
    """The events of one study, wherever they are kept; see `budgeted.studies.journal.Journal`."""

    head: Head

    def append(
        self,
        events: Sequence[Event],
        *,
        expected: int,
        by: str | Sequence[str],
        at: str | None = None,
        keys: Sequence[tuple[str, str]] | None = None,
        summary: str = "",
    ) -> tuple[Entry, ...]:
        """Write events behind number `expected`, all of them or none."""
        ...

    def read(self, after: int = 0) -> tuple[Entry, ...]:
        """Return the events behind a number."""
        ...

    def forget(self) -> None:
        """Forget what was seen."""
        ...

    def names(self) -> tuple[str, ...]:
        """Return the names of all studies beside this one, with its own."""
        ...

    def heads(self) -> list[tuple[str, Head, str]]:
        """Return name, last event and summary of each study."""
        ...

    def release(self) -> None:
        """Let go of what it is kept in."""
        ...


Open = Callable[[str], AnyJournal]


def check_journal(open_journal: Open) -> None:
    """Raise an error in words unless a journal keeps the contract of all journals.

    Events are kept as they were written, in their order and numbered from 1, with who wrote them,
    when, and with which key; all events of a call or none of them. Who does not know the last event
    writes nothing. A history that is not the one that was seen before is neither read nor written.

    Parameters
    ----------
    open_journal
        Opens the journal of the study of that name, and makes it if there is none; every call
        opens the same place anew, and none of the studies is there before.

    Examples
    --------
    >>> import tempfile
    >>> from budgeted.studies.journal import Journal
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     check_journal(lambda study: Journal(f"{folder}/studies.db", study, create=True))
    """
    for check in CHECKS:
        with in_words(f"the journal ({check.__name__.strip('_').replace('_', ' ')})"):
            check(open_journal)


def _told(number: int) -> Told:
    return Told(number, "yes", Decimal("1.50"))


def _what_is_appended_is_read(open_journal: Open) -> None:
    one, other = open_journal("kept"), open_journal("kept")
    try:
        written = one.append([_told(1), _told(2)], expected=0, by="Ännë ✓", at=_AT)
        written += one.append([Closed("enough")], expected=2, by="me", at=_AT)
        assert [each.seq for each in written] == [1, 2, 3], "events are numbered 1, 2, 3"
        wanted = [_told(1), _told(2), Closed("enough")]
        for journal in (one, other):
            found = journal.read()
            assert len(found) == len(wanted), f"3 events were written, and {len(found)} are read"
            assert [each.event for each in found] == wanted, "events come back as they were written"
            assert found == written, "number, time and who wrote it come back as they were written"
    finally:
        one.release()
        other.release()


def _reading_goes_on(open_journal: Open) -> None:
    one, other = open_journal("read on"), open_journal("read on")
    try:
        one.append([_told(1), _told(2), _told(3)], expected=0, by="me")
        for after in range(4):
            numbers = [each.seq for each in other.read(after)]
            assert numbers == list(range(after + 1, 4)), f"read(after={after}) gives {numbers}"
        one.append([_told(4)], expected=3, by="me")
        assert [each.seq for each in other.read(3)] == [4], "what others wrote since is read"
        _refused(lambda: other.read(9), JournalError, "read(after=9) of 4 events")
    finally:
        one.release()
        other.release()


def _a_stale_writer_changes_nothing(open_journal: Open) -> None:
    one, other = open_journal("stale"), open_journal("stale")
    try:
        one.append([_told(1), _told(2)], expected=0, by="me")
        for expected in (0, 1, 3):
            _refused(
                lambda expected=expected: other.append([_told(9)], expected=expected, by="you"),  # type: ignore[misc]
                ConflictError,
                f"append(expected={expected}) behind 2 events",
            )
        assert len(one.read()) == 2, "who does not know the last event writes nothing"
        other.read()
        other.append([_told(3)], expected=2, by="you")
    finally:
        one.release()
        other.release()


def _all_or_none(open_journal: Open) -> None:
    journal = open_journal("all or none")
    try:
        bad = Told(2, "yes", float("nan"))  # type: ignore[arg-type]  # that is the point
        _refused(
            lambda: journal.append([_told(1), bad], expected=0, by="me"),
            BudgetedError,
            "an event that cannot be written",
        )
        assert journal.read() == (), "of a call that fails nothing is written"
    finally:
        journal.release()


def _who_wrote_with_which_key(open_journal: Open) -> None:
    one, other = open_journal("keys"), open_journal("keys")
    try:
        keys = [("k1", "tell"), ("k1", "tell"), ("", "")]
        events = [_told(number) for number in (1, 2, 3)]
        one.append(events, expected=0, by=["anna", "ben", "anna"], at=_AT, keys=keys)
        found = other.read()
        assert [each.by for each in found] == ["anna", "ben", "anna"], "each event keeps its writer"
        kept = [(each.key, each.command) for each in found]
        assert kept == keys, "each event keeps its idempotency key and the command it belongs to"
        assert {each.at for each in found} == {_AT}, "each event keeps its time"
    finally:
        one.release()
        other.release()


def _studies_are_apart(open_journal: Open) -> None:
    one, two = open_journal("apart 1"), open_journal("apart 2")
    try:
        one.append([_told(1)], expected=0, by="me")
        two.append([_told(7), _told(8)], expected=0, by="me", summary="two values")
        assert [each.event for each in one.read()] == [_told(1)], "a study has its own events only"
        assert [each.event for each in two.read()] == [_told(7), _told(8)]
        assert {"apart 1", "apart 2"} <= set(one.names()), "all studies are listed"
        kept = {name: (head, summary) for name, head, summary in one.heads()}
        assert kept["apart 2"] == (two.head, "two values"), "the summary is that of the last write"
    finally:
        one.release()
        two.release()


def _odd_texts_survive(open_journal: Open) -> None:
    one, other = open_journal("x'; --"), open_journal("x'; --")
    try:
        one.append([Cancelled(1, text) for text in _ODD], expected=0, by="O'Neil")
        wanted = [Cancelled(1, text) for text in _ODD]
        assert [each.event for each in other.read()] == wanted, "any text comes back as it was"
    finally:
        one.release()
        other.release()


def _the_digest_stands_for_all(open_journal: Open) -> None:
    one, other = open_journal("digests"), open_journal("digests")
    try:
        seen = set()
        for number in (1, 2, 3):
            one.append([_told(7)], expected=number - 1, by="me", at=_AT)
            other.read(number - 1)
            assert one.head.seq == number, "head.seq is the number of the last event"
            assert one.head == other.head, "who reads and who writes know the same head"
            seen.add(one.head.digest)
        assert len(seen) == 3, "the same event gets another digest behind another history"
    finally:
        one.release()
        other.release()


def _another_history_is_refused(open_journal: Open) -> None:
    journal = open_journal("foreign")
    try:
        journal.append([_told(1), _told(2)], expected=0, by="me")
        journal.read()
        # As if it had seen another history before: somebody restored an older copy since.
        for number in (2, 1, 3):
            journal.head = Head(number, "0" * 64)
            for attempt in (
                lambda: journal.read(0),
                lambda number=number: journal.read(number),
                lambda number=number: journal.append([_told(3)], expected=number, by="me"),
            ):
                _refused(attempt, ForeignHistoryError, "a history that was not seen before")
        journal.forget()
        assert len(journal.read()) == 2, "after forget() whatever is there is read"
        journal.append([_told(3)], expected=2, by="me")
    finally:
        journal.release()


def _many_writers_leave_no_gap(open_journal: Open) -> None:
    open_journal("many").release()
    failed: list[BaseException] = []

    def write(who: str) -> None:
        journal = open_journal("many")
        try:
            for _ in range(_EACH):
                while True:
                    last = len(journal.read())
                    try:
                        journal.append([_told(last + 1)], expected=last, by=who)
                        break
                    except ConflictError:
                        continue
        except BaseException as error:
            failed.append(error)
        finally:
            journal.release()

    threads = [threading.Thread(target=write, args=(f"{each}",)) for each in range(_WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed, f"one of {_WRITERS} writers failed: {failed[0]}"
    journal = open_journal("many")
    try:
        entries = journal.read()
    finally:
        journal.release()
    numbers = list(range(1, _WRITERS * _EACH + 1))
    assert [each.seq for each in entries] == numbers, "nobody's events are lost"
    assert [each.event for each in entries] == [_told(each) for each in numbers], "or out of order"


def _refused(attempt: Callable[[], object], error: type[BudgetedError], what: str) -> None:
    try:
        attempt()
    except error:
        return
    except Exception as other:
        raise AssertionError(
            f"{what} must raise {error.__name__}, not {type(other).__name__}: {other}"
        ) from other
    raise AssertionError(f"{what} must raise {error.__name__}, and is accepted")


CHECKS = (
    _what_is_appended_is_read,
    _reading_goes_on,
    _a_stale_writer_changes_nothing,
    _all_or_none,
    _who_wrote_with_which_key,
    _studies_are_apart,
    _odd_texts_survive,
    _the_digest_stands_for_all,
    _another_history_is_refused,
    _many_writers_leave_no_gap,
)
