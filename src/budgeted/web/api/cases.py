"""The cases of a study: all of them, one of them, and what a list would add."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from budgeted.web import queries
from budgeted.web.api.bodies import CaseName, TheWorker
from budgeted.web.api.queries import csv_file
from budgeted.web.auth.roles import Role, needs, sees_labels
from budgeted.web.failures import documented
from budgeted.web.views.arrivals import ArrivalsView
from budgeted.web.views.case import CaseView
from budgeted.web.views.cases import CasesView
from budgeted.web.views.manage import ManageView

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
