"""The contract of journals fails on journals that break it, and says what is wrong."""

import pytest

from budgeted.studies.journal import Head, Journal
from budgeted.testing import check_journal


class LosesTheLast(Journal):
    def read(self, after=0):
        return super().read(after)[:-1]


class IgnoresExpected(Journal):
    def append(self, events, *, expected, **options):
        return super().append(events, expected=len(self.read()), **options)


class Reorders(Journal):
    def read(self, after=0):
        return tuple(reversed(super().read(after)))


class AcceptsAnotherHistory(Journal):
    def read(self, after=0):
        self.head = Head()
        return super().read(after)

    def append(self, events, **options):
        self.read()
        return super().append(events, **options)


class LosesKeys(Journal):
    def append(self, events, *, keys=None, **options):
        return super().append(events, **options)


class WritesOneByOne(Journal):
    def append(self, events, *, expected, by, keys=None, **options):
        done = []
        for at, event in enumerate(events):
            who = by if isinstance(by, str) else by[at]
            key = None if keys is None else [keys[at]]
            done += super().append([event], expected=expected + at, by=who, keys=key, **options)
        return tuple(done)


class ReadsAllAgain(Journal):
    def read(self, after=0):
        super().read(after)
        return super().read()


class MixesStudies(Journal):
    def __init__(self, database, study, **options):
        super().__init__(database, study.split()[0], **options)


class ForgetsItsHead(Journal):
    def append(self, events, **options):
        done = super().append(events, **options)
        self.head = Head()
        return done


BROKEN = {
    LosesTheLast: "3 events were written, and 2 are read",
    IgnoresExpected: r"append\(expected=0\) behind 2 events must raise ConflictError, and is acc",
    Reorders: "events come back as they were written",
    AcceptsAnotherHistory: "must raise ForeignHistoryError, and is accepted",
    LosesKeys: "each event keeps its idempotency key",
    WritesOneByOne: "of a call that fails nothing is written",
    ReadsAllAgain: r"read\(after=1\) gives \[1, 2, 3\]",
    MixesStudies: "ConflictError",
    ForgetsItsHead: "head.seq is the number of the last event",
}


@pytest.mark.parametrize("kind", BROKEN, ids=lambda kind: kind.__name__)
def test_a_broken_journal_is_found(kind, tmp_path):
    database = str(tmp_path / "studies.db")
    with pytest.raises(AssertionError, match=BROKEN[kind]):
        check_journal(lambda study: kind(database, study, create=True))


def test_a_journal_that_fails_is_said_in_words():
    def gone(study):
        raise OSError("no such place")

    with pytest.raises(AssertionError, match=r"what is appended is read.* raised OSError: no such"):
        check_journal(gone)
