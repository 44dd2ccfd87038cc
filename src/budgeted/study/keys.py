"""Idempotency keys: a command that is sent twice with the same key is carried out once.

Whoever sends a command over a network cannot know, when no answer comes, whether it was carried
out. So a command may carry a key that its sender made up. The key goes into the journal with every
event that the command leads to; when it comes again, from whatever process and however much later,
nothing is written, and the answer is what became of the first. The same key with another command is
a mistake of the sender, and refused.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from dataclasses import dataclass, field
from typing import Any

from budgeted.errors import UnwritableError

LONGEST = 200
"""Characters of a key; a UUID has 36."""


@dataclass(slots=True)
class Used:
    """A key that is in the journal: by whom and for which command, and what that led to."""

    by: str
    command: str
    at: str
    numbers: list[int] = field(default_factory=list)


def fresh_key() -> str:
    """Return a key that nobody else has."""
    return secrets.token_hex(8)


def check_key(key: str) -> str:
    """Return a key, or an error that says what is wrong with it.

    >>> check_key("3f2b-7")
    '3f2b-7'
    """
    if not 1 <= len(key) <= LONGEST or not all("!" <= each <= "~" for each in key):
        raise UnwritableError(
            f"key: must be 1 to {LONGEST} letters, digits and signs of ASCII without blanks, such "
            f"as a UUID, got {key[:40]!r}"
        )
    return key


def fingerprint(operation: str, *arguments: Any) -> str:
    """Return a short digest of a command: what is to be done, and to what.

    >>> fingerprint("tell", 7, "yes", None) == fingerprint("tell", 7, "yes", None)
    True
    >>> fingerprint("tell", 7, "yes", None) == fingerprint("tell", 7, "no", None)
    False
    """
    plain = json.dumps([operation, *map(_plain, arguments)])
    return hashlib.sha256(plain.encode()).hexdigest()[:16]


def _plain(argument: Any) -> Any:
    """Amounts come as text, integers or decimals: the same amount is the same command."""
    if argument is None or isinstance(argument, bool):
        return argument
    if isinstance(argument, list | tuple):
        return [_plain(each) for each in argument]
    return str(argument)
