"""Cases that are added: the list is pasted or uploaded, looked over row by row, and taken in.

The list travels along with the preview, so that what is added is
what was shown; where the study has changed so that something else would be added, it is shown anew.
"""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from budgeted.addresses import segment
from budgeted.errors import BudgetedError, JournalError, StudyError
from budgeted.studies.arrivals import read_arrivals
from budgeted.web import hints, queries
from budgeted.web.api.bodies import TheActor, TheWorker
from budgeted.web.auth.roles import Role, needs
from budgeted.web.pages.answers import Key, Text, carry_out
from budgeted.web.pages.fields import content_of
from budgeted.web.pages.templates import render
from budgeted.web.views.arrivals import digest_of
from budgeted.web.worker import StudyWorker

router = APIRouter(dependencies=[needs(Role.MANAGES)])


@router.get("/studies/{name}/add-cases")
async def show(request: Request, worker: TheWorker) -> Response:
    """Show the form for a list of cases."""
    return await _page(request, worker)


@router.post("/studies/{name}/add-cases/preview")
async def preview(request: Request, worker: TheWorker) -> Response:
    """Show what a list of cases would add."""
    form = await request.form()
    given = form.get("pasted", "")
    # Empty cells at the end of the last row are tabs: they stay.
    pasted = given.strip("\r\n") if isinstance(given, str) else ""
    try:
        content = await content_of(form, "file") or pasted.encode()
        if not content.strip():
            raise StudyError("choose a file, or paste a list with a header line")
        return await _page(request, worker, _text(content))
    except BudgetedError as error:
        return await _page(request, worker, pasted, error)


@router.post("/studies/{name}/add-cases")
async def add(
    request: Request,
    worker: TheWorker,
    actor: TheActor,
    pasted: Text = "",
    shown: Text = "",
    key: Key = "",
) -> Response:
    """Add the cases of a list that fit, if those are what was shown."""
    added = RedirectResponse(f"/studies/{segment(worker.name)}/cases?sort=last", 303)
    try:
        study = await worker.look()
        if any(entry.key == key for entry in study.entries if entry.key):
            # The list would add nothing any more, so the journal cannot tell that it is the same.
            return added
        found = await asyncio.to_thread(read_arrivals, study, pasted.encode())
        if shown != digest_of(found):
            changed = StudyError("the study has changed meanwhile; look at the list once more")
            return await _page(request, worker, pasted, changed)
        await carry_out(request, worker, found.command, actor, key)
    except JournalError:
        raise  # what became of it is not known, or nobody can look: that is a page of its own
    except BudgetedError as error:
        return await _page(request, worker, pasted, error)
    return added


async def _page(
    request: Request, worker: StudyWorker, text: str = "", error: BudgetedError | None = None
) -> Response:
    found, mistakes = None, [] if error is None else hints.words(error)
    if text:
        try:
            found = await queries.arrivals_page(worker, text.encode())
        except BudgetedError as wrong:
            mistakes = mistakes or hints.words(wrong)
    return render(
        request,
        "add_cases.html",
        status=422 if mistakes else 200,
        view=await queries.manage_page(worker),
        found=found,
        pasted=text,
        mistakes=mistakes,
        tab="Cases",
        here="studies",
    )


def _text(content: bytes) -> str:
    """A list as text: UTF-8, or as old spreadsheets write it."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")
