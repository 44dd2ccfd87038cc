"""All that the client asks of a server: method, address, answer, and whether it may be sent twice.

A test walks through them with the server's OpenAPI document.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from budgeted.client import answers


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
