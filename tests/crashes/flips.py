"""A SQLite file with one bit flipped: opened as a study is, or faster and just as strictly.

Whatever SQLite makes of the bytes, the outcome must be all events or an error. Most of the time is
saved by two shortcuts that change no outcome: the file is opened from memory, and rows that are the
same as before the flip are not checked again.
"""

from __future__ import annotations

import itertools
import random
import sqlite3
import tempfile
from decimal import Decimal
from pathlib import Path

from budgeted.errors import BudgetedError
from budgeted.studies.events import Asked, Cancelled, Line, Told
from budgeted.studies.journal import Journal
from budgeted.studies.journal import rows as journal_rows
from budgeted.studies.journal.tables import Head
from tests.crashes import Tally

STUDY = "flu"
PAGE = 4096


def make_file(folder, pages=40):
    """Write a journal of so many pages; return its path and its events. It is at rest."""
    path = Path(folder) / "studies.db"
    with Journal(str(path), STUDY, create=True) as journal:
        for number in range(1, 1_000):
            if path.stat().st_size >= pages * PAGE:
                break
            # Short events, and long ones that go on on pages of their own.
            events = [Told(number, "yes", Decimal("1.50")), _asked(number),
                      Cancelled(number, "x" * (7_000 if number % 8 == 0 else 700))]  # fmt: skip
            journal.append(events, expected=journal.head.seq, by="anna")
            with journal._engine.connect() as connection:
                connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        entries = journal.read()
    assert not Path(f"{path}-wal").exists()
    return path, entries


def _asked(number):
    scores = (("fever", "ill", 0.25), ("cough", "well", 0.5))
    return Asked(
        "P1", "ill", (Line(number, "fever", Decimal(1)),), scores, None, "why", "e", "p", {}, "1"
    )


def flipped(content, bit):
    """The bytes with one bit changed."""
    changed = bytearray(content)
    changed[bit // 8] ^= 1 << (bit % 8)
    return bytes(changed)


def open_from_file(path):
    """What a `Study` reads when it is opened, or the error that it says."""
    try:
        with Journal(str(path), STUDY) as journal:
            return journal.read()
    except BudgetedError as error:
        return error


class FromMemory:
    """Opens changed copies of a file, the fast way.

    Parameters
    ----------
    content
        The file as it should be.
    """

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._rows = self._fetch(content)
        journal_rows.checked(self._rows, STUDY, 0, Head(), "here")

    def _fetch(self, content):
        changed = bytearray(content)
        if changed[18:20] == self._content[18:20]:
            changed[18:20] = b"\1\1"  # memory has no write-ahead log
        connection = sqlite3.connect(":memory:")
        try:
            connection.deserialize(bytes(changed))
            return connection.execute(journal_rows._READ, {"study": STUDY, "after": 0}).fetchall()
        finally:
            connection.close()

    def outcome(self, bit):
        """``whole``, ``error``, or what must not be: ``shorter``."""
        try:
            rows = self._fetch(flipped(self._content, bit))
            if rows == self._rows:
                return "whole"
            self._check(rows)
        except (BudgetedError, sqlite3.Error, UnicodeDecodeError):
            return "error"
        return "shorter"

    def _check(self, rows):
        """Check the rows from the first that is not as it was: those before are in order."""
        pairs = zip(rows, self._rows, strict=False)
        same = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))
        before = self._rows[same - 1][-1] if same else None
        rest = rows[same:] or [(*rows[0][:3], *[None] * 7)]
        rest = [(*row[:2], before, *row[3:]) for row in rest]
        journal_rows.checked(rest, STUDY, same, Head(), "here")


def strata(content, rng, each):
    """Bits of the file's header, of the heads of its pages, and of the rest: so many of each."""
    pages = range(len(content) // PAGE)
    header = rng.sample(range(8 * 100), min(each, 8 * 100))
    heads = [8 * (rng.choice(pages) * PAGE + rng.randrange(64)) + rng.randrange(8)
             for _ in range(each)]  # fmt: skip
    return header + heads + [rng.randrange(8 * len(content)) for _ in range(each)]


def play(_, times, seed=5):
    """Flip so many bits, one at a time."""
    tally = Tally("bit flipped", times)
    with tempfile.TemporaryDirectory() as folder:
        path, entries = make_file(folder)
        content = path.read_bytes()
    opener, rng = FromMemory(content), random.Random(seed)
    for bit in strata(content, rng, times // 3):
        outcome = opener.outcome(bit)
        tally.said[outcome] += 1
        tally.lost += outcome == "shorter"
    tally.acknowledged = len(entries)
    return tally
