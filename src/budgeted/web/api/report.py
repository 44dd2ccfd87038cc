"""The report of a study for programs, and everything that can be taken away."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from budgeted.web import queries
from budgeted.web.api.bodies import TheWorker
from budgeted.web.api.queries import Prior, csv_file
from budgeted.web.auth.roles import sees_labels, sighted
from budgeted.web.failures import documented
from budgeted.web.views.report import ErrorView, ReportView
from budgeted.web.worker import StudyWorker

router = APIRouter(prefix="/studies/{name}", tags=["one study"])
_NOT_FOUND = documented(403, 404, 422)
_CSV: dict[int | str, dict[str, Any]] = {200: {"content": {"text/csv": {}}}}
_FILE: dict[int | str, dict[str, Any]] = {200: {"content": {"application/octet-stream": {}}}}


@router.get("/report", dependencies=[Depends(sighted)], responses=_NOT_FOUND)
async def see_report(worker: TheWorker) -> ReportView:
    """Return the report, but for what a model says."""
    return await queries.report_page(worker)


@router.get("/report/error", dependencies=[Depends(sighted)], responses=_NOT_FOUND)
async def see_error(worker: TheWorker) -> ErrorView:
    """Return the expected error with its interval, and what was measured."""
    return await queries.error_page(worker)


@router.get("/tables/{which}.csv", response_class=Response, responses=_CSV | _NOT_FOUND)
async def get_table(request: Request, worker: TheWorker, which: str) -> Response:
    """Return a table, wide, long or events, as CSV that is safe to open in a spreadsheet."""
    return csv_file(await queries.table_file(worker, which, sees_labels(request)), f"{which}.csv")


@router.get(
    "/models/{format}",
    dependencies=[Depends(sighted)],
    response_class=Response,
    responses=_FILE | _NOT_FOUND,
)
async def get_model_as(
    worker: TheWorker,
    format: str,
    prior: Prior = [],  # noqa: B006
) -> Response:
    """Return the classifier in one of its formats; not every one can express every model."""
    return await model_answer(worker, format, tuple(prior))


async def model_answer(worker: StudyWorker, format: str, prior: tuple[float, ...] = ()) -> Response:
    """Return the classifier, to be saved."""
    content, found = await queries.model_in(worker, format, prior)
    headers = {"Content-Disposition": f'attachment; filename="model.{found.ending}"'}
    return Response(content, media_type=found.media_type, headers=headers)
