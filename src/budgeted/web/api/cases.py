"""Cases, results, the report, and what can be taken away."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from budgeted.studies.commands import Enter
from budgeted.web import queries
from budgeted.web.api.bodies import CaseName, TheWorker
from budgeted.web.api.operations import body_of, plain_body
from budgeted.web.api.queries import Prior, csv_file
from budgeted.web.auth.roles import Role, needs, sees_labels, sighted
from budgeted.web.failures import documented
from budgeted.web.views.case import CaseView
from budgeted.web.views.cases import ArrivalsView, CasesView
from budgeted.web.views.manage import ManageView
from budgeted.web.views.report import ErrorView, ReportView
from budgeted.web.views.results import ResultPreview, ResultsView, preview_of
from budgeted.web.worker import StudyWorker

router = APIRouter(prefix="/studies/{name}", tags=["one study"])

Text = Annotated[str, Query(max_length=200)]
Test = Annotated[str, Query(max_length=1000)]
Page = Annotated[int, Query(ge=1, le=1_000_000)]
_NOT_FOUND = documented(404, 422)
_CSV: dict[int | str, dict[str, Any]] = {200: {"content": {"text/csv": {}}}}


class ListOfCases(BaseModel):
    """A list of cases as a text: a header and rows."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(examples=["case,label\nP61,ill\n"])


@router.get("/cases", responses=_NOT_FOUND)
async def see_cases(
    request: Request, worker: TheWorker, text: Text = "", label: Text = "", group: Text = "",
    state: Text = "", sort: Text = "", page: Page = 1,
) -> CasesView:  # fmt: skip
    """Return a page of the cases."""
    seen = sees_labels(request)
    return await queries.cases_page(worker, seen, text, label, group, state, sort, page)


@router.get("/cases.csv", response_class=Response, responses=_CSV | _NOT_FOUND)
async def get_cases(
    request: Request, worker: TheWorker, text: Text = "", label: Text = "", group: Text = "",
    state: Text = "", sort: Text = "",
) -> Response:  # fmt: skip
    """Return the cases as CSV, safe to open in a spreadsheet."""
    seen = sees_labels(request)
    file = await queries.cases_file(worker, seen, text, label, group, state, sort)
    return csv_file(file, "cases.csv")


@router.get("/cases/{case}", responses=_NOT_FOUND)
async def see_case(
    request: Request, worker: TheWorker, case: CaseName, text: Text = "", kind: Text = "",
    test: Test = "", page: Page = 1,
) -> CaseView:  # fmt: skip
    """Return all that is known of a case."""
    return await queries.case_page(worker, case, sees_labels(request), text, kind, test, page)


@router.get("/manage", responses=_NOT_FOUND)
async def see_management(worker: TheWorker, cuts: Test = "") -> ManageView:
    """Return what concerns the study as a whole, with cuts that are proposed for a feature."""
    return await queries.manage_page(worker, cuts)


@router.post("/add-cases/preview", responses=documented(403, 404, 413, 422),
             dependencies=[needs(Role.MANAGES)])  # fmt: skip
async def see_arrivals(worker: TheWorker, given: ListOfCases) -> ArrivalsView:
    """Return what a list of cases would add, row by row; nothing is added."""
    return await queries.arrivals_page(worker, given.text.encode())


if TYPE_CHECKING:
    Body = BaseModel
else:

    class Body(body_of(Enter)):
        """The results of which somebody wants to know what would become."""


@router.get("/results", responses=documented(404))
async def results(
    worker: TheWorker,
    find: Annotated[str, Query(max_length=200)] = "",
    tests_page: Page = 1,
    page: Page = 1,
) -> ResultsView:
    """Return a part of the table of cases and tests: what is due, and what is known."""
    return await queries.results_page(worker, find, tests_page, page)


@router.post(
    "/results/preview",
    responses=documented(403, 404, 409, 413, 422),
    dependencies=[needs(Role.ENTERS)],
)
async def preview(worker: TheWorker, given: Body) -> ResultPreview:
    """Return what `enter` would do with these results, one by one; nothing is written."""
    held = plain_body(given)
    seen = await worker.trial(lambda study: study.preview(held["results"], charge=held["charge"]))
    return preview_of(seen, [""] * len(held["results"]))


_SIGHTED = documented(403, 404, 422)
_FILE: dict[int | str, dict[str, Any]] = {200: {"content": {"application/octet-stream": {}}}}


@router.get("/report", dependencies=[Depends(sighted)], responses=_SIGHTED)
async def see_report(worker: TheWorker) -> ReportView:
    """Return the report, but for what a model says."""
    return await queries.report_page(worker)


@router.get("/report/error", dependencies=[Depends(sighted)], responses=_SIGHTED)
async def see_error(worker: TheWorker) -> ErrorView:
    """Return the expected error with its interval, and what was measured."""
    return await queries.error_page(worker)


@router.get("/tables/{which}.csv", response_class=Response, responses=_CSV | _SIGHTED)
async def get_table(request: Request, worker: TheWorker, which: str) -> Response:
    """Return a table, wide, long or events, as CSV that is safe to open in a spreadsheet."""
    return csv_file(await queries.table_file(worker, which, sees_labels(request)), f"{which}.csv")


@router.get(
    "/models/{format}",
    dependencies=[Depends(sighted)],
    response_class=Response,
    responses=_FILE | _SIGHTED,
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
