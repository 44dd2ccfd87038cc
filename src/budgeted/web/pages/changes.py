"""The forms of a study page: each asks the worker for one thing and says what became of it."""

from __future__ import annotations

from fastapi import APIRouter, Request, UploadFile
from fastapi.responses import Response

from budgeted.addresses import segment
from budgeted.errors import BudgetedError, StudyError
from budgeted.problem import Firm, money
from budgeted.studies.commands import (
    Cancel,
    Close,
    Fail,
    Record,
    RecordedValue,
    SetBudget,
    Tell,
    Undo,
    Withdraw,
)
from budgeted.studies.commands import amount as amount_of
from budgeted.studies.drafts import Done
from budgeted.studies.erasure import STILL_THERE
from budgeted.web.api.bodies import TheActor, TheWorker, TheWorkers
from budgeted.web.auth.roles import Role, needs
from budgeted.web.pages import confirm
from budgeted.web.pages.answers import (
    Amount,
    Key,
    Text,
    beside,
    carry_out,
    done,
    go,
    refused,
)
from budgeted.web.pages.fields import whole_number
from budgeted.web.pages.study import card
from budgeted.web.worker import StudyWorker

router = APIRouter()


@router.post("/studies/{name}/requests/{number}/tell", dependencies=[needs(Role.ENTERS)])
async def tell(
    request: Request,
    worker: TheWorker,
    actor: TheActor,
    number: int,
    value: Text = "",
    cost: Amount = "",
    force: Text = "",
    key: Key = "",
) -> Response:
    """Write down the value of a request."""
    try:
        if not value:
            raise StudyError("choose the value that came back")
        wanted = Tell(number, value, cost.strip() or None, bool(force))
        made = await carry_out(request, worker, wanted, actor, key)
    except BudgetedError as error:
        # Beside the price, where one was typed.
        return refused(request, error, f"#card-{number}-{'cost-' if cost.strip() else ''}problem")
    return await _settled(request, worker, made)


@router.post("/studies/{name}/requests/{number}/fail", dependencies=[needs(Role.ENTERS)])
async def fail(
    request: Request,
    worker: TheWorker,
    actor: TheActor,
    number: int,
    charged: Text = "no",
    amount: Amount = "",
    unusable: Text = "",
    why: Text = "",
    key: Key = "",
) -> Response:
    """Write down that a request brought no value."""
    bill: bool | str = charged == "yes"
    try:
        if charged == "other":
            if not amount.strip():
                raise StudyError("say how much was charged")
            bill = amount.strip()
        failed = Fail(number, bill, not unusable, why.strip())
        made = await carry_out(request, worker, failed, actor, key)
    except BudgetedError as error:
        return refused(request, error, f"#card-{number}-fail-problem")
    return await _settled(request, worker, made)


@router.post("/studies/{name}/requests/{number}/cancel", dependencies=[needs(Role.MANAGES)])
async def cancel(
    request: Request, worker: TheWorker, actor: TheActor, number: int, why: Text = "", key: Key = ""
) -> Response:
    """Take back a request."""
    try:
        made = await carry_out(request, worker, Cancel(number, why.strip()), actor, key)
    except BudgetedError as error:
        return refused(request, error, f"#card-{number}-problem")
    return await _settled(request, worker, made)


@router.post("/studies/{name}/requests/{number}/undo", dependencies=[needs(Role.ENTERS)])
async def undo(
    request: Request,
    worker: TheWorker,
    actor: TheActor,
    number: int,
    shown: Text = "",
    origin: Text = "",
    key: Key = "",
) -> Response:
    """Take back that a request was told, failed or cancelled, if it still is as was shown."""
    in_list = origin in ("history", "case")
    try:
        made = await carry_out(request, worker, Undo(number, shown=shown), actor, key)
    except BudgetedError as error:
        place = "#undo-problem" if in_list else f"#card-{number}-problem"
        return refused(request, error, place)
    if in_list:
        back = f"{_back(worker)}/history"
        if origin == "case":
            back = _page_of(worker, made.requests[0].case)
        return go(back)
    return await _settled(request, worker, made)


@router.post("/studies/{name}/record", dependencies=[needs(Role.ENTERS)])
async def record(
    request: Request,
    worker: TheWorker,
    actor: TheActor,
    case: Text = "",
    what: Text = "",
    named: Text = "",
    written: Text = "",
    charge: Text = "",
    force: Text = "",
    key: Key = "",
) -> Response:
    """Write down a value that nobody asked for: chosen from a list, or named and written."""
    try:
        chosen, _, value = what.partition("=")
        position = whole_number(chosen)
        features = (await worker.look()).state.problem.features
        if not named and (position is None or position >= len(features)):
            raise StudyError("choose the feature and its value")
        feature = named.strip() or features[position or 0].name
        told = value or written.strip()
        values = [RecordedValue(case.strip(), feature, told)]
        wanted = Record(values, charge.strip() or False, bool(force))
        made = await carry_out(request, worker, wanted, actor, key)
    except BudgetedError as error:
        return refused(request, error, "#record-problem")
    words = _became(made) if made.requests else "This value is there already."
    return _shown(request, worker, words, made.repeated, money=_money(made))


@router.post("/studies/{name}/budget", dependencies=[needs(Role.MANAGES)])
async def budget(
    request: Request,
    worker: TheWorker,
    actor: TheActor,
    budget: Amount = "",
    why: Text = "",
    confirmed: Text = "",
    key: Key = "",
) -> Response:
    """Change the budget; less money is confirmed first."""
    try:
        wanted, study = amount_of("budget", budget.strip()), await worker.look()
        state = study.state
        firm = isinstance(state.problem.terms, Firm)
        if firm and money.add(state.spent, state.reserved) <= wanted < state.problem.budget:
            sentences = confirm.of_less_money(study, wanted)
            question = confirm.ask_first(
                request,
                study,
                sentences,
                confirmed,
                title="Less money?",
                button="Lower the budget",
                action=f"{_back(worker)}/budget",
                back=_manage(worker),
                fields={"budget": budget, "why": why, "key": key},
            )
            if question is not None:
                return question
        made = await carry_out(request, worker, SetBudget(budget.strip(), why.strip()), actor, key)
    except BudgetedError as error:
        return refused(request, error, "#budget-problem")
    words = f"The budget was set to {made.state.problem.terms.words()}."
    return _shown(request, worker, words, made.repeated, "#budget-problem", _money(made))


@router.post("/studies/{name}/withdraw", dependencies=[needs(Role.MANAGES)])
async def withdraw(
    request: Request,
    worker: TheWorker,
    actor: TheActor,
    case: Text = "",
    forget: Text = "",
    why: Text = "",
    confirmed: Text = "",
    key: Key = "",
) -> Response:
    """Take a case out for good, once that is confirmed."""
    name, study = case.strip(), await worker.look()
    try:
        known = name in study.cases
        new = name not in study.withdrawn and not study.closed
        if known and (new or forget):
            sentences = confirm.of_withdrawing(study, name, bool(forget))
            question = confirm.ask_first(
                request,
                study,
                sentences,
                confirmed,
                title=f"Withdraw case {name}?",
                button="Withdraw it for good",
                action=f"{_back(worker)}/withdraw",
                back=_page_of(worker, name),
                fields={"case": case, "forget": forget, "why": why, "key": key},
            )
            if question is not None:
                return question
        made = await carry_out(
            request, worker, Withdraw(name, bool(forget), why.strip()), actor, key
        )
    except BudgetedError as error:
        return refused(request, error, "#withdraw-problem")
    words = f"Case {name} is withdrawn."
    if forget:
        words += f" Its values are shown nowhere any more. {STILL_THERE}"
    return _shown(request, worker, words, made.repeated, "#withdraw-problem", _money(made))


@router.post("/studies/{name}/close", dependencies=[needs(Role.MANAGES)])
async def close(
    request: Request,
    worker: TheWorker,
    actor: TheActor,
    why: Text = "",
    confirmed: Text = "",
    key: Key = "",
) -> Response:
    """End a study, once that is confirmed."""
    study = await worker.look()
    try:
        if not study.closed and not study.state.pending:
            sentences = confirm.of_closing(study)
            question = confirm.ask_first(
                request,
                study,
                sentences,
                confirmed,
                title="Close the study?",
                button="Close it",
                action=f"{_back(worker)}/close",
                back=_manage(worker),
                fields={"why": why, "key": key},
            )
            if question is not None:
                return question
        made = await carry_out(request, worker, Close(why.strip()), actor, key)
    except BudgetedError as error:
        return refused(request, error, "#close-problem")
    if made.repeated:
        return _shown(request, worker, "The study is closed.", True, "#close-problem")
    return go(_manage(worker))


@router.post("/studies/{name}/validation", dependencies=[needs(Role.MANAGES)])
async def validate(
    request: Request, worker: TheWorker, workers: TheWorkers, validation: UploadFile
) -> Response:
    """Take a file of cases to measure the error on."""
    try:
        await workers.judge_on(worker.name, await validation.read())
    except BudgetedError as error:
        return refused(request, error, "#validation-problem")
    return go(_manage(worker))


async def _settled(request: Request, worker: StudyWorker, made: Done) -> Response:
    """The card of a request as it is now; it takes the place of the old one."""
    content = await card(request, worker, made.requests[0].number)
    return done(_said(made), worker.seq, content, made.repeated)


def _shown(
    request: Request,
    worker: StudyWorker,
    words: str,
    repeated: bool,
    place: str = "",
    money: str = "",
) -> Response:
    """What was done, beside the form that it was done with.

    It stays there, so it says nothing of the money, which others spend too; that is said once.
    """
    said = f"{words} {money}".strip()
    return done(said, worker.seq, beside(request, words), repeated, place)


def _back(worker: StudyWorker) -> str:
    return f"/studies/{segment(worker.name)}"


def _manage(worker: StudyWorker) -> str:
    return f"{_back(worker)}/manage"


def _page_of(worker: StudyWorker, case: str) -> str:
    return f"{_back(worker)}/cases/{segment(case)}"


def _said(made: Done) -> str:
    """What became of a request, and the money, in words."""
    return f"{_became(made)} {_money(made)}"


def _became(made: Done) -> str:
    each = made.requests[0]
    what = each.fate if each.value is None else f"{each.fate}, {each.value}"
    return f"Request {each.number}, {each.feature} of {each.case}: {what}."


def _money(made: Done) -> str:
    state = made.state
    return f"Spent {state.spent}, reserved {state.reserved}, free {state.free}."
