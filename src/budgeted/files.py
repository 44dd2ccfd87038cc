"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path


def write_atomically(path: Path, content: bytes, *, exclusive: bool = False) -> None:
    """Write a file beside its place and move it there, so that nobody ever reads half of one.

    Parameters
    ----------
    path
        Its folder must exist. Only the owner may read the file.
    content
        All of it.
    exclusive
        A file that is there already stays: of several that are written at once, the first one.

    Raises
    ------
    OSError
        If it cannot be written; then what was there before still is, and nothing else is left.
        `FileExistsError` if it is exclusive and not the first.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "notes")
    ...     write_atomically(path, b"new")
    ...     path.read_bytes(), os.listdir(folder)
    (b'new', ['notes'])
    """
    descriptor, beside = tempfile.mkstemp(dir=path.parent, suffix=".part")  # mode 600
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
