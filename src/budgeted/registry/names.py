"""Names of members: what one may be called, and which one was meant."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import TypeVar

from budgeted.errors import BudgetedError

Member = TypeVar("Member")
_NAME = re.compile(r"[^\W_][\w.+*-]*")


def check_name(name: object, what: str, error: type[BudgetedError]) -> None:
    """Raise an error unless a member may be called that: people type it, and files hold it.

    >>> from budgeted.errors import PolicyError
    >>> check_name("very thrifty", "policy", PolicyError)
    Traceback (most recent call last):
    ...
    budgeted.errors.PolicyError: policy 'very thrifty': a name begins with a letter or a digit and \
goes on with letters, digits, '-', '_' and '.', without blanks
    """
    if not isinstance(name, str) or not name:
        raise error(f"a {what} must have a name, such as 'thrifty', got {name!r}")
    if _NAME.fullmatch(name) is None:
        raise error(
            f"{what} {name!r}: a name begins with a letter or a digit and goes on with letters, "
            f"digits, '-', '_' and '.', without blanks"
        )


def find(
    members: Mapping[str, Member], name: object, what: str, error: type[BudgetedError]
) -> Member:
    """Return the member of that name, or raise an error that names the nearest one."""
    if isinstance(name, str) and name in members:
        return members[name]
    close = get_close_matches(str(name).lower(), list(members), n=1)
    hint = f"did you mean {close[0]!r}? There are" if close else "there are"
    broken = "".join(f"; {each}" for each in getattr(members, "broken", list)())
    raise error(f"there is no {what} {name!r}; {hint} {', '.join(members)}{broken}")


def name_of(member: object) -> str:
    """Return what a member calls itself."""
    return str(getattr(member, "name", ""))
