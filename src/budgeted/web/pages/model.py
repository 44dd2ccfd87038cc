"""The classifier, to be tried on a new case."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from budgeted.errors import BudgetedError, ModelError
from budgeted.web import reading
from budgeted.web.api.given import TheDesk
from budgeted.web.api.reading import json_file
from budgeted.web.pages.answers import refused
from budgeted.web.pages.templates import render

router = APIRouter()


@router.get("/studies/{name}/model")
async def model(
    request: Request,
    desk: TheDesk,
    known: Annotated[list[str] | None, Query()] = None,
    prior: Annotated[list[str] | None, Query()] = None,
) -> Response:
    """Show what the classifier says of a case that is known in part."""
    try:
        shares = _shares(prior or [])
        view = await reading.model_page(desk, tuple(known or ()), shares)
    except BudgetedError as error:
        return refused(request, error, "#model-problem")
    query = f"?{urlencode([('prior', each) for each in shares])}" if shares else ""
    return render(request, "model.html", view=view, query=query, tab="Model", here="studies")


@router.get("/studies/{name}/model.json")
async def model_file(
    desk: TheDesk, prior: Annotated[list[float] | None, Query()] = None
) -> Response:
    """Return the classifier in its documented format."""
    return json_file(await reading.model_file(desk, tuple(prior or ())), "model.json")


def _shares(given: list[str]) -> tuple[float, ...]:
    """The shares that were typed; none at all are those of the study."""
    filled = [each.strip() for each in given]
    if not any(filled):
        return ()
    try:
        return tuple(float(each) for each in filled)
    except ValueError:
        raise ModelError("the population: each label needs a share, a number above 0") from None
