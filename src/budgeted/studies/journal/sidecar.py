"""The heads of a SQLite file once more, in a small file beside it.

SQLite passes over the end of its write-ahead log in silence when that is damaged: it looks as if
the last transactions had never been. Whether they had is known only elsewhere. So after each write
number and digest of the study's last event go to ``FILE-heads``. It may lag behind, after a crash;
but what it says was written once, and a database that does not hold it has lost something.

Each study has a line of fixed length, so that a write costs the same however many there are.
"""

from __future__ import annotations

import hashlib
import os
import sys
from contextlib import suppress
from pathlib import Path

from budgeted.studies.journal.tables import Head

if sys.platform != "win32":
    import fcntl

_LINE = 64 + 1 + 12 + 1 + 64 + 1 + 16 + 1
"""Bytes of a line: digest of the name, number, digest, and a check of these; blanks between."""


def file_beside(database: str) -> Path:
    """Return where the heads of a SQLite file are kept."""
    return Path(f"{database}-heads")


def head_beside(database: str, study: str) -> Head:
    """Return the last event of a study that was written, as far as is known beside the file."""
    try:
        content = file_beside(database).read_bytes()
    except OSError:
        return Head()
    return _parse(content, _place(content, study))


def studies_beside(database: str) -> int:
    """Return how many studies were written to a SQLite file, as far as is known beside it."""
    try:
        content = file_beside(database).read_bytes()
    except OSError:
        return 0
    return sum(_parse(content, at).seq > 0 for at in range(0, len(content), _LINE))


def keep_beside(database: str, study: str, head: Head) -> None:
    """Write down the last event of a study, unless a later one is there already.

    Where that cannot be done, what is there stays. The file is locked meanwhile, so that what
    several processes write comes one after the other; Windows has no such locks, and there only
    one process can be relied on to write.

    In place: renaming a new file over the old one makes some file systems wait for the disk, as
    long again as the write to the database took. What is half written is known by its check.
    """
    with suppress(OSError):  # a folder that cannot be written to, a full disk
        mode = os.stat(database).st_mode & 0o777
        handle = os.open(file_beside(database), os.O_RDWR | os.O_CREAT, mode)
        with open(handle, "r+b", buffering=0) as file:  # closing it lets go of the lock
            if sys.platform != "win32":
                fcntl.flock(file, fcntl.LOCK_EX)
            content = file.read()
            at = _place(content, study)
            if _parse(content, at).seq <= head.seq:  # or else somebody was faster to note his own
                file.seek(at)
                file.write(_line(study, head))


def drop_beside(database: str, study: str) -> None:
    """Take away what is known of a study that is deleted; one of its name may begin again."""
    with suppress(OSError), open(file_beside(database), "r+b", buffering=0) as file:
        if sys.platform != "win32":
            fcntl.flock(file, fcntl.LOCK_EX)
        content = file.read()
        at = _place(content, study)
        if at < len(content):
            file.seek(at)
            file.write(b" " * (_LINE - 1) + b"\n")


def forget_beside(database: str) -> None:
    """Take away what is known of a database that is not there any more."""
    with suppress(OSError):
        file_beside(database).unlink(missing_ok=True)


def _place(content: bytes, study: str) -> int:
    """Return where the line of a study begins; of one that has none, behind all others."""
    name = _name(study)
    at = content.find(name)
    while at >= 0 and at % _LINE:
        at = content.find(name, at + 1)
    return at if at >= 0 else len(content) // _LINE * _LINE


def _parse(content: bytes, at: int) -> Head:
    """Return what a line says; nothing if it is damaged, since the database has its own heads."""
    line = content[at : at + _LINE]
    facts = line[:-17]
    if len(line) < _LINE or line[-17:] != _check(facts):
        return Head()
    _, seq, digest = facts.decode("ascii").split()
    return Head(int(seq), digest)


def _line(study: str, head: Head) -> bytes:
    facts = _name(study) + f" {head.seq:12} {head.digest:64} ".encode("ascii")
    return facts + _check(facts)


def _name(study: str) -> bytes:
    return hashlib.sha256(study.encode()).hexdigest().encode("ascii")


def _check(facts: bytes) -> bytes:
    return hashlib.sha256(facts).hexdigest()[:16].encode("ascii") + b"\n"
