"""The page of a study, and the parts of it that are fetched again when something happens."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from budgeted.web import reading
from budgeted.web.api.given import TheDesk
from budgeted.web.api.live import watched_study
from budgeted.web.api.reading import csv_file
from budgeted.web.pages.templates import render
from budgeted.web.views.history import HistoryLine

router = APIRouter()

_RECENT = 8


@router.get("/studies/{name}")
async def study(request: Request, desk: TheDesk) -> Response:
    """Show a study."""
    view = await reading.study_page(desk)
    lines = await _recent(desk)
    return render(request, "study.html", view=view, lines=lines, tab="Study", here="studies")


@router.get("/studies/{name}/money")
async def money(request: Request, desk: TheDesk) -> Response:
    """Return the money."""
    return render(request, "parts/money.html", view=await reading.study_page(desk))


@router.get("/studies/{name}/recent")
async def recent(request: Request, desk: TheDesk) -> Response:
    """Return what happened last."""
    view = await reading.study_page(desk)
    return render(request, "parts/recent.html", view=view, lines=await _recent(desk))


@router.get("/studies/{name}/about")
async def about(request: Request, desk: TheDesk) -> Response:
    """Return the table of features."""
    return render(request, "parts/about.html", view=await reading.study_page(desk))


@router.get("/studies/{name}/worklist")
async def worklist(request: Request, desk: TheDesk) -> Response:
    """Show the requests under way, to be printed."""
    view = await reading.worklist_page(desk)
    return render(request, "worklist.html", view=view, tab="Work list", here="studies")


@router.get("/studies/{name}/worklist.csv")
async def worklist_file(desk: TheDesk) -> Response:
    """Return the requests under way as CSV."""
    return csv_file(await reading.worklist_file(desk), "worklist.csv")


@router.get("/studies/{name}/live")
async def live(request: Request, desk: TheDesk) -> Response:
    """Send what happens in the study, as it happens."""
    return await watched_study(request, desk)


async def _recent(desk: TheDesk) -> list[HistoryLine]:
    """The last events, with the requests that they are about."""
    return (await reading.history_page(desk)).lines[:_RECENT]
