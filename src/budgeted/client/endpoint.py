"""Operations on one server, or on one study of it: what is given becomes a request, then an answer.

>>> from budgeted.client.endpoint import OPERATIONS
>>> path_of(OPERATIONS["tell"], name="a/b", number=3)
'/api/studies/a%252Fb/requests/3/tell'
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

from budgeted.addresses import segment
from budgeted.client import answers
from budgeted.client.answers import Done, Request
from budgeted.client.connection import Connection, new_key
from budgeted.client.reading import read
from budgeted.errors import ServerError


class Operation(NamedTuple):
    """One of them."""

    method: str
    path: str
    answer: type[Any] | None
    again: bool = True
    keyed: bool = False  # whether it takes one


_STUDY = "/api/studies/{name}"
_REQUEST = f"{_STUDY}/requests/{{number}}"
_ABOUT_REQUESTS = ("tell", "fail", "cancel", "correct", "undo")
_CHANGES = ("ask", "expire", "record", "enter", "undo-batch", "note", "withdraw", "rule-out",
            "allow", "add-cases", "add-feature", "add-value", "budget", "cuts", "stop-rules",
            "close", "reopen")  # fmt: skip

OPERATIONS: Mapping[str, Operation] = {
    "studies": Operation("GET", "/api/studies", answers.Studies),
    "create": Operation("POST", "/api/studies", answers.Card, again=False),
    "status": Operation("GET", _STUDY, answers.Status),
    "price": Operation("GET", f"{_STUDY}/price", answers.Price),
    "next": Operation("GET", f"{_STUDY}/next", answers.Next),
    "worklist": Operation("GET", f"{_STUDY}/worklist", answers.Worklist),
    "request": Operation("GET", _REQUEST, answers.Request),
    "history": Operation("GET", f"{_STUDY}/history", answers.History),
    "table": Operation("GET", f"{_STUDY}/tables/{{which}}.csv", None),
    "model": Operation("GET", f"{_STUDY}/model.json", None),
    "predict": Operation("POST", f"{_STUDY}/predict", answers.Prediction),
    "diagnose": Operation("POST", f"{_STUDY}/diagnose", answers.Diagnosis),
    "preview": Operation("POST", f"{_STUDY}/results/preview", answers.Preview),
    **{
        name: Operation("POST", f"{_REQUEST}/{name}", answers.Done, keyed=True)
        for name in _ABOUT_REQUESTS
    },
    **{name: Operation("POST", f"{_STUDY}/{name}", answers.Done, keyed=True) for name in _CHANGES},
}
"""By name; the changes are named as their addresses end."""


T = TypeVar("T")


class Endpoint:
    """Carries out operations."""

    def __init__(self, connection: Connection, name: str = "") -> None:
        self.connection = connection
        self.name = name

    def path(self, operation: str, **places: Any) -> str:
        """Return the address of an operation on this server."""
        return path_of(OPERATIONS[operation], name=self.name, **places)

    def look(
        self,
        kind: type[T],
        operation: str,
        *,
        params: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
        **places: Any,
    ) -> T:
        """Return what a server answers."""
        return read(kind, self._json(operation, params, body, "", places))

    def file(self, operation: str, **places: Any) -> str:
        """Return a file that the server makes."""
        found = OPERATIONS[operation]
        text: str = self.connection.send(found.method, self.path(operation, **places)).text
        return text

    def change(
        self,
        operation: str,
        body: Mapping[str, Any],
        key: str,
        number: int | Request | None = None,
    ) -> Done:
        """Carry out a change, once at most."""
        key = key or new_key()
        places = {} if number is None else {"number": number}
        return replace(read(Done, self._json(operation, None, body, key, places)), key=key)

    def _json(
        self,
        operation: str,
        params: Mapping[str, Any] | None,
        body: Mapping[str, Any] | None,
        key: str,
        places: Mapping[str, Any],
    ) -> object:
        found = OPERATIONS[operation]
        path = self.path(operation, **places)
        answer = self.connection.send(
            found.method, path, params=params, body=body, key=key, again=found.again
        )
        try:
            data: object = answer.json()
        except ValueError:
            raise ServerError(
                f"{self.connection.url} answered something that is no JSON; is it a server of "
                f"budgeted, and the whole address?"
            ) from None
        return data


def path_of(operation: Operation, **places: Any) -> str:
    """Return the address of an operation, with names quoted and requests by their numbers."""
    parts = {
        name: each.number if isinstance(each, Request) else each for name, each in places.items()
    }
    quoted = {name: segment(str(each)) for name, each in parts.items()}
    return operation.path.format_map(quoted)
