"""What somebody may do on the server: look, enter values, or manage.

Each role may do all that the ones below it may. Labels of cases are shown to those who look and to
those who manage; who enters values is blind to them, so that nobody measures what he expects.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from fastapi import Depends, Request

from budgeted.errors import AccessError


class Role(IntEnum):
    """What somebody may do; a larger one may do more."""

    LOOKS = 1
    ENTERS = 2
    MANAGES = 3


def role_of(request: Request) -> Role:
    """Return the role of who acts: the door says it, and where nobody logs in, all may manage."""
    found: Role = getattr(request.state, "role", Role.MANAGES)
    return found


def sees_labels(request: Request) -> bool:
    """Tell whether who acts may see which label a case has."""
    return role_of(request) is not Role.ENTERS


def needs(role: Role) -> Any:
    """Return a dependency of a route that refuses who may do less.

    >>> from fastapi import APIRouter
    >>> router = APIRouter()
    >>> @router.post("/studies/{name}/close", dependencies=[needs(Role.MANAGES)])
    ... async def close() -> None: ...
    """

    async def check(request: Request) -> None:
        if role_of(request) < role:
            does = {Role.ENTERS: "enters values", Role.MANAGES: "manages studies"}[role]
            raise AccessError(f"only somebody who {does} may do this; ask who runs the server")

    return Depends(check)
