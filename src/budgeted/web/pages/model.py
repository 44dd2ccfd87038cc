"""The classifier, to be tried on a new case."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from budgeted.errors import BudgetedError, ModelError
from budgeted.web import queries
from budgeted.web.api.bodies import TheWorker
from budgeted.web.api.queries import Text, json_file
from budgeted.web.pages.answers import is_htmx, refused
from budgeted.web.pages.templates import render
from budgeted.web.views.model import SMALL

router = APIRouter()
_FIELD = "written-"
"""How the fields are called in which values are written, with the position of the feature."""


@router.get("/studies/{name}/model")
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


@router.get("/studies/{name}/model.json")
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
