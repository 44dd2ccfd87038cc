"""The page of a study, and the parts of it that are fetched again when something happens."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from budgeted.errors import AccessError
from budgeted.web import queries
from budgeted.web.api.bodies import TheWorker
from budgeted.web.api.queries import Page, Text, csv_file
from budgeted.web.auth.roles import sees_labels
from budgeted.web.pages.cards import most_visits
from budgeted.web.pages.templates import render
from budgeted.web.sse import Streams, last_seen, study_events
from budgeted.web.views.cells import PER_PAGE, page_of, rows_of
from budgeted.web.views.classifier import ClassifierView
from budgeted.web.views.history import HistoryLine

router = APIRouter()

_RECENT = 5


@router.get("/studies/{name}")
async def study(request: Request, worker: TheWorker, cards: str = "") -> Response:
    """Show a study: what the ledger says; what fits a model is fetched after it."""
    view = await queries.ledger_page(worker)
    shown = await queries.cards_page(worker, (), most_visits(cards))
    lines = await _recent(request, worker)
    return render(
        request,
        "study.html",
        view=view,
        cards=shown,
        lines=lines,
        forecast=await queries.forecast_page(worker),
        tab="Study",
        here="studies",
    )


@router.get("/studies/{name}/money")
async def money(request: Request, worker: TheWorker) -> Response:
    """Return the money."""
    return render(request, "parts/money.html", view=await queries.money_page(worker))


@router.get("/studies/{name}/classifier")
async def classifier(request: Request, worker: TheWorker, positive: str = "") -> Response:
    """Return how good the classifier is now; of two labels, one may be chosen to be found."""
    found = await queries.latest_classifier(worker)
    if found.view is None:  # what is shown stays
        return Response(status_code=204)
    view = _finding(found.view, positive)
    return render(request, "parts/classifier.html", view=view, behind=found.behind)


@router.get("/studies/{name}/worth")
async def worth(request: Request, worker: TheWorker) -> Response:
    """Return what would be asked for next, and what it is compared with."""
    if not sees_labels(request):
        raise AccessError("who enters values does not see what is compared: it tells labels")
    return render(request, "parts/worth.html", view=await queries.next_page(worker))


@router.get("/studies/{name}/recent")
async def recent(request: Request, worker: TheWorker) -> Response:
    """Return what happened last."""
    view = await queries.money_page(worker)
    return render(request, "parts/recent.html", view=view, lines=await _recent(request, worker))


@router.get("/studies/{name}/about")
async def about(request: Request, worker: TheWorker, search: Text = "", page: Page = 1) -> Response:
    """Return a page of the table of features."""
    view = await queries.ledger_page(worker)
    found = await queries.latest_cells(worker)
    if found.view is None:
        return Response(status_code=204)
    cells = rows_of(found.view, search, page)
    return render(request, "parts/about.html", view=view, cells=cells, behind=found.behind)


@router.get("/studies/{name}/features")
async def features(
    request: Request, worker: TheWorker, search: Text = "", named: Text = ""
) -> Response:
    """Return the names of features to choose from."""
    found = await queries.features_found(worker, search or named)
    return render(request, "parts/features.html", names=found.names)


@router.get("/studies/{name}/worklist")
async def worklist(
    request: Request, worker: TheWorker, page: Page = 1, whole: str = ""
) -> Response:
    """Show the requests under way, page by page, or all of them, to be printed."""
    view = await queries.worklist_page(worker)
    per_page = max(1, len(view.requests)) if whole else PER_PAGE
    rows, page, pages = page_of(view.requests, page, per_page)
    shown = view.model_copy(update={"requests": rows})
    given: dict[str, Any] = {"view": shown, "page": page, "pages": pages}
    return render(request, "worklist.html", **given, tab="Work list", here="studies")


@router.get("/studies/{name}/worklist.csv")
async def worklist_file(worker: TheWorker) -> Response:
    """Return the requests under way as CSV."""
    return csv_file(await queries.worklist_file(worker), "worklist.csv")


@router.get("/studies/{name}/live")
async def live(request: Request, worker: TheWorker) -> Response:
    """Send what happens in the study, as it happens: an event for each event of the journal."""
    streams: Streams = request.app.state.streams
    now = (await worker.look()).events
    return streams.response(study_events(worker, streams, last_seen(request, now)))


def _finding(view: ClassifierView, positive: str) -> ClassifierView:
    """The same, with another label that is to be found."""
    if view.positive and positive in view.study.labels:
        return view.model_copy(update={"positive": positive})
    return view


async def _recent(request: Request, worker: TheWorker) -> tuple[HistoryLine, ...]:
    """The last events, with the requests that they are about."""
    return await queries.recent_lines(worker, _RECENT, sees_labels(request))
