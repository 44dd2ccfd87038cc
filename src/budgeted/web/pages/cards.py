"""The cards of visits: what is due, and what was settled while a page shows it."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from budgeted.addresses import segment
from budgeted.errors import AccessError
from budgeted.web import queries
from budgeted.web.api.bodies import TheWorker
from budgeted.web.auth.roles import sees_labels
from budgeted.web.pages.fields import whole_number
from budgeted.web.pages.templates import render
from budgeted.web.views.cards import VISITS
from budgeted.web.worker import StudyWorker

router = APIRouter()

_MOST_SHOWN = 2_000


@router.get("/studies/{name}/cards")
async def cards(request: Request, worker: TheWorker, shown: str = "", cards: str = "") -> Response:
    """Return what is due, and what became of the requests that the page shows."""
    numbers = map(whole_number, shown.split(",")[:_MOST_SHOWN])
    kept = tuple(each for each in numbers if each is not None)
    view = await queries.cards_page(worker, kept, most_visits(cards))
    return render(request, "parts/cards.html", cards=view, base=base_of(request, worker))


@router.get("/studies/{name}/requests/{number}/why")
async def why(request: Request, worker: TheWorker, number: int) -> Response:
    """Return what was compared when something was asked for."""
    view = await queries.why_page(worker, number)
    if not sees_labels(request):
        raise AccessError("who enters values does not see why, because that tells the label")
    return render(request, "parts/why.html", view=view)


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
