"""The list of studies, the page of one, and its parts, fetched again on news."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response

from budgeted.addresses import segment
from budgeted.errors import BudgetedError
from budgeted.web import queries
from budgeted.web.api.bodies import TheWorker, TheWorkers
from budgeted.web.api.queries import Page, Text, csv_file
from budgeted.web.auth.roles import Role, needs, sees_labels, sighted
from budgeted.web.pages.answers import refused
from budgeted.web.pages.fields import whole_number
from budgeted.web.pages.templates import render
from budgeted.web.sse import Streams, last_seen, study_events
from budgeted.web.views.cards import VISITS
from budgeted.web.views.case import PER_PAGE, page_of, rows_of
from budgeted.web.views.classifier import ClassifierView
from budgeted.web.views.history import HistoryLine
from budgeted.web.worker import StudyWorker

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
        forecast=await queries.forecast_page(worker) if sees_labels(request) else None,
        tab="Study",
        here="studies",
    )


@router.get("/studies/{name}/money")
async def money(request: Request, worker: TheWorker) -> Response:
    """Return the money."""
    return render(request, "parts/money.html", view=await queries.money_page(worker))


@router.get("/studies/{name}/classifier", dependencies=[Depends(sighted)])
async def classifier(request: Request, worker: TheWorker, positive: str = "") -> Response:
    """Return how good the classifier is now; of two labels, one may be chosen to be found."""
    found = await queries.latest_classifier(worker)
    if found.view is None:  # what is shown stays
        return Response(status_code=204)
    view = _finding(found.view, positive)
    return render(request, "parts/classifier.html", view=view, behind=found.behind)


@router.get("/studies/{name}/worth", dependencies=[Depends(sighted)])
async def worth(request: Request, worker: TheWorker) -> Response:
    """Return what would be asked for next, and what it is compared with."""
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


_MOST_SHOWN = 2_000


@router.get("/studies/{name}/cards")
async def cards(request: Request, worker: TheWorker, shown: str = "", cards: str = "") -> Response:
    """Return what is due, and what became of the requests that the page shows."""
    numbers = map(whole_number, shown.split(",")[:_MOST_SHOWN])
    kept = tuple(each for each in numbers if each is not None)
    view = await queries.cards_page(worker, kept, most_visits(cards))
    return render(request, "parts/cards.html", cards=view, base=base_of(request, worker))


@router.get("/studies/{name}/requests/{number}/why", dependencies=[Depends(sighted)])
async def why(request: Request, worker: TheWorker, number: int) -> Response:
    """Return what was compared when something was asked for."""
    return render(request, "parts/why.html", view=await queries.why_page(worker, number))


async def card(request: Request, worker: StudyWorker, number: int) -> str:
    """Return the card of one request as it is now."""
    view = await queries.cards_page(worker, (number,), 0)
    mine = [
        visit.model_copy(update={"requests": [each]})
        for visit in view.visits
        for each in visit.requests
        if each.number == number
    ]
    found = view.model_copy(update={"visits": mine})
    answer = render(request, "parts/cards.html", cards=found, base=base_of(request, worker))
    return bytes(answer.body).decode()


def most_visits(text: str) -> int:
    """Return how many cases an address wants to see; the usual number unless it says one.

    >>> most_visits("24"), most_visits(""), most_visits("many"), most_visits("1000000")
    (24, 12, 12, 2000)
    """
    return min(whole_number(text) or VISITS, _MOST_SHOWN)


def base_of(request: Request, worker: StudyWorker) -> str:
    """Return the address of a study, as its pages know it."""
    root: str = getattr(request.state, "root", "")
    return f"{root}/studies/{segment(worker.name)}"


@router.get("/studies/{name}/forecast", dependencies=[Depends(sighted)])
async def forecast(request: Request, worker: TheWorker, have: Text = "") -> Response:
    """Return what there is of a forecast; nothing to a page that has the same already."""
    view = await queries.forecast_page(worker)
    if have == view.version:
        return Response(status_code=204)
    return render(request, "parts/forecast.html", view=view)


@router.post("/studies/{name}/forecast", dependencies=[needs(Role.LOOKS), Depends(sighted)])
async def begin(request: Request, worker: TheWorker) -> Response:
    """Have a forecast made, or a better one of the same events."""
    try:
        view = await queries.begin_forecast(worker)
    except BudgetedError as error:
        return refused(request, error, "#forecast-problem")
    return render(request, "parts/forecast.html", view=view)


@router.get("/")
async def first() -> Response:
    """Lead to the studies."""
    return RedirectResponse("/studies", status_code=307)


@router.get("/studies")
async def studies(
    request: Request, workers: TheWorkers, text: str = "", closed: str = "", page: str = "1"
) -> Response:
    """Show studies with their money, or those that are closed."""
    number = whole_number(page) or 1
    blind = not sees_labels(request)
    view = await queries.studies_page(workers, blind, text, bool(closed), number)
    kept = {"text": view.text, "closed": "yes" if view.closed else ""}
    query = urlencode({key: value for key, value in kept.items() if value})
    return render(
        request,
        "studies.html",
        view=view,
        query=f"{query}&" if query else "",
        here="studies",
    )
