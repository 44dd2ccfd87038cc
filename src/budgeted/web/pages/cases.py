"""The cases of a study, the page of one with its forms, and cases that are added.

A list that is added is pasted or uploaded, looked over row by row, and taken in. It travels along
with the preview, so that what is added is what was shown; where the study has changed so that
something else would be added, it is shown anew.
"""

from __future__ import annotations

import asyncio
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from budgeted.addresses import segment
from budgeted.errors import BudgetedError, JournalError, StudyError
from budgeted.studies.arrivals import read_arrivals
from budgeted.studies.commands import Allow, Record, RecordedValue, RuleOut
from budgeted.studies.drafts import Done
from budgeted.web import hints, queries
from budgeted.web.api.bodies import CaseName, TheActor, TheWorker
from budgeted.web.api.queries import csv_file
from budgeted.web.auth.roles import Role, needs, sees_labels
from budgeted.web.pages.answers import Amount, Key, Text, beside, carry_out, done, refused
from budgeted.web.pages.fields import content_of, whole_number
from budgeted.web.pages.templates import render
from budgeted.web.views.cases import digest_of
from budgeted.web.worker import StudyWorker

router = APIRouter()
_MANAGES = [needs(Role.MANAGES)]


@router.get("/studies/{name}/cases")
async def cases(
    request: Request,
    worker: TheWorker,
    text: str = "",
    label: str = "",
    group: str = "",
    state: str = "",
    sort: str = "",
    page: str = "1",
) -> Response:
    """Show a page of the cases."""
    filters = {"text": text, "label": label, "group": group, "state": state, "sort": sort}
    number = whole_number(page) or 1
    view = await queries.cases_page(worker, sees_labels(request), **filters, page=number)
    return render(
        request,
        "cases.html",
        view=view,
        query=_query(filters),
        tab="Cases",
        here="studies",
    )


@router.get("/studies/{name}/cases.csv")
async def cases_file(
    request: Request,
    worker: TheWorker,
    text: str = "",
    label: str = "",
    group: str = "",
    state: str = "",
    sort: str = "",
) -> Response:
    """Return the cases, or what a filter lets through, as CSV."""
    seen = sees_labels(request)
    return csv_file(
        await queries.cases_file(worker, seen, text, label, group, state, sort), "cases.csv"
    )


@router.get("/studies/{name}/cases/{case}")
async def case(
    request: Request,
    worker: TheWorker,
    case: CaseName,
    text: str = "",
    kind: str = "",
    test: str = "",
    page: str = "1",
) -> Response:
    """Show a case."""
    number = whole_number(page) or 1
    view = await queries.case_page(
        worker, case, sees_labels(request), text, kind, test.strip(), number
    )
    return render(
        request,
        "case.html",
        view=view,
        query=_query({"text": text, "kind": kind}),
        test=test,
        tab="Cases",
        here="studies",
    )


def _query(filters: dict[str, str]) -> str:
    """What stands before the number of a page in an address."""
    query = urlencode({key: value for key, value in filters.items() if value})
    return f"{query}&" if query else ""


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


@router.get("/studies/{name}/add-cases", dependencies=_MANAGES)
async def show_adding(request: Request, worker: TheWorker) -> Response:
    """Show the form for a list of cases."""
    return await _adding(request, worker)


@router.post("/studies/{name}/add-cases/preview", dependencies=_MANAGES)
async def look_over(request: Request, worker: TheWorker) -> Response:
    """Show what a list of cases would add."""
    form = await request.form()
    given = form.get("pasted", "")
    # Empty cells at the end of the last row are tabs: they stay.
    pasted = given.strip("\r\n") if isinstance(given, str) else ""
    try:
        content = await content_of(form, "file") or pasted.encode()
        if not content.strip():
            raise StudyError("choose a file, or paste a list with a header line")
        return await _adding(request, worker, _text(content))
    except BudgetedError as error:
        return await _adding(request, worker, pasted, error)


@router.post("/studies/{name}/add-cases", dependencies=_MANAGES)
async def add(
    request: Request,
    worker: TheWorker,
    actor: TheActor,
    pasted: Text = "",
    shown: Text = "",
    key: Key = "",
) -> Response:
    """Add the cases of a list that fit, if those are what was shown."""
    added = RedirectResponse(f"/studies/{segment(worker.name)}/cases?sort=last", 303)
    try:
        study = await worker.look()
        if any(entry.key == key for entry in study.entries if entry.key):
            # The list would add nothing any more, so the journal cannot tell that it is the same.
            return added
        found = await asyncio.to_thread(read_arrivals, study, pasted.encode())
        if shown != digest_of(found):
            changed = StudyError("the study has changed meanwhile; look at the list once more")
            return await _adding(request, worker, pasted, changed)
        await carry_out(request, worker, found.command, actor, key)
    except JournalError:
        raise  # what became of it is not known, or nobody can look: that is a page of its own
    except BudgetedError as error:
        return await _adding(request, worker, pasted, error)
    return added


async def _adding(
    request: Request, worker: StudyWorker, text: str = "", error: BudgetedError | None = None
) -> Response:
    found, mistakes = None, [] if error is None else hints.words(error)
    if text:
        try:
            found = await queries.arrivals_page(worker, text.encode())
        except BudgetedError as wrong:
            mistakes = mistakes or hints.words(wrong)
    return render(
        request,
        "add_cases.html",
        status=422 if mistakes else 200,
        view=await queries.manage_page(worker),
        found=found,
        pasted=text,
        mistakes=mistakes,
        tab="Cases",
        here="studies",
    )


def _text(content: bytes) -> str:
    """A list as text: UTF-8, or as old spreadsheets write it."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")
