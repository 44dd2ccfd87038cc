"""The report of a study, and everything that can be taken away."""

from __future__ import annotations

import base64
from datetime import UTC, datetime
from importlib.resources import files
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response

from budgeted.errors import BudgetedError
from budgeted.web import queries
from budgeted.web.api.bodies import TheWorker
from budgeted.web.api.queries import csv_file
from budgeted.web.api.report import figure_answer, model_answer
from budgeted.web.auth.roles import sees_labels, sighted
from budgeted.web.figure_files import can_draw
from budgeted.web.pages.templates import render
from budgeted.web.views.parts import people_time
from budgeted.web.worker import StudyWorker

router = APIRouter()


@router.get("/studies/{name}/report", dependencies=[Depends(sighted)])
async def report(request: Request, worker: TheWorker) -> Response:
    """Show the report; what a model says of itself is fetched when the page is there."""
    view = await queries.report_page(worker)
    return render(
        request,
        "report.html",
        view=view,
        made=_now(),
        draws=can_draw(),
        tab="Report",
        here="studies",
    )


@router.get("/studies/{name}/report/error", dependencies=[Depends(sighted)])
async def report_error(request: Request, worker: TheWorker) -> Response:
    """Return what is known of the error of the classifier."""
    return render(request, "parts/report_error.html", error=await queries.error_page(worker))


@router.get("/studies/{name}/report.html", dependencies=[Depends(sighted)])
async def report_file(request: Request, worker: TheWorker) -> Response:
    """Return the report as one file that needs nothing else."""
    figure = await _figure(worker)
    answer = render(
        request,
        "report_file.html",
        view=await queries.report_page(worker),
        error=await queries.error_page(worker),
        figure=figure,
        made=_now(),
        style=(files("budgeted.web") / "static" / "report.css").read_text(encoding="utf-8"),
    )
    answer.headers["Content-Disposition"] = 'attachment; filename="report.html"'
    return answer


@router.get("/studies/{name}/tables/{which}.csv")
async def table(request: Request, worker: TheWorker, which: str) -> Response:
    """Return a table of the study as CSV."""
    return csv_file(await queries.table_file(worker, which, sees_labels(request)), f"{which}.csv")


@router.get("/studies/{name}/figures/{which}.{kind}", dependencies=[Depends(sighted)])
async def figure(worker: TheWorker, which: str, kind: str, feature: str = "") -> Response:
    """Return a chart as SVG or PNG."""
    return await figure_answer(worker, which, kind, feature)


@router.get("/studies/{name}/models/{format}", dependencies=[Depends(sighted)])
async def model(
    worker: TheWorker, format: str, prior: Annotated[list[float] | None, Query()] = None
) -> Response:
    """Return the classifier in one of its formats."""
    return await model_answer(worker, format, tuple(prior or ()))


async def _figure(worker: StudyWorker) -> str:
    """The chart of the error as a part of an address; empty where there is none."""
    try:
        drawn: Any = await queries.figure_file(worker, "error", "svg")
    except BudgetedError:  # no learner, or nothing that draws: the report is good without
        return ""
    return base64.b64encode(drawn).decode()


def _now() -> str:
    return people_time(datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))
