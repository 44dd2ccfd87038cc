"""The log of a study, with a filter, page by page."""

from __future__ import annotations

from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import Response

from budgeted.web import reading
from budgeted.web.api.given import TheDesk
from budgeted.web.api.reading import csv_file
from budgeted.web.numerals import whole_number
from budgeted.web.pages.templates import render

router = APIRouter()


@router.get("/studies/{name}/history")
async def history(
    request: Request,
    desk: TheDesk,
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
    view = await reading.history_page(desk, **filters, page=number)
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
    desk: TheDesk, text: str = "", kind: str = "", who: str = "", feature: str = "", case: str = ""
) -> Response:
    """Return the log, or what a filter lets through, as CSV."""
    return csv_file(await reading.history_file(desk, text, kind, who, feature, case), "history.csv")
