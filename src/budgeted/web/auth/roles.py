"""What somebody may do on the server: look, enter values, or manage.

Each role may do all that the ones below it may, but for one thing: labels of cases are shown to
those who look and to those who manage; who enters values is blind to them, so that nobody measures
what he expects. Roles stand in the files of passwords and tokens
(`budgeted.web.auth.credentials`), and the door says which one acts (`budgeted.web.auth.access`).
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Any

from fastapi import Depends
from starlette.requests import Request

from budgeted.errors import AccessError
from budgeted.web.auth.origins import SAFE


class Role(IntEnum):
    """What somebody may do; a larger one may do more.

    >>> Role.ENTERS.text, Role.ENTERS.words
    ('enters', 'enters values')
    """

    LOOKS = 1
    ENTERS = 2
    MANAGES = 3

    @property
    def text(self) -> str:
        """As the files of passwords and tokens have it."""
        return self.name.lower()

    @property
    def words(self) -> str:
        """What somebody with it does."""
        return {Role.LOOKS: "looks", Role.ENTERS: "enters values", Role.MANAGES: "manages"}[self]


def role_named(text: str) -> Role:
    """Return the role of a name, or raise an error that lists all."""
    for role in Role:
        if role.text == text:
            return role
    listed = ", ".join(role.text for role in Role)
    raise AccessError(f"there is no role {text[:40]!r}; there are {listed}")


def role_of(request: Request) -> Role:
    """Return the role of who acts: the door says it, and where nobody logs in, all may manage."""
    found: Role = getattr(request.state, "role", Role.MANAGES)
    return found


def sees_labels(request: Request) -> bool:
    """Tell whether who acts may see which label a case has."""
    return role_of(request) is not Role.ENTERS


class _Needs:
    """A check in front of a route."""

    def __init__(self, role: Role) -> None:
        self.role = role

    async def __call__(self, request: Request) -> None:
        if role_of(request) < self.role:
            does = {Role.LOOKS: "looks at studies", Role.ENTERS: "enters values",
                    Role.MANAGES: "manages studies"}[self.role]  # fmt: skip
            raise AccessError(
                f"only somebody who {does} may do this, and you do not; ask who runs the server. "
                f"Nothing was done"
            )


def needs(role: Role) -> Any:
    """Return a dependency of a route that refuses who may do less.

    >>> from fastapi import APIRouter
    >>> router = APIRouter()
    >>> @router.post("/studies/{name}/close", dependencies=[needs(Role.MANAGES)])
    ... async def close() -> None: ...
    """
    return Depends(_Needs(role))


def declared(dependencies: Iterable[Any]) -> Role | None:
    """Return the role that the dependencies of a route need; None if none of them says one.

    >>> declared([needs(Role.LOOKS)]), declared([])
    (<Role.LOOKS: 1>, None)
    """
    for each in dependencies:
        if isinstance(each.dependency, _Needs):
            return each.dependency.role
    return None


async def managed(request: Request) -> None:
    """Refuse what changes something by who does not manage, where a route does not say who may.

    A dependency of all routes, so that one of which nobody thought is closed, and not open.
    """
    route = request.scope.get("route")
    if request.method not in SAFE and declared(getattr(route, "dependencies", ())) is None:
        await _Needs(Role.MANAGES)(request)


async def sighted(request: Request) -> None:
    """Refuse who is blind to labels: a dependency of what shows something for each label.

    What is counted, or learned, for each label changes with every value, at the label of its case:
    who enters one and looks there would see it.
    """
    if not sees_labels(request):
        raise AccessError(
            "this is not shown to who enters values: it would say which label a case has"
        )
