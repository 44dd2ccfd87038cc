"""Who may come in: a file of passwords for people, a file of tokens for programs.

Both are texts with a line per name. A password is kept as a salted scrypt hash, a token (which is
long and random, so that nobody can guess it) as its SHA-256 sum; neither file holds a secret that
could be used as it is. Lines that are empty or begin with ``#`` are passed over. What somebody may
do stands at the end of his line (`budgeted.web.auth.roles`); who has no role there manages, as
all did before there were roles.

::

    anna:scrypt$16384$8$1$<salt>$<hash>
    ben:scrypt$16384$8$1$<salt>$<hash>:enters
    robot:sha256$<hash>:looks
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from budgeted.errors import AccessError
from budgeted.web.auth.roles import Role, role_named

_COST, _BLOCK, _PARALLEL = 2**14, 8, 1
_MEMORY = 64 * 2**20
_MOST_NAMED = 100
LEAST_PASSWORD = 10
"""Characters of a password; fewer are guessed too soon."""


@dataclass(frozen=True)
class Credentials:
    """Names with what proves them.

    Attributes
    ----------
    passwords, tokens
        Name → line of the file behind the colon, without the role.
    password_roles, token_roles
        Name → what may be done with that password or token.
    """

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
        if _password_fits(secret, _NOBODY if kept is None else kept) and kept is not None:
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

    def holder(self, token: str) -> str | None:
        """Return whose token this is."""
        found, given = None, token_line(token)
        for name, kept in self.tokens.items():  # all of them: the time says nothing
            if hmac.compare_digest(kept, given):
                found = name
        return found


def password_line(password: str, salt: bytes | None = None) -> str:
    """Return what the file of passwords holds for a password.

    >>> _password_fits("correct horse", password_line("correct horse"))
    True
    >>> _password_fits("battery staple", password_line("correct horse"))
    False
    """
    if len(password) < LEAST_PASSWORD:
        raise AccessError(f"a password needs at least {LEAST_PASSWORD} characters")
    salt = os.urandom(16) if salt is None else salt
    found = _scrypt(password, salt, _COST, _BLOCK, _PARALLEL)
    texts = (b64encode(each).decode() for each in (salt, found))
    return f"scrypt${_COST}${_BLOCK}${_PARALLEL}${'$'.join(texts)}"


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
        if not line.startswith(f"{method}$") or line.count("$") != (5 if method == "scrypt" else 1):
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


_NOBODY = password_line(secrets.token_urlsafe(16))
