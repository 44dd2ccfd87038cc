"""The page on which a value is corrected."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from budgeted.errors import BudgetedError, StudyError
from budgeted.study.decisions import amount
from budgeted.study.standing import RECORDED, TOLD
from budgeted.study.words import value_in_words
from budgeted.web import hints, reading
from budgeted.web.api.given import TheActor, TheDesk
from budgeted.web.desk import Desk
from budgeted.web.failures import status_of
from budgeted.web.names import segment
from budgeted.web.pages import confirm
from budgeted.web.pages.answers import Key, Text, done, go, is_htmx, refused
from budgeted.web.pages.templates import render
from budgeted.web.views.parts import RequestView, request_of

router = APIRouter()


@router.get("/studies/{name}/requests/{number}/correct")
async def show_correction(request: Request, desk: TheDesk, number: int) -> Response:
    """Show the form that corrects a value."""
    shown = await _request(desk, number)
    if not shown.correctable:
        raise StudyError(f"request {number} is {shown.fate}; there is nothing to correct")
    given = {"value": "none" if shown.value is None else f"={shown.value}", "cost": shown.cost,
             "why": ""}  # fmt: skip
    return await _correction(request, desk, shown, given, [])


@router.post("/studies/{name}/requests/{number}/correct")
async def correct(
    request: Request,
    desk: TheDesk,
    actor: TheActor,
    number: int,
    value: Text = "",
    cost: Text = "",
    why: Text = "",
    confirmed: Text = "",
    key: Key = "",
) -> Response:
    """Replace a value, once that is confirmed."""
    back = f"/studies/{segment(desk.name)}/history"
    try:
        if value != "none" and not value.startswith("="):
            raise StudyError("choose the right value, or that there is none")
        right = None if value == "none" else value[1:]
        study = await desk.look()
        old, problem = study.request(number), study.state.problem
        if right is not None:  # what is no value is refused before anything is asked
            problem.features[problem.feature_index(old.feature)].value_index(right)
        paid = amount("cost", cost.strip()) if cost.strip() else old.cost
        if old.fate in (TOLD, RECORDED) and (right, paid) != (old.value, old.cost):
            sentences = confirm.of_correcting(old, right, paid)
            question = confirm.ask_first(
                request,
                study,
                sentences,
                confirmed,
                title=f"Correct number {number}?",
                button="Correct it",
                action=f"/studies/{segment(desk.name)}/requests/{number}/correct",
                back=back,
                fields={"value": value, "cost": cost, "why": why, "key": key},
            )
            if question is not None:
                return question
        made = await desk.correct(number, right, cost.strip() or None, why.strip(), by=actor,
                                  key=key)  # fmt: skip
    except BudgetedError as error:
        if is_htmx(request) or status_of(error) >= 500:
            return refused(request, error, "#correct-problem")
        given = {"value": value, "cost": cost, "why": why}
        shown = await _request(desk, number)
        return await _correction(request, desk, shown, given, hints.words(error))
    if made.repeated:
        words = f"number {number} is {value_in_words(made.requests[0].value)} now"
        if is_htmx(request):
            before = StudyError(f"this was recorded before, and is not recorded twice; {words}")
            return refused(request, before, "#correct-problem")
        return done(request, f"{words.capitalize()}.", desk.seq, back, repeated=True)
    return go(request, back)


async def _request(desk: Desk, number: int) -> RequestView:
    snapshot = await desk.look()
    return request_of(snapshot.request(number), snapshot.state.problem)


async def _correction(
    request: Request, desk: Desk, shown: RequestView, given: dict[str, str], mistakes: list[str]
) -> Response:
    view = await reading.worklist_page(desk)
    return render(
        request,
        "correct.html",
        status=422 if mistakes else 200,
        view=view,
        shown=shown,
        given=given,
        mistakes=mistakes,
        tab="History",
        here="studies",
    )
