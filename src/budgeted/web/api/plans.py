"""What takes long: plans of studies that have not begun, and forecasts of those that have."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from budgeted.studies.planning import RUNS
from budgeted.web import queries
from budgeted.web.api.bodies import TheActor, ThePlans, TheWorker
from budgeted.web.auth.roles import Role, needs, sighted
from budgeted.web.failures import documented
from budgeted.web.plan_files import Question
from budgeted.web.views.forecast import ForecastView
from budgeted.web.views.plans import PlanView, plan_view

router = APIRouter(prefix="/plans", tags=["plans"])

Id = Annotated[str, Path(description="Of the plan.")]
_MANAGES = [needs(Role.MANAGES)]
_UNDER_WAY: dict[int | str, dict[str, Any]] = {
    202: {"model": PlanView, "description": "it is under way; look again in a moment"}
}


class NewPlan(BaseModel):
    """What to expect of a study; a table ``[plan]`` in its file may say what is not given here."""

    model_config = ConfigDict(extra="forbid")

    study: str | dict[str, Any] = Field(
        description="a study file (TOML), or its content as an object",
        examples=['budget = 9\nlabels = ["well", "ill"]\nprior = [0.6, 0.4]\n\n[[features]]\n…'],
    )
    cases: Annotated[int, Field(ge=2, le=10**9)] | str | None = Field(
        default=None, description="a list of cases (CSV), or how many there will be"
    )
    table: str | None = Field(
        default=None, description="CSV of old cases: a column for the label, and one for each test"
    )
    matter: float | None = Field(default=None, description="about how many tests matter")
    best_alone: float | None = Field(
        default=None, description="about which share of cases the best test alone gets right"
    )
    target: float | None = Field(default=None, description="an error to be reached", examples=[0.2])
    probability: float | None = Field(default=None, description="how sure that is to be")
    up_to: Annotated[str, Field(max_length=40)] | None = Field(
        default=None, description="the largest budget to look at"
    )
    what_ifs: list[dict[str, Any]] = Field(
        default=[], max_length=20, description="changes to look at, as under [[plan.what_if]]"
    )
    runs: int = Field(default=RUNS, ge=5, le=10_000)
    seed: int = Field(default=0, ge=0, le=2**53)
    id_column: str = Field(default="case", min_length=1)
    label_column: str = Field(default="label", min_length=1)

    def question(self) -> Question:
        """Return what is asked."""
        told = {key: getattr(self, key) for key in type(self).model_fields}
        return Question(**told | {"what_ifs": tuple(self.what_ifs)})


@router.post(
    "",
    dependencies=_MANAGES,
    responses=_UNDER_WAY | documented(403, 413, 422, 429),
)
async def make_plan(
    plans: ThePlans, actor: TheActor, response: Response, given: NewPlan
) -> PlanView:
    """Have a plan made in the background; return at once.

    Who asks the same again gets the plan that is there. One that was stopped, or that was under way
    when the server ended, goes on where it stopped.
    """
    found = plan_view(await plans.create(given.question(), by=actor))
    response.status_code = 202 if found.under_way else 200
    return found


@router.get("/{id}", responses=_UNDER_WAY | documented(404, 422))
async def see_plan(plans: ThePlans, response: Response, id: Id) -> PlanView:
    """Return how far a plan is, or what it says; 202 while it is under way."""
    found = await queries.plan_page(plans, id)
    response.status_code = 202 if found.under_way else 200
    return found


@router.get("/{id}/chart", response_class=JSONResponse, responses=documented(404, 422))
async def see_plan_chart(plans: ThePlans, id: Id) -> JSONResponse:
    """Return error against money as a Vega-Lite dictionary, its data inside."""
    return JSONResponse(await queries.plan_chart(plans, id))


@router.post("/{id}/cancel", dependencies=_MANAGES, responses=documented(403, 404, 409, 413, 422))
async def cancel_plan(plans: ThePlans, id: Id) -> PlanView:
    """Stop a plan, or take it out of the queue; its runs are kept."""
    return plan_view(await plans.cancel(id))


forecasts = APIRouter(prefix="/studies/{name}", tags=["one study"])

_BEING_MADE: dict[int | str, dict[str, Any]] = {
    202: {"model": ForecastView, "description": "it is under way; look again in a moment"}
}


class WantedForecast(BaseModel):
    """How much time a forecast is given."""

    model_config = ConfigDict(extra="forbid")

    seconds: float | None = Field(
        default=None, ge=0, le=60, description="beyond those that it was given before; as the "
        "server says unless given; a few runs are made whatever they take",
    )  # fmt: skip


@forecasts.get(
    "/forecast",
    dependencies=[Depends(sighted)],
    responses=_BEING_MADE | documented(403, 404, 422),
)
async def see_forecast(worker: TheWorker, response: Response) -> ForecastView:
    """Return the last forecast, of how many events it was made, and how far the next one is.

    202 while the first one is under way. Nothing is computed unless somebody wants it (POST).
    """
    found = await queries.forecast_page(worker)
    response.status_code = 202 if found.forecast is None and found.under_way else 200
    return found


@forecasts.post(
    "/forecast",
    dependencies=[needs(Role.LOOKS), Depends(sighted)],
    responses=_BEING_MADE | documented(403, 404, 409, 413, 422, 429),
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
