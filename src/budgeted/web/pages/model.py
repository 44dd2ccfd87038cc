"""The classifier, to be tried on a new case; the report, and everything that can be taken away."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response

from budgeted.errors import BudgetedError, ModelError
from budgeted.web import queries
from budgeted.web.api.bodies import TheWorker
from budgeted.web.api.cases import model_answer
from budgeted.web.api.queries import Text, csv_file, json_file
from budgeted.web.auth.roles import sees_labels, sighted
from budgeted.web.pages.answers import is_htmx, refused
from budgeted.web.pages.templates import render
from budgeted.web.views.model import SMALL
from budgeted.web.views.parts import people_time

router = APIRouter()
_FIELD = "written-"
"""How the fields are called in which values are written, with the position of the feature."""


@router.get("/studies/{name}/model", dependencies=[Depends(sighted)])
async def model(
    request: Request,
    worker: TheWorker,
    known: Annotated[list[str] | None, Query()] = None,
    prior: Annotated[list[str] | None, Query()] = None,
    force: str = "",
    search: Text = "",
    whole: str = "",
) -> Response:
    """Show what the classifier says of a case that is known in part.

    Of a large study the classifier is fetched after the form, unless the whole is asked for.
    """
    try:
        shares = _shares(prior or [])
        case = (*(known or ()), *_written(request))
        form = await queries.model_form(worker, case, shares, search)
        answer = None
        if whole or is_htmx(request) or form.every <= SMALL:
            answer = await queries.model_page(worker, case, shares, bool(force))
    except BudgetedError as error:
        return refused(request, error, "#model-problem")
    query = f"?{urlencode([('prior', each) for each in shares])}" if shares else ""
    given: dict[str, Any] = {
        "view": form,
        "answer": answer,
        "query": query,
        "forced": force,
        "tab": "Model",
    }
    return render(request, "model.html", **given, asked=request.url.query, here="studies")


@router.get("/studies/{name}/model.json", dependencies=[Depends(sighted)])
async def model_file(
    worker: TheWorker, prior: Annotated[list[float] | None, Query()] = None
) -> Response:
    """Return the classifier in its documented format."""
    return json_file(await queries.model_file(worker, tuple(prior or ())), "model.json")


def _written(request: Request) -> list[str]:
    """What was written into fields, where nothing can be chosen, as position=value."""
    return [
        f"{key.removeprefix(_FIELD)}={value.strip()}"
        for key, value in request.query_params.items()
        if key.startswith(_FIELD) and value.strip()
    ]


def _shares(given: list[str]) -> tuple[float, ...]:
    """The shares that were typed; none at all are those of the study."""
    filled = [each.strip() for each in given]
    if not any(filled):
        return ()
    try:
        return tuple(float(each) for each in filled)
    except ValueError:
        raise ModelError("the population: each label needs a share, a number above 0") from None


@router.get("/studies/{name}/report", dependencies=[Depends(sighted)])
async def report(request: Request, worker: TheWorker) -> Response:
    """Show the report; what a model says of itself is fetched when the page is there."""
    view = await queries.report_page(worker)
    return render(
        request,
        "report.html",
        view=view,
        made=people_time(datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")),
        tab="Report",
        here="studies",
    )


@router.get("/studies/{name}/report/error", dependencies=[Depends(sighted)])
async def report_error(request: Request, worker: TheWorker) -> Response:
    """Return what is known of the error of the classifier."""
    return render(request, "parts/report_error.html", error=await queries.error_page(worker))


@router.get("/studies/{name}/tables/{which}.csv")
async def table(request: Request, worker: TheWorker, which: str) -> Response:
    """Return a table of the study as CSV."""
    return csv_file(await queries.table_file(worker, which, sees_labels(request)), f"{which}.csv")


@router.get("/studies/{name}/models/{format}", dependencies=[Depends(sighted)])
async def model_as(
    worker: TheWorker, format: str, prior: Annotated[list[float] | None, Query()] = None
) -> Response:
    """Return the classifier in one of its formats."""
    return await model_answer(worker, format, tuple(prior or ()))
