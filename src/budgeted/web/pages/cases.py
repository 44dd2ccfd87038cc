"""All cases of a study, and the page of one of them."""

from __future__ import annotations

from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import Response

from budgeted.web import queries
from budgeted.web.api.bodies import CaseName, TheWorker
from budgeted.web.api.queries import csv_file
from budgeted.web.auth.roles import sees_labels
from budgeted.web.pages.fields import whole_number
from budgeted.web.pages.templates import render

router = APIRouter()


@router.get("/studies/{name}/cases")
async def cases(
    request: Request,
    worker: TheWorker,
    text: str = "",
    label: str = "",
    group: str = "",
    state: str = "",
    sort: str = "",
    page: str = "1",
) -> Response:
    """Show a page of the cases."""
    filters = {"text": text, "label": label, "group": group, "state": state, "sort": sort}
    number = whole_number(page) or 1
    view = await queries.cases_page(worker, sees_labels(request), **filters, page=number)
    return render(
        request,
        "cases.html",
        view=view,
        query=_query(filters),
        tab="Cases",
        here="studies",
    )


@router.get("/studies/{name}/cases.csv")
async def cases_file(
    request: Request,
    worker: TheWorker,
    text: str = "",
    label: str = "",
    group: str = "",
    state: str = "",
    sort: str = "",
) -> Response:
    """Return the cases, or what a filter lets through, as CSV."""
    seen = sees_labels(request)
    return csv_file(
        await queries.cases_file(worker, seen, text, label, group, state, sort), "cases.csv"
    )


@router.get("/studies/{name}/cases/{case}")
async def case(
    request: Request,
    worker: TheWorker,
    case: CaseName,
    text: str = "",
    kind: str = "",
    test: str = "",
    page: str = "1",
) -> Response:
    """Show a case."""
    number = whole_number(page) or 1
    view = await queries.case_page(
        worker, case, sees_labels(request), text, kind, test.strip(), number
    )
    return render(
        request,
        "case.html",
        view=view,
        query=_query({"text": text, "kind": kind}),
        test=test,
        tab="Cases",
        here="studies",
    )


def _query(filters: dict[str, str]) -> str:
    """What stands before the number of a page in an address."""
    query = urlencode({key: value for key, value in filters.items() if value})
    return f"{query}&" if query else ""
