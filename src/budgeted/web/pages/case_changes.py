"""The forms on the page of a case: record a value, rule a test out, allow it again."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from budgeted.errors import BudgetedError, StudyError
from budgeted.studies.commands import Allow, Record, RecordedValue, RuleOut
from budgeted.studies.drafts import Done
from budgeted.web.api.bodies import CaseName, TheActor, TheWorker
from budgeted.web.auth.roles import Role, needs
from budgeted.web.pages.answers import Amount, Key, Text, beside, carry_out, done, refused
from budgeted.web.worker import StudyWorker

router = APIRouter()


@router.post("/studies/{name}/cases/{case}/record", dependencies=[needs(Role.ENTERS)])
async def record(
    request: Request,
    worker: TheWorker,
    actor: TheActor,
    case: CaseName,
    test: Text = "",
    value: Text = "",
    charge: Amount = "",
    force: Text = "",
    key: Key = "",
) -> Response:
    """Write down a value of the case."""
    try:
        if not test.strip():
            raise StudyError("say of which test the value is")
        if not value.strip():
            raise StudyError("say what the value is")
        values = [RecordedValue(case, test.strip(), value.strip())]
        wanted = Record(values, _charge(charge), bool(force))
        made = await carry_out(request, worker, wanted, actor, key)
    except BudgetedError as error:
        return refused(request, error, "#record-problem")
    said = "This value is there already."
    if made.requests:
        each = made.requests[0]
        said = f"{each.feature} of {each.case}: {each.value}, {each.cost} charged."
    return _shown(request, worker, said, made, "#record-problem")


@router.post("/studies/{name}/cases/{case}/rule-out", dependencies=[needs(Role.MANAGES)])
async def rule_out(
    request: Request,
    worker: TheWorker,
    actor: TheActor,
    case: CaseName,
    test: Text = "",
    why: Text = "",
    key: Key = "",
) -> Response:
    """Say that a test cannot be had of the case."""
    try:
        if not test.strip():
            raise StudyError("say which test cannot be had")
        wanted = RuleOut(case, test.strip(), why.strip())
        made = await carry_out(request, worker, wanted, actor, key)
    except BudgetedError as error:
        return refused(request, error, "#rule-problem")
    said = f"{test.strip()} will not be asked of {case}."
    return _shown(request, worker, said, made, "#rule-problem")


@router.post("/studies/{name}/cases/{case}/allow", dependencies=[needs(Role.MANAGES)])
async def allow(
    request: Request,
    worker: TheWorker,
    actor: TheActor,
    case: CaseName,
    test: Text = "",
    why: Text = "",
    key: Key = "",
) -> Response:
    """Let a test be asked of the case again."""
    try:
        wanted = Allow(case, test.strip(), why.strip())
        made = await carry_out(request, worker, wanted, actor, key)
    except BudgetedError as error:
        return refused(request, error, "#tests-problem")
    said = f"{test.strip()} may be asked of {case} again."
    return _shown(request, worker, said, made, "#tests-problem")


def _charge(text: str) -> bool | str:
    """What a value costs: nothing, what the list says, or an amount."""
    typed = text.strip()
    return typed == "list" or typed or False


def _shown(request: Request, worker: StudyWorker, said: str, made: Done, place: str) -> Response:
    return done(said, worker.seq, beside(request, said), made.repeated, place)
