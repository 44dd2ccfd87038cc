"""The page of a study, and the parts of it that are fetched again when something happens."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from budgeted.web import queries
from budgeted.web.api.bodies import TheWorker
from budgeted.web.api.live import watched_study
from budgeted.web.api.queries import csv_file
from budgeted.web.auth.roles import sees_labels
from budgeted.web.pages.templates import render
from budgeted.web.views.history import HistoryLine

router = APIRouter()

_RECENT = 8


@router.get("/studies/{name}")
async def study(request: Request, worker: TheWorker) -> Response:
    """Show a study."""
    view = await queries.study_page(worker)
    lines = await _recent(request, worker)
    return render(request, "study.html", view=view, lines=lines, tab="Study", here="studies")


@router.get("/studies/{name}/money")
async def money(request: Request, worker: TheWorker) -> Response:
    """Return the money."""
    return render(request, "parts/money.html", view=await queries.study_page(worker))


@router.get("/studies/{name}/recent")
async def recent(request: Request, worker: TheWorker) -> Response:
    """Return what happened last."""
    view = await queries.study_page(worker)
    return render(request, "parts/recent.html", view=view, lines=await _recent(request, worker))


@router.get("/studies/{name}/about")
async def about(request: Request, worker: TheWorker) -> Response:
    """Return the table of features."""
    return render(request, "parts/about.html", view=await queries.study_page(worker))


@router.get("/studies/{name}/worklist")
async def worklist(request: Request, worker: TheWorker) -> Response:
    """Show the requests under way, to be printed."""
    view = await queries.worklist_page(worker)
    return render(request, "worklist.html", view=view, tab="Work list", here="studies")


@router.get("/studies/{name}/worklist.csv")
async def worklist_file(worker: TheWorker) -> Response:
    """Return the requests under way as CSV."""
    return csv_file(await queries.worklist_file(worker), "worklist.csv")


@router.get("/studies/{name}/live")
async def live(request: Request, worker: TheWorker) -> Response:
    """Send what happens in the study, as it happens."""
    return await watched_study(request, worker)


async def _recent(request: Request, worker: TheWorker) -> list[HistoryLine]:
    """The last events, with the requests that they are about."""
    found = await queries.history_page(worker, labels=sees_labels(request))
    return found.lines[:_RECENT]
