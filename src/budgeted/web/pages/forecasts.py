"""The forecast on the page of a study: what there is of it, and the button that wants another."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from budgeted.errors import BudgetedError
from budgeted.web import queries
from budgeted.web.api.bodies import TheWorker
from budgeted.web.api.queries import Text
from budgeted.web.auth.roles import Role, needs
from budgeted.web.pages.answers import refused
from budgeted.web.pages.templates import render

router = APIRouter()


@router.get("/studies/{name}/forecast")
async def forecast(request: Request, worker: TheWorker, have: Text = "") -> Response:
    """Return what there is of a forecast; nothing to a page that has the same already."""
    view = await queries.forecast_page(worker)
    if have == view.version:
        return Response(status_code=204)
    return render(request, "parts/forecast.html", view=view)


@router.post("/studies/{name}/forecast", dependencies=[needs(Role.LOOKS)])
async def begin(request: Request, worker: TheWorker) -> Response:
    """Have a forecast made, or a better one of the same events."""
    try:
        view = await queries.begin_forecast(worker)
    except BudgetedError as error:
        return refused(request, error, "#forecast-problem")
    return render(request, "parts/forecast.html", view=view)
