"""What people see when something cannot be: a page in plain words, or a few at the right place."""

from __future__ import annotations

import json
from http import HTTPStatus

from fastapi import Request
from fastapi.responses import Response

from budgeted.web.hints import in_fields
from budgeted.web.pages.templates import render

_WORDS = {
    400: ("This cannot be understood", ""),
    401: ("Please log in", ""),
    403: ("This is not allowed", ""),  # the message says what helps
    404: ("There is nothing here", "The address may be mistyped, or the study has another name."),
    405: (
        "This address only answers to buttons",
        "Go back to the page and press the button there.",
    ),
    409: ("This cannot be done now", ""),
    413: ("This is too large", "Send a smaller file, or fewer rows."),
    422: ("This cannot be done", ""),
    429: ("Too much at once", "Wait a moment and try again."),
    500: ("Something broke", "It is not your fault. Nothing that was written down is lost."),
    503: ("The server cannot do this now", ""),
}


UNKNOWN_FATE = "It is not known whether this was recorded. Press again: it is not recorded twice."
"""Of a write whose answer was lost; the form that is sent again, from its page, has its key."""


def error_page(request: Request, status: int, message: str, not_done: bool = True) -> Response:
    """Return an error as a page; for htmx only the words, to be shown where the user is."""
    if "hx-request" in request.headers:
        return problem(request, [message], status=status, place="#problem", not_done=not_done)
    heading, hint = _WORDS.get(status, (_phrase(status), ""))
    return render(
        request,
        "error.html",
        status=status,
        code=status,
        heading=heading,
        hint=hint,
        message=in_fields(message),
    )


def problem(
    request: Request,
    mistakes: list[str],
    *,
    status: int,
    place: str,
    key: str = "",
    not_done: bool = True,
) -> Response:
    """Return mistakes as a part of a page, to be put into a place, so that forms stay filled in.

    `key` is a new one for the form, if its own is used up; `not_done` says whether it is certain
    that nothing was done.
    """
    mistakes = [in_fields(each) for each in mistakes]
    words = f"{'Not done: ' if not_done else ''}{' '.join(mistakes)[:300]}"
    said: dict[str, object] = {"say": {"words": words, "failed": True}}
    if key:
        said["fresh"] = {"key": key}
    headers = {
        "HX-Retarget": place,
        "HX-Reswap": "innerHTML",
        "HX-Trigger": json.dumps(said),
    }
    return render(request, "parts/problem.html", status=status, headers=headers, mistakes=mistakes)


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "This did not work"
