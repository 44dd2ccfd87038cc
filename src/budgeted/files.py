"""Files that are there whole or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

_BINARY = getattr(os, "O_BINARY", 0)
"""Windows would write other ends of lines."""


def write_atomically(
    path: Path, content: bytes, *, exclusive: bool = False, private: bool = True
) -> None:
    """Write a file beside its place and move it there, so that nobody ever reads half of one.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "notes")
    ...     write_atomically(path, b"new")
    ...     path.read_bytes(), os.listdir(folder)
    (b'new', ['notes'])
    """
    beside = path.parent / f"{token_hex(8)}.part"
    descriptor = os.open(
        beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o600 if private else 0o666
    )
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # some disks say only now that they are full
        if exclusive:
            os.link(beside, path)
            os.unlink(beside)
        else:
            os.replace(beside, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(beside)
        raise
