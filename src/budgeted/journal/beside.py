"""The heads of a SQLite file once more, in a small file beside it.

SQLite passes over the end of its write-ahead log in silence when that is damaged: it looks as if
the last transactions had never been. Whether they had is known only elsewhere. So after each write
number and digest of the study's last event go to ``FILE-heads``. It may lag behind, after a crash;
but what it says was written once, and a database that does not hold it has lost something.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path

from budgeted.journal.tables import Head


def file_beside(database: str) -> Path:
    """Return where the heads of a SQLite file are kept."""
    return Path(f"{database}-heads")


def head_beside(database: str, study: str) -> Head:
    """Return the last event of a study that was written, as far as is known beside the file."""
    return _read(database).get(study, Head())


def keep_beside(database: str, study: str, head: Head) -> None:
    """Write down the last event of a study; where that cannot be done, what is there stays.

    In place: renaming a new file over the old one makes some file systems wait for the disk, as
    long again as the write to the database took. What is half written is known by its check.
    """
    heads = _read(database) | {study: head}
    content = json.dumps({name: list(each) for name, each in heads.items()}, sort_keys=True)
    new = f"{_check(content)}\n{content}\n".encode("ascii")
    with suppress(OSError):  # a folder that cannot be written to, a full disk
        mode = os.stat(database).st_mode & 0o777
        handle = os.open(file_beside(database), os.O_RDWR | os.O_CREAT, mode)
        try:
            os.pwrite(handle, new, 0)
            os.ftruncate(handle, len(new))
        finally:
            os.close(handle)


def forget_beside(database: str) -> None:
    """Take away what is known of a database that is not there any more."""
    with suppress(OSError):
        file_beside(database).unlink(missing_ok=True)


def _read(database: str) -> dict[str, Head]:
    """What is kept; nothing if that is damaged itself, since the database has its own heads."""
    try:
        check, _, content = file_beside(database).read_text(encoding="ascii").partition("\n")
        if check != _check(content.rstrip("\n")):
            return {}
        return {name: Head(*each) for name, each in json.loads(content).items()}
    except (OSError, ValueError):
        return {}


def _check(content: str) -> str:
    return hashlib.sha256(content.encode()).hexdigest()
