"""The forms of a study page: each asks the desk for one thing and says what became of it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request, UploadFile
from fastapi.responses import Response

from budgeted.errors import BudgetedError, StudyError
from budgeted.web import hints, reading
from budgeted.web.api.given import TheActor, TheDesk, TheOffice
from budgeted.web.desk import Desk, Done
from budgeted.web.names import segment
from budgeted.web.pages.answers import done, go, refused
from budgeted.web.pages.templates import render
from budgeted.web.views.parts import RequestView, request_of

router = APIRouter()

Text = Annotated[str, Form()]


@router.post("/studies/{name}/ask")
async def ask(request: Request, desk: TheDesk, actor: TheActor, n: Text) -> Response:
    """Ask for the next requests."""
    try:
        if not n.strip().isdecimal():
            raise StudyError(f"how many: must be a whole number from 1, got {n!r}")
        asked = (await desk.ask(int(n), by=actor)).requests
    except BudgetedError as error:
        return refused(request, error, "#asked")
    if not asked:
        words = "Nothing more can be bought with the free money from the cases that are left."
    else:
        noun = "request" if len(asked) == 1 else "requests"
        words = f"{len(asked)} new {noun}: " + ", ".join(
            f"{each.feature} of {each.case}" for each in asked[:5]
        ) + (", …" if len(asked) > 5 else ".")  # fmt: skip
    return done(request, words, desk.seq, _back(desk))


@router.post("/studies/{name}/requests/{number}/tell")
async def tell(
    request: Request, desk: TheDesk, actor: TheActor, number: int, value: Text = "", cost: Text = ""
) -> Response:
    """Write down the value of a request."""
    try:
        if not value:
            raise StudyError("choose the value that came back")
        made = await desk.tell(number, value, cost.strip() or None, by=actor)
    except BudgetedError as error:
        return refused(request, error, f"#card-{number}-problem")
    return done(request, _said(made), desk.seq, _back(desk))


@router.post("/studies/{name}/requests/{number}/fail")
async def fail(
    request: Request,
    desk: TheDesk,
    actor: TheActor,
    number: int,
    charged: Text = "no",
    amount: Text = "",
    unusable: Text = "",
    why: Text = "",
) -> Response:
    """Write down that a request brought no value."""
    bill: bool | str = charged == "yes"
    try:
        if charged == "other":
            if not amount.strip():
                raise StudyError("say how much was charged")
            bill = amount.strip()
        made = await desk.fail(number, bill, not unusable, why.strip(), by=actor)
    except BudgetedError as error:
        return refused(request, error, f"#card-{number}-problem")
    return done(request, _said(made), desk.seq, _back(desk))


@router.post("/studies/{name}/requests/{number}/cancel")
async def cancel(
    request: Request, desk: TheDesk, actor: TheActor, number: int, why: Text = ""
) -> Response:
    """Take back a request."""
    try:
        made = await desk.cancel(number, why.strip(), by=actor)
    except BudgetedError as error:
        return refused(request, error, f"#card-{number}-problem")
    return done(request, _said(made), desk.seq, _back(desk))


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
) -> Response:
    """Replace a value."""
    try:
        if value != "none" and not value.startswith("="):
            raise StudyError("choose the right value, or that there is none")
        right = None if value == "none" else value[1:]
        await desk.correct(number, right, cost.strip() or None, why.strip(), by=actor)
    except BudgetedError as error:
        given = {"value": value, "cost": cost, "why": why}
        shown = await _request(desk, number)
        return await _correction(request, desk, shown, given, hints.words(error))
    return go(request, f"{_back(desk)}/history")


@router.post("/studies/{name}/record")
async def record(
    request: Request,
    desk: TheDesk,
    actor: TheActor,
    case: Text = "",
    what: Text = "",
    charge: Text = "0",
) -> Response:
    """Write down a value that nobody asked for."""
    try:
        position, _, value = what.partition("=")
        features = (await desk.look()).state.problem.features
        if not (position.isdecimal() and int(position) < len(features)):
            raise StudyError("choose the feature and its value")
        values = [(case.strip(), features[int(position)].name, value)]
        made = await desk.record(values, charge.strip() or "0", by=actor)
    except BudgetedError as error:
        return refused(request, error, "#record-problem")
    words = _said(made) if made.requests else "This value is there already."
    return done(request, words, desk.seq, _back(desk))


@router.post("/studies/{name}/budget")
async def budget(
    request: Request, desk: TheDesk, actor: TheActor, budget: Text = "", why: Text = ""
) -> Response:
    """Change the budget."""
    try:
        made = await desk.set_budget(budget.strip(), why.strip(), by=actor)
    except BudgetedError as error:
        return refused(request, error, "#budget-problem")
    words = f"The budget is {made.state.problem.budget} now; {made.state.free} are free."
    return done(request, words, desk.seq, _back(desk))


@router.post("/studies/{name}/withdraw")
async def withdraw(
    request: Request,
    desk: TheDesk,
    actor: TheActor,
    case: Text = "",
    forget: Text = "",
    why: Text = "",
) -> Response:
    """Take a case out for good."""
    try:
        await desk.withdraw(case.strip(), bool(forget), why.strip(), by=actor)
    except BudgetedError as error:
        return refused(request, error, "#withdraw-problem")
    return done(request, f"Case {case.strip()} is withdrawn.", desk.seq, _back(desk))


@router.post("/studies/{name}/close")
async def close(request: Request, desk: TheDesk, actor: TheActor, why: Text = "") -> Response:
    """End a study."""
    try:
        await desk.close(why.strip(), by=actor)
    except BudgetedError as error:
        return refused(request, error, "#close-problem")
    return go(request, _back(desk))


@router.post("/studies/{name}/validation")
async def validate(
    request: Request, desk: TheDesk, office: TheOffice, validation: UploadFile
) -> Response:
    """Take a file of cases to measure the error on."""
    try:
        await office.judge_on(desk.name, await validation.read())
    except BudgetedError as error:
        return refused(request, error, "#validation-problem")
    return go(request, _back(desk))


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


def _back(desk: Desk) -> str:
    return f"/studies/{segment(desk.name)}"


def _said(made: Done) -> str:
    """What became of a request, and the money, in words."""
    each, state = made.requests[0], made.state
    what = each.fate if each.value is None else f"{each.fate}, {each.value}"
    return (
        f"Request {each.number}, {each.feature} of {each.case}: {what}. Spent {state.spent}, "
        f"reserved {state.reserved}, free {state.free}."
    )
