"""The form that asks what to measure: how many, the wishes, and the price before the press."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import Response

from budgeted.errors import BudgetedError, StudyError
from budgeted.studies.commands import Ask
from budgeted.studies.commands.ask import why_fewer
from budgeted.studies.drafts import Done
from budgeted.studies.preparing.amounts import amount
from budgeted.web import queries
from budgeted.web.api.bodies import TheActor, TheWorker
from budgeted.web.auth.roles import Role, needs
from budgeted.web.hints import words
from budgeted.web.pages.answers import Key, Text, carry_out, done, refused
from budgeted.web.pages.fields import clipped, whole_number
from budgeted.web.pages.templates import render
from budgeted.web.worker import StudyWorker

router = APIRouter()

Several = Annotated[list[str], Form(max_length=1_000)]
SeveralAsked = Annotated[list[str], Query(max_length=1_000)]


@router.post("/studies/{name}/ask", dependencies=[needs(Role.MANAGES)])
async def ask(
    request: Request,
    worker: TheWorker,
    actor: TheActor,
    n: Text,
    of: Text = "orders",
    case: Text = "",
    only: Several = [],  # noqa: B006
    without: Several = [],  # noqa: B006
    at_most: Text = "",
    anyway: Text = "",
    key: Key = "",
) -> Response:
    """Ask for the next requests."""
    try:
        command = await command_of(worker, n, of, case, only, without, at_most, bool(anyway))
        made = await carry_out(request, worker, command, actor, key)
    except BudgetedError as error:
        return refused(request, error, "#asked")
    said = _asked(made, command)
    return done(said, worker.seq, repeated=made.repeated)


@router.get("/studies/{name}/price", dependencies=[needs(Role.MANAGES)])
async def price(
    request: Request,
    worker: TheWorker,
    n: str = "1",
    of: str = "orders",
    case: str = "",
    only: SeveralAsked = [],  # noqa: B006
    without: SeveralAsked = [],  # noqa: B006
    at_most: str = "",
) -> Response:
    """Return what asking would cost now; nothing is asked."""
    try:
        command = await command_of(worker, n, of, case, only, without, at_most)
        view = await queries.price_page(worker, command)
        return render(request, "parts/price.html", view=view)
    except BudgetedError as error:
        # What is being typed may not be finished: it is said, and is no refusal of anything.
        return render(request, "parts/no_price.html", mistakes=words(error))


async def command_of(
    worker: StudyWorker,
    n: str,
    of: str,
    case: str,
    only: list[str],
    without: list[str],
    at_most: str,
    anyway: bool = False,
) -> Ask:
    """Return what the form wants; several features may stand in one text, between semicolons."""
    wanted = whole_number(n)
    if not wanted:
        raise StudyError(f"n: must be a whole number from 1, got {clipped(n)!r}")
    known = {each.name for each in (await worker.look()).state.problem.features}
    return Ask(
        n=1 if of == "visits" else wanted,
        visits=wanted if of == "visits" else None,
        case=case.strip() or None,
        only=_features(only, known),
        without=_features(without, known),
        at_most=amount(at_most) or None,
        anyway=anyway,
    )


def _features(texts: list[str], known: set[str]) -> list[str]:
    """Names of features; a name may hold a semicolon itself."""
    found: list[str] = []
    for text in texts:
        parts = [text] if text in known else text.split(";")
        found += [each.strip() for each in parts if each.strip()]
    return found


def _asked(made: Done, wanted: Ask) -> str:
    """What was asked for, and why it is less than was wanted, in words."""
    asked = made.requests
    fewer = "" if made.repeated else why_fewer(asked, wanted, made.state, made.stopped)
    if not asked:
        return f"Nothing new: {fewer}."
    noun = "request" if len(asked) == 1 else "requests"
    listed = ", ".join(f"{each.feature} of {each.case}" for each in asked[:5])
    more = f" and {len(asked) - 5} more" if len(asked) > 5 else ""
    why = f" {fewer[0].upper()}{fewer[1:]}." if fewer else ""
    return f"{len(asked)} new {noun}: {listed}{more}.{why}"
