"""The report of a study, and everything that can be taken away."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response

from budgeted.web import queries
from budgeted.web.api.bodies import TheWorker
from budgeted.web.api.queries import csv_file
from budgeted.web.api.report import model_answer
from budgeted.web.auth.roles import sees_labels, sighted
from budgeted.web.pages.templates import render
from budgeted.web.views.parts import people_time

router = APIRouter()


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
async def model(
    worker: TheWorker, format: str, prior: Annotated[list[float] | None, Query()] = None
) -> Response:
    """Return the classifier in one of its formats."""
    return await model_answer(worker, format, tuple(prior or ()))
