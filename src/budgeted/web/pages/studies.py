"""The list of studies."""

from __future__ import annotations

from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from budgeted.web import queries
from budgeted.web.api.bodies import TheWorkers
from budgeted.web.auth.roles import sees_labels
from budgeted.web.pages.fields import whole_number
from budgeted.web.pages.templates import render

router = APIRouter()


@router.get("/")
async def first() -> Response:
    """Lead to the studies."""
    return RedirectResponse("/studies", status_code=307)


@router.get("/studies")
async def studies(
    request: Request, workers: TheWorkers, text: str = "", closed: str = "", page: str = "1"
) -> Response:
    """Show studies with their money, or those that are closed."""
    number = whole_number(page) or 1
    blind = not sees_labels(request)
    view = await queries.studies_page(workers, blind, text, bool(closed), number)
    kept = {"text": view.text, "closed": "yes" if view.closed else ""}
    query = urlencode({key: value for key, value in kept.items() if value})
    return render(
        request,
        "studies.html",
        view=view,
        query=f"{query}&" if query else "",
        here="studies",
    )
