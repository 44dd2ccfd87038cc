"""What a server refuses, as errors of this package, in the words of the server."""

from __future__ import annotations

from budgeted.errors import (
    AccessError,
    BudgetedError,
    BusyError,
    JournalError,
    ServerError,
    StudyError,
    UnknownError,
    UnknownFateError,
)

BUSY = frozenset({502, 503, 504})
"""Statuses that may be gone in a moment: of the server, or of a proxy before it."""
_KINDS: dict[int, type[BudgetedError]] = {
    401: AccessError,
    403: AccessError,
    404: UnknownError,
    409: StudyError,
    429: BusyError,
}


def refusal_of(status: int, said: object, url: str, key: str = "") -> BudgetedError:
    """Return the error for an answer.

    >>> refusal_of(404, {"error": "there is no study 'flu'"}, "http://localhost")
    UnknownError("there is no study 'flu'")
    >>> refusal_of(422, {"error": "n: must be 1 or more", "mistakes": ["n: must be 1 or more"]}, "")
    ServerError('n: must be 1 or more')
    """
    told = said.get("error") if isinstance(said, dict) else None
    words = told if isinstance(told, str) else ""
    if status in BUSY and key and key not in words:
        lost = f"{url} answered {status}, and nobody knows whether it was carried out"
        return UnknownFateError(words or lost, key=key)
    if not isinstance(said, dict) or not words:
        return ServerError(f"{url} answered {status} without words; is it a server of budgeted?")
    if status == 503:
        return JournalError(words)
    if status in _KINDS:
        return _KINDS[status](words)
    mistakes = said.get("mistakes")
    if isinstance(mistakes, list) and mistakes:
        return ServerError(str(each) for each in mistakes)
    return ServerError(words)
