"""The list of studies."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from budgeted.web import queries
from budgeted.web.api.bodies import TheWorkers
from budgeted.web.auth.roles import sees_labels
from budgeted.web.pages.templates import render

router = APIRouter()


@router.get("/")
async def first() -> Response:
    """Lead to the studies."""
    return RedirectResponse("/studies", status_code=307)


@router.get("/studies")
async def studies(request: Request, workers: TheWorkers) -> Response:
    """Show all studies with their money."""
    view = await queries.studies_page(workers, not sees_labels(request))
    return render(request, "studies.html", view=view, here="studies")
