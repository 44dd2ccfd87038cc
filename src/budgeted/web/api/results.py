"""Results for programs: the table of what is due, and what writing some down would do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel

from budgeted.studies.commands import Enter
from budgeted.web import queries
from budgeted.web.api.bodies import TheWorker
from budgeted.web.api.operations import body_of, plain_body
from budgeted.web.auth.roles import Role, needs
from budgeted.web.failures import documented
from budgeted.web.views.results import ResultPreview, ResultsView, preview_of

router = APIRouter(prefix="/studies/{name}", tags=["results"])
if TYPE_CHECKING:
    Body = BaseModel
else:

    class Body(body_of(Enter)):
        """The results of which somebody wants to know what would become."""


Page = Annotated[int, Query(ge=1, le=2**31)]


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
