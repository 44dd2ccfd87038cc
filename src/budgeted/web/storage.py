"""Files that the server keeps: there whole or not at all, and a full disk is said in words."""

from __future__ import annotations

import errno
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from budgeted.errors import StorageError
from budgeted.files import write_atomically

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)
_log = logging.getLogger(__name__)


@contextmanager
def storing(path: Path) -> Iterator[None]:
    """Say in words why something under a path cannot be written; the log gets the path."""
    try:
        yield
    except OSError as error:
        _log.warning("%s cannot be written: %s", path, error)
        raise StorageError(f"{words_of(error)}; nothing was kept") from error


def words_of(error: OSError) -> str:
    """Return what an error means for people, without paths.

    >>> words_of(OSError(errno.ENOSPC, "No space left on device", "/srv/studies.db-web"))
    'the disk of the server is full: free some room, or ask whoever runs it to'
    """
    if error.errno in _FULL:
        return "the disk of the server is full: free some room, or ask whoever runs it to"
    if error.errno in _FORBIDDEN:
        return "the server may not write to its folder; whoever runs it can allow it"
    return f"the server cannot write to its folder: {error.strerror or type(error).__name__}"


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that nobody ever reads half of one.

    Parameters
    ----------
    path
        Its folder is made if there is none.
    content
        All of it.

    Raises
    ------
    StorageError
        If it cannot be written; then what was there before still is, and nothing else is left.
    """
    with storing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, content)
