"""Bits that flip and files that are cut: all events or a message, never a shorter study.

tests/crashes/flips.py flips thousands, in memory; here it is the whole way, from a file.
"""

from __future__ import annotations

import random
import re
import shutil
import subprocess
import sys
from collections import Counter

import pytest

from budgeted.errors import JournalError
from budgeted.studies.journal import Journal
from budgeted.studies.journal.sidecar import file_beside, head_beside, keep_beside
from budgeted.studies.journal.tables import Head
from tests.crashes import flips
from tests.journals import told


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path, entries = flips.make_file(tmp_path_factory.mktemp("flips"))
    return path.read_bytes(), entries


def test_a_flipped_bit_in_a_file_opens_all_or_nothing(whole, tmp_path):
    """The whole way, without the file beside; the fast way above says the same of each."""
    content, entries = whole
    opener, rng = flips.FromMemory(content), random.Random(6)
    path = tmp_path / "studies.db"
    modes = range(8 * 18, 8 * 20)  # where memory is different: whether there is a log
    for bit in [*modes, *flips.strata(content, rng, 40)]:
        path.write_bytes(flips.flipped(content, bit))
        found = flips.open_from_file(path)
        assert isinstance(found, JournalError) or found == entries, bit
        if bit not in modes and opener.outcome(bit) == "error":
            assert isinstance(found, JournalError), bit
        for each in tmp_path.iterdir():
            each.unlink()


def test_a_name_in_the_schema_that_is_no_text(whole, tmp_path):
    """SQLite quotes it in its complaint, which Python cannot decode then."""
    content, entries = whole
    path = tmp_path / "studies.db"
    for name in re.finditer(b"budgeted_", content[: flips.PAGE]):
        path.write_bytes(flips.flipped(content, 8 * name.start() + 7))
        found = flips.open_from_file(path)
        assert isinstance(found, JournalError) or found == entries, name
        for each in tmp_path.iterdir():
            each.unlink()


@pytest.mark.parametrize("kept", [0, 1, 50, 100, 4095, 4096, 8192, 60_000, -4096, -1])
def test_a_file_that_is_cut_off(whole, tmp_path, kept):
    content, _ = whole
    path = tmp_path / "studies.db"
    path.write_bytes(content[:kept])
    assert isinstance(flips.open_from_file(path), JournalError)


@pytest.fixture(scope="module")
def crashed(tmp_path_factory):
    """A file whose last writes are in the write-ahead log, as after a crash."""
    folder = tmp_path_factory.mktemp("crashed")
    with Journal(str(folder / "studies.db"), flips.STUDY, create=True) as journal:
        for number in range(1, 9):
            journal.append([told(number)], expected=number - 1, by="me")
        copy = tmp_path_factory.mktemp("copy")
        for each in ("studies.db", "studies.db-wal", "studies.db-heads"):
            shutil.copy(folder / each, copy / each)
        return copy, journal.read()


@pytest.mark.slow
def test_a_flipped_bit_in_the_write_ahead_log(crashed, tmp_path):
    """SQLite takes a damaged end for none at all: that something is missing is known beside it."""
    folder, entries = crashed
    assert flips.open_from_file(shutil.copytree(folder, tmp_path / "as is") / "studies.db") == (
        entries
    )
    log = (folder / "studies.db-wal").read_bytes()
    frame = flips.PAGE + 24
    rng, said = random.Random(7), Counter()
    bits = rng.sample(range(8 * 32), 20)
    for at in range(32, len(log), frame):
        bits += [8 * (at + rng.randrange(24)) + rng.randrange(8) for _ in range(2)]
        bits += [8 * (at + rng.randrange(24, frame)) + rng.randrange(8) for _ in range(4)]
    for number, bit in enumerate(bits):
        copy = shutil.copytree(folder, tmp_path / str(number))
        (copy / "studies.db-wal").write_bytes(flips.flipped(log, bit))
        found = flips.open_from_file(copy / "studies.db")
        assert isinstance(found, JournalError) or found == entries, bit
        said[isinstance(found, JournalError)] += 1
        shutil.rmtree(copy)
    assert said[True] > 20


def test_an_older_copy_in_its_place_is_said_and_can_be_meant(tmp_path):
    path = tmp_path / "studies.db"
    with Journal(str(path), "a", create=True) as journal:
        journal.append([told(1)], expected=0, by="me")
    old = path.read_bytes()
    with Journal(str(path), "a") as journal:
        journal.append([told(2)], expected=1, by="me")
    path.write_bytes(old)
    with Journal(str(path), "a") as journal, pytest.raises(JournalError, match="an older copy was"):
        journal.read()
    file_beside(str(path)).unlink()
    with Journal(str(path), "a") as journal:
        assert len(journal.read()) == 1


def test_what_is_kept_beside_may_lag_or_be_damaged(tmp_path):
    path = tmp_path / "studies.db"
    with Journal(str(path), "a", create=True) as journal:
        journal.append([told(1)], expected=0, by="me")
        beside = file_beside(str(path))
        old = beside.read_bytes()
        journal.append([told(2)], expected=1, by="me")
        new = beside.read_bytes()
    for content in (old, b"", b"\xff", new[:-20], flips.flipped(new, 600)):
        beside.write_bytes(content)
        with Journal(str(path), "a") as journal:
            assert len(journal.read()) == 2


def test_an_older_number_is_not_kept_over_a_newer_one(tmp_path):
    """The defect: a process that was slow to note its write hid that of a faster one."""
    path = tmp_path / "studies.db"
    path.touch()
    for head in (Head(5, "5" * 64), Head(4, "4" * 64)):
        keep_beside(str(path), "a", head)
    assert head_beside(str(path), "a") == Head(5, "5" * 64)
    keep_beside(str(path), "a", Head(6, "6" * 64))
    assert head_beside(str(path), "a") == Head(6, "6" * 64)
    assert head_beside(str(path), "b") == Head()


KEEPER = """
import sys
from budgeted.studies.journal.sidecar import keep_beside
from budgeted.studies.journal.tables import Head
sys.stdin.readline()
for number in range(300):
    for seq in (1, 2):
        keep_beside(sys.argv[1], f"{sys.argv[2]} {number}", Head(seq, sys.argv[2] * 64))
"""


def test_several_processes_keep_heads_in_one_file(tmp_path):
    path = tmp_path / "studies.db"
    path.touch()
    keepers = {
        digit: subprocess.Popen(
            [sys.executable, "-c", KEEPER, str(path), digit], stdin=subprocess.PIPE
        )
        for digit in "123"
    }
    for keeper in keepers.values():
        keeper.stdin.close()  # now
    assert [keeper.wait() for keeper in keepers.values()] == [0, 0, 0]
    for digit in keepers:
        for number in range(300):
            assert head_beside(str(path), f"{digit} {number}") == Head(2, digit * 64)


def test_a_study_that_was_lost_does_not_begin_anew_in_silence(tmp_path):
    path = tmp_path / "studies.db"
    Journal(str(path), "a", create=True).release()
    empty = path.read_bytes()
    with Journal(str(path), "a") as journal:
        journal.append([told(1), told(2)], expected=0, by="me")
    path.write_bytes(empty)
    with Journal(str(path), "a") as journal:
        with pytest.raises(JournalError, match="an older copy was put in its place"):
            journal.append([told(1)], expected=0, by="me")
        file_beside(str(path)).unlink()
        journal.append([told(1)], expected=0, by="me")
