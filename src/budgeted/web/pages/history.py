"""The log of a study, with a filter, page by page."""

from __future__ import annotations

from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import Response

from budgeted.web import queries
from budgeted.web.api.bodies import TheWorker
from budgeted.web.api.queries import csv_file
from budgeted.web.auth.roles import sees_labels
from budgeted.web.pages.fields import whole_number
from budgeted.web.pages.templates import render

router = APIRouter()


@router.get("/studies/{name}/history")
async def history(
    request: Request,
    worker: TheWorker,
    text: str = "",
    kind: str = "",
    who: str = "",
    feature: str = "",
    case: str = "",
    page: str = "1",
) -> Response:
    """Show a page of the log."""
    number = whole_number(page) or 1
    filters = {"text": text, "kind": kind, "who": who, "feature": feature, "case": case}
    view = await queries.history_page(worker, **filters, page=number, labels=sees_labels(request))
    query = urlencode({key: value for key, value in filters.items() if value})
    return render(
        request,
        "history.html",
        view=view,
        query=f"{query}&" if query else "",
        tab="History",
        here="studies",
    )


@router.get("/studies/{name}/history.csv")
async def history_file(
    request: Request,
    worker: TheWorker,
    text: str = "",
    kind: str = "",
    who: str = "",
    feature: str = "",
    case: str = "",
) -> Response:
    """Return the log, or what a filter lets through, as CSV."""
    seen = sees_labels(request)
    file = await queries.history_file(worker, text, kind, who, feature, case, seen)
    return csv_file(file, "history.csv")
