"""What happened in a study: its log, and the page on which a value is corrected."""

from __future__ import annotations

from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import Response

from budgeted.addresses import segment
from budgeted.errors import BudgetedError, StudyError
from budgeted.studies.commands import Correct, amount
from budgeted.studies.events import RECORDED, TOLD, value_in_words
from budgeted.web import queries
from budgeted.web.api.bodies import TheActor, TheWorker
from budgeted.web.api.queries import csv_file
from budgeted.web.auth.roles import Role, needs, sees_labels
from budgeted.web.pages import confirm
from budgeted.web.pages.answers import Amount, Key, Text, carry_out, go, refused
from budgeted.web.pages.fields import whole_number
from budgeted.web.pages.templates import render
from budgeted.web.views.parts import request_of

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


@router.get("/studies/{name}/requests/{number}/correct", dependencies=[needs(Role.ENTERS)])
async def show_correction(request: Request, worker: TheWorker, number: int) -> Response:
    """Show the form that corrects a value."""
    snapshot = await worker.look()
    shown = request_of(snapshot.request(number), snapshot.state.problem)
    if not shown.correctable:
        raise StudyError(f"request {number} is {shown.fate}; there is nothing to correct")
    view = await queries.worklist_page(worker)
    return render(request, "correct.html", view=view, shown=shown, tab="History", here="studies")


@router.post("/studies/{name}/requests/{number}/correct", dependencies=[needs(Role.ENTERS)])
async def correct(
    request: Request,
    worker: TheWorker,
    actor: TheActor,
    number: int,
    value: Text = "",
    cost: Amount = "",
    why: Text = "",
    written: Text = "",
    force: Text = "",
    confirmed: Text = "",
    key: Key = "",
) -> Response:
    """Replace a value, once that is confirmed."""
    back = f"/studies/{segment(worker.name)}/history"
    try:
        if value != "none" and not value.startswith("="):
            raise StudyError("choose the right value, or that there is none")
        right = None if value == "none" else value[1:] or written.strip()
        study = await worker.look()
        old, problem = study.request(number), study.state.problem
        if right is not None:  # what is no value is refused before anything is asked
            right = problem.features[problem.feature_index(old.feature)].read(right, bool(force))
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
                action=f"/studies/{segment(worker.name)}/requests/{number}/correct",
                back=back,
                fields={
                    "value": value,
                    "written": written,
                    "force": force,
                    "cost": cost,
                    "why": why,
                    "key": key,
                },
            )
            if question is not None:
                return question
        wanted = Correct(number, right, cost.strip() or None, why.strip(), bool(force))
        made = await carry_out(request, worker, wanted, actor, key)
    except BudgetedError as error:
        return refused(request, error, "#correct-problem")
    if made.repeated:
        words = f"number {number} is {value_in_words(made.requests[0].value)} now"
        before = StudyError(f"this was recorded before, and is not recorded twice; {words}")
        return refused(request, before, "#correct-problem")
    return go(back)
