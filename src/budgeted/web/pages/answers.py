"""How a form is answered: htmx gets what changed, a plain form goes back to its page."""

from __future__ import annotations

import json
from typing import Any

from fastapi import Request
from fastapi.responses import RedirectResponse, Response

from budgeted.errors import BudgetedError
from budgeted.web.hints import words
from budgeted.web.pages.errors import problem

REFUSED = 422


def is_htmx(request: Request) -> bool:
    """Tell whether only a part of the page is wanted."""
    return request.headers.get("hx-request") == "true"


def done(request: Request, said: str, seq: int, back: str, content: str = "") -> Response:
    """Return the answer to something that was carried out.

    Parameters
    ----------
    request
        The form.
    said
        What was done, to be shown and said aloud.
    seq
        Number of the last event, so that the page does not hear of it a second time.
    back
        Where a browser without scripts goes.
    content
        What takes the place of the form's target.
    """
    if not is_htmx(request):
        return RedirectResponse(back, status_code=303)
    news: dict[str, Any] = {"news": {"seq": seq}, "say": {"words": said}}
    return Response(content, media_type="text/html", headers={"HX-Trigger": json.dumps(news)})


def refused(request: Request, error: BudgetedError, place: str) -> Response:
    """Return a refusal, to be shown where the user is; without scripts it becomes a page.

    Parameters
    ----------
    request
        The form.
    error
        Why not.
    place
        Selector of the element that shows it.
    """
    if not is_htmx(request):
        raise error
    return problem(request, words(error), status=REFUSED, place=place)


def go(request: Request, address: str) -> Response:
    """Return an answer that leads to another page."""
    if is_htmx(request):
        return Response(headers={"HX-Redirect": address})
    return RedirectResponse(address, status_code=303)
