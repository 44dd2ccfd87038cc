"""The cards of requests: those under way, and those that were settled while a page shows them."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from budgeted.web import queries
from budgeted.web.api.bodies import TheWorker
from budgeted.web.names import segment
from budgeted.web.numerals import whole_number
from budgeted.web.pages.templates import render
from budgeted.web.worker import StudyWorker

router = APIRouter()

_MOST_SHOWN = 2_000


@router.get("/studies/{name}/cards")
async def cards(request: Request, worker: TheWorker, shown: str = "") -> Response:
    """Return the requests under way, and what became of the others that the page shows."""
    numbers = map(whole_number, shown.split(",")[:_MOST_SHOWN])
    view = await queries.cards_page(worker, tuple(each for each in numbers if each is not None))
    return render(request, "parts/cards.html", view=view, base=base_of(request, worker))


async def card(request: Request, worker: StudyWorker, number: int) -> str:
    """Return the card of one request as it is now."""
    view = await queries.cards_page(worker, (number,))
    mine = view.model_copy(
        update={"pending": [each for each in view.pending if each.number == number]}
    )
    answer = render(request, "parts/cards.html", view=mine, base=base_of(request, worker))
    return bytes(answer.body).decode()


def base_of(request: Request, worker: StudyWorker) -> str:
    """Return the address of a study, as its pages know it."""
    root: str = getattr(request.state, "root", "")
    return f"{root}/studies/{segment(worker.name)}"
