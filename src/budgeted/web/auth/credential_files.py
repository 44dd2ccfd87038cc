"""The files of passwords and tokens: names are put in and taken out, and a server notices."""

from __future__ import annotations

import logging
from pathlib import Path

from budgeted.errors import AccessError
from budgeted.files import write_atomically
from budgeted.web.auth.credentials import Credentials, check_name

_LOG = logging.getLogger("budgeted.web")


class CredentialFiles:
    """The files of passwords and tokens, read again when they change.

    Whoever is taken out of them, or gets another password, is out at once.

    Parameters
    ----------
    password_file, token_file
        Either may be missing.
    """

    def __init__(self, password_file: Path | None, token_file: Path | None) -> None:
        self._files = (password_file, token_file)
        self._seen = self._look()
        self._read = Credentials.read(*self._files)

    @property
    def current(self) -> Credentials:
        """What the files hold now; what they held before if they cannot be understood."""
        seen = self._look()
        if seen != self._seen:
            self._seen = seen
            try:
                self._read = Credentials.read(*self._files, nobody=True)
            except AccessError as error:
                _LOG.warning("%s; those who could come in before still can", error)
        return self._read

    def _look(self) -> tuple[tuple[int, int, int] | None, ...]:
        return tuple(None if each is None else _state(each) for each in self._files)


def write_line(path: Path, name: str, line: str) -> None:
    """Put a name into a file of passwords or tokens, in the place of its old line if it has one."""
    check_name(name)
    try:
        old = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    except OSError as error:
        raise AccessError(f"{path}: cannot be read: {error.strerror or error}") from error
    kept = [each for each in old if each.partition(":")[0] != name]
    _replace(path, [*kept, f"{name}:{line}"])


def _replace(path: Path, lines: list[str]) -> None:
    text = "".join(f"{line}\n" for line in lines)
    try:
        write_atomically(path, text.encode())
    except OSError as error:
        raise AccessError(f"{path}: cannot be written: {error.strerror or error}") from error


def remove_line(path: Path, name: str) -> None:
    """Take a name out of a file of passwords or tokens."""
    try:
        old = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise AccessError(f"{path}: cannot be read: {error.strerror or error}") from error
    kept = [each for each in old if each.partition(":")[0] != name]
    if len(kept) == len(old):
        raise AccessError(f"{path}: {name} is not in it")
    _replace(path, kept)


def _state(path: Path) -> tuple[int, int, int] | None:
    """What changes when a file does."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
