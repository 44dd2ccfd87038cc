"""Who may come in: a file of passwords for people, a file of tokens for programs.

Both are texts with a line per name. A password is kept as a salted scrypt hash, a token (which is
long and random, so that nobody can guess it) as its SHA-256 sum; neither file holds a secret that
could be used as it is. Lines that are empty or begin with ``#`` are passed over. What somebody may
do stands at the end of his line (`budgeted.web.auth.roles`); who has no role there manages. A dash
in the place of the hash is for somebody whom a proxy logs in, and who has no password here.

::

    anna:scrypt$131072$8$1$<salt>$<hash>
    ben:scrypt$131072$8$1$<salt>$<hash>:enters
    eva:-:enters
    robot:sha256$<hash>:looks
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import os
import secrets
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from budgeted.errors import AccessError
from budgeted.files import write_atomically
from budgeted.web.auth.roles import Role, role_named

_LOG = logging.getLogger("budgeted.web")
_COST, _BLOCK, _PARALLEL = 2**17, 8, 1
"""Of scrypt, as OWASP asks for: half a second, and 128 MB."""
_MEMORY = 2**28
NO_PASSWORD = "-"
_MOST_NAMED = 100
LEAST_PASSWORD = 10
"""Characters of a password; fewer are guessed too soon."""


@dataclass(frozen=True)
class Credentials:
    """Names with what proves them."""

    passwords: Mapping[str, str] = field(default_factory=dict, repr=False)
    tokens: Mapping[str, str] = field(default_factory=dict, repr=False)
    password_roles: Mapping[str, Role] = field(default_factory=dict, repr=False)
    token_roles: Mapping[str, Role] = field(default_factory=dict, repr=False)

    @classmethod
    def read(
        cls, password_file: Path | None, token_file: Path | None, *, nobody: bool = False
    ) -> Credentials:
        """Return what the files hold; a file without a name is an error unless `nobody`."""
        passwords, tokens = _read(password_file, "scrypt"), _read(token_file, "sha256")
        found = cls(
            {name: line for name, (line, _) in passwords.items()},
            {name: line for name, (line, _) in tokens.items()},
            {name: role for name, (_, role) in passwords.items()},
            {name: role for name, (_, role) in tokens.items()},
        )
        for path, names in ((password_file, found.passwords), (token_file, found.tokens)):
            if path is not None and not names and not nobody:
                raise AccessError(f"{path}: nobody is in it, so nobody could come in")
        return found

    def line_for(self, name: str, secret: str) -> str:
        """Return the line that a password or token of the name fits; empty if none does.

        Slow on purpose, so that passwords cannot be tried by the thousand.
        """
        kept = self.passwords.get(name)
        # An unknown name takes as long as a wrong password, so that names cannot be found out.
        known = kept is not None and kept != NO_PASSWORD
        if _password_fits(secret, kept if known and kept else _nobody()) and kept and known:
            return kept
        return self.tokens[name] if self.holder(secret) == name else ""

    def lines_of(self, name: str) -> tuple[str, ...]:
        """Return what can prove a name now."""
        return tuple(kept[name] for kept in (self.passwords, self.tokens) if name in kept)

    def proofs_of(self, name: str) -> tuple[tuple[str, Role], ...]:
        """Return what can prove a name now, each with what may be done with it."""
        pairs = ((self.passwords, self.password_roles), (self.tokens, self.token_roles))
        return tuple(
            (kept[name], roles.get(name, Role.MANAGES)) for kept, roles in pairs if name in kept
        )

    def role_of(self, name: str) -> Role | None:
        """Return what somebody may do whom a proxy logged in; None if he is in neither file."""
        return self.password_roles.get(name, self.token_roles.get(name))

    def holder(self, token: str) -> str | None:
        """Return whose token this is."""
        found, given = None, token_line(token)
        for name, kept in self.tokens.items():  # all of them: the time says nothing
            if hmac.compare_digest(kept, given):
                found = name
        return found


class CredentialFiles:
    """The files of passwords and tokens, read again when they change.

    Whoever is taken out of them, or gets another password, is out at once.
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

    def upgraded(self, name: str, secret: str, line: str) -> str:
        """Return the line of a password that fits one, hashed as passwords are hashed now.

        One that was hashed with less is replaced in the file, if that can be written.
        """
        path = self._files[0]
        if path is None or not line.startswith("scrypt$") or int(line.split("$")[1]) >= _COST:
            return line
        better = password_line(secret)
        try:
            write_line(path, name, better)
        except AccessError:
            return line
        return better

    def _look(self) -> tuple[tuple[int, int, int] | None, ...]:
        return tuple(None if each is None else _state(each) for each in self._files)


def password_line(password: str) -> str:
    """Return what the file of passwords holds for a password.

    >>> _password_fits("correct horse", password_line("correct horse"))
    True
    >>> _password_fits("battery staple", password_line("correct horse"))
    False
    """
    if len(password) < LEAST_PASSWORD:
        raise AccessError(f"a password needs at least {LEAST_PASSWORD} characters")
    salt = os.urandom(16)
    return _line(salt, _scrypt(password, salt, _COST, _BLOCK, _PARALLEL))


def new_token() -> str:
    """Return a token that nobody can guess."""
    return secrets.token_urlsafe(32)


def token_line(token: str) -> str:
    """Return what the file of tokens holds for a token."""
    return f"sha256${hashlib.sha256(token.encode(errors='replace')).hexdigest()}"


def check_name(name: str) -> str:
    """Return a name that can stand in the log and in the files, or raise an error.

    >>> check_name("Ännë O'Neil")
    "Ännë O'Neil"
    """
    if not name.strip() or name != name.strip() or len(name) > _MOST_NAMED:
        raise AccessError(f"a name must have 1 to {_MOST_NAMED} characters, no blanks around it")
    if not name.isprintable() or ":" in name or name.startswith("#"):
        raise AccessError("a name must be made of characters that can be printed, without colon")
    return name


def with_role(line: str, role: Role) -> str:
    """Return a line of a file with a role; whoever manages needs none.

    >>> with_role("sha256$0a", Role.LOOKS), with_role("sha256$0a", Role.MANAGES)
    ('sha256$0a:looks', 'sha256$0a')
    """
    return line if role is Role.MANAGES else f"{line}:{role.text}"


def parted(line: str) -> tuple[str, Role]:
    """Return what proves a name, and the role, of a line behind its name.

    >>> parted("sha256$0a:looks")
    ('sha256$0a', <Role.LOOKS: 1>)
    """
    proof, mark, role = line.partition(":")
    return proof, role_named(role) if mark else Role.MANAGES


def _read(path: Path | None, method: str) -> dict[str, tuple[str, Role]]:
    if path is None:
        return {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise AccessError(f"{path}: cannot be read: {error}") from error
    found = {}
    for number, text in enumerate(lines, start=1):
        if not text.strip() or text.startswith("#"):
            continue
        name, _, rest = text.strip().partition(":")
        try:
            line, role = parted(rest)
        except AccessError as error:
            raise AccessError(f"{path}: line {number}: {error}") from None
        # The line itself stays out of the message: it may hold a secret by mistake.
        parts = 5 if method == "scrypt" else 1
        fits = line.startswith(f"{method}$") and line.count("$") == parts
        if not fits and not (line == NO_PASSWORD and method == "scrypt"):
            raise AccessError(
                f"{path}: line {number} is not NAME:{method}$…; write it with 'budgeted "
                f"serve-{'password' if method == 'scrypt' else 'token'}'"
            )
        found[check_name(name)] = (line, role)
    return found


def _password_fits(password: str, line: str) -> bool:
    try:
        _, cost, block, parallel, salt, kept = line.split("$")
        found = _scrypt(password, b64decode(salt), int(cost), int(block), int(parallel))
        return hmac.compare_digest(found, b64decode(kept))
    except ValueError:
        return False


def _scrypt(password: str, salt: bytes, cost: int, block: int, parallel: int) -> bytes:
    given = password.encode(errors="replace")
    return hashlib.scrypt(given, salt=salt, n=cost, r=block, p=parallel, maxmem=_MEMORY, dklen=32)


@cache
def _nobody() -> str:
    """A line that no password fits, and that takes as long as any other."""
    return _line(os.urandom(16), os.urandom(32))


def _line(salt: bytes, found: bytes) -> str:
    texts = (b64encode(each).decode() for each in (salt, found))
    return f"scrypt${_COST}${_BLOCK}${_PARALLEL}${'$'.join(texts)}"


def write_line(path: Path, name: str, line: str, role: Role | None = None) -> Role:
    """Put a name into a file of passwords or tokens, in the place of its old line if it has one."""
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
