"""How the scripts of a page are answered: with what changed, what was done, or why not."""

from __future__ import annotations

import json
from typing import Annotated, Any

from fastapi import Form, Request
from fastapi.responses import Response
from pydantic import AfterValidator

from budgeted.errors import BudgetedError, JournalError, UnknownFateError
from budgeted.hints import KeyUsed
from budgeted.studies.commands import Command
from budgeted.studies.drafts import Done, fresh_key
from budgeted.studies.preparing.amounts import amount
from budgeted.web.failures import status_of
from budgeted.web.hints import words
from budgeted.web.pages.errors import UNKNOWN_FATE, problem
from budgeted.web.pages.templates import render
from budgeted.web.views.parts import people_time
from budgeted.web.worker import StudyWorker

REFUSED = 422

Text = Annotated[str, Form()]
Amount = Annotated[str, Form(), AfterValidator(amount)]
"""Money that was typed, where ``12,50`` means 12.50."""
Key = Annotated[str, Form(max_length=200)]
"""The hidden field of a form that tells when it comes again; see `budgeted.studies.drafts`.

Each rendering of a form has another one, and one that was carried out is given a new one.
"""


def is_htmx(request: Request) -> bool:
    """Tell whether only a part of the page is wanted."""
    return request.headers.get("hx-request") == "true"


async def carry_out(
    request: Request, worker: StudyWorker, command: Command, by: str, key: str
) -> Done:
    """Have the worker do what a form wants; the log of requests tells of it."""
    made = await worker.do(command, by=by, key=key)
    request.state.done = made
    return made


def done(
    said: str, seq: int, content: str = "", repeated: bool = False, place: str = ""
) -> Response:
    """Return the answer to something that was carried out, which is also said aloud.

    `seq` is the number of the last event, so that the page does not hear of it a second time;
    `content` takes the place of `place`, or of the form's target.
    """
    if repeated:
        said = f"This was recorded before, and is not recorded twice. {said}"
    news: dict[str, Any] = {
        "news": {"seq": seq},
        "say": {"words": said},
        "fresh": {"key": fresh_key()},
    }
    headers = {"HX-Trigger": json.dumps(news)} | ({"HX-Retarget": place} if place else {})
    return Response(content, media_type="text/html", headers=headers)


def beside(request: Request, said: str) -> str:
    """Return what was done as a part of the page, to be shown beside the form."""
    return bytes(render(request, "parts/good.html", said=said).body).decode()


def refused(request: Request, error: BudgetedError, place: str) -> Response:
    """Return a refusal, to be shown where the user is: in the element that `place` selects."""
    request.state.cause = error
    used = error.hint
    if isinstance(used, KeyUsed):
        # A form that was sent, and filled in differently since: both may be meant.
        said = (
            f"this form was sent before, by {used.by} at {people_time(used.at)}, with "
            f"something else in it; that is recorded, this is not. If this is meant as well, "
            f"send it again"
        )
        return problem(request, [said], status=REFUSED, place=place, key=fresh_key())
    # Who keeps the server must hear of a database that is gone; the rest is between user and form.
    status = status_of(error) if isinstance(error, JournalError) else REFUSED
    if isinstance(error, UnknownFateError):
        return problem(request, [UNKNOWN_FATE], status=status, place=place, not_done=False)
    return problem(request, words(error), status=status, place=place)


def go(address: str) -> Response:
    """Return an answer that leads to another page."""
    return Response(headers={"HX-Redirect": address})
