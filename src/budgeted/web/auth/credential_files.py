"""The files of passwords and tokens: names are put in and taken out, and a server notices."""

from __future__ import annotations

import logging
from pathlib import Path

from budgeted.errors import AccessError
from budgeted.files import write_atomically
from budgeted.web.auth.credentials import Credentials, check_name, parted, with_role
from budgeted.web.auth.roles import Role

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


def write_line(path: Path, name: str, line: str, role: Role | None = None) -> Role:
    """Put a name into a file of passwords or tokens, in the place of its old line if it has one.

    Parameters
    ----------
    path
        Of the file.
    name, line
        Who, and what proves it.
    role
        What may be done with it; unless given, what it was before, and of a new name `MANAGES`.
        Else a new password would make more of somebody.
    """
    check_name(name)
    old = _lines(path) if path.exists() else []
    if role is None:
        role = next((parted(each.strip().partition(":")[2])[1] for each in old
                     if each.partition(":")[0] == name), Role.MANAGES)  # fmt: skip
    kept = [each for each in old if each.partition(":")[0] != name]
    _replace(path, [*kept, f"{name}:{with_role(line, role)}"])
    return role


def change_role(path: Path, name: str, role: Role) -> None:
    """Give a name in a file of passwords or tokens another role; what proves it stays."""
    for each in _lines(path):
        if each.partition(":")[0] == name:
            write_line(path, name, parted(each.strip().partition(":")[2])[0], role)
            return
    raise AccessError(f"{path}: {name} is not in it")


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise AccessError(f"{path}: cannot be read: {error.strerror or error}") from error


def _replace(path: Path, lines: list[str]) -> None:
    text = "".join(f"{line}\n" for line in lines)
    try:
        write_atomically(path, text.encode())
    except OSError as error:
        raise AccessError(f"{path}: cannot be written: {error.strerror or error}") from error


def remove_line(path: Path, name: str) -> None:
    """Take a name out of a file of passwords or tokens."""
    old = _lines(path)
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
