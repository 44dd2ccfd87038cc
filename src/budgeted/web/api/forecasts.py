"""How good the classifier will be when the rest of the money is spent."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Response
from pydantic import BaseModel, ConfigDict, Field

from budgeted.web import queries
from budgeted.web.api.bodies import TheWorker
from budgeted.web.auth.roles import Role, needs
from budgeted.web.failures import documented
from budgeted.web.views.forecast import ForecastView

router = APIRouter(prefix="/studies/{name}", tags=["one study"])

_UNDER_WAY: dict[int | str, dict[str, Any]] = {
    202: {"model": ForecastView, "description": "it is under way; look again in a moment"}
}


class WantedForecast(BaseModel):
    """How much time a forecast is given."""

    model_config = ConfigDict(extra="forbid")

    seconds: float | None = Field(
        default=None, ge=0, le=60, description="beyond those that it was given before; as the "
        "server says unless given; a few runs are made whatever they take",
    )  # fmt: skip


@router.get("/forecast", responses=_UNDER_WAY | documented(404, 422))
async def see_forecast(worker: TheWorker, response: Response) -> ForecastView:
    """Return the last forecast, of how many events it was made, and how far the next one is.

    202 while the first one is under way. Nothing is computed unless somebody wants it (POST).
    """
    found = await queries.forecast_page(worker)
    response.status_code = 202 if found.forecast is None and found.under_way else 200
    return found


@router.post(
    "/forecast",
    dependencies=[needs(Role.LOOKS)],
    responses=_UNDER_WAY | documented(403, 404, 409, 413, 422, 429),
)
async def make_forecast(
    worker: TheWorker, response: Response, given: WantedForecast | None = None
) -> ForecastView:
    """Have a forecast made in the background; return at once.

    Where one was made of the same events, more runs are added to it, until more would add nothing
    that could be seen. One is made at a time: what is under way goes on, and is what is returned.
    """
    found = await queries.begin_forecast(worker, None if given is None else given.seconds)
    response.status_code = 202 if found.under_way else 200
    return found
