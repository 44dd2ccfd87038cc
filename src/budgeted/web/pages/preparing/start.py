"""Where a new study starts: a list of cases, a study file, or one begun before."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from datetime import date
from pathlib import PurePath
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response
from starlette.datastructures import FormData, UploadFile

from budgeted.errors import BudgetedError
from budgeted.listing import shortened
from budgeted.studies.example import STUDY
from budgeted.studies.files import parse_toml
from budgeted.studies.preparing import Preparation, Table, read_table
from budgeted.web.api.bodies import TheActor, TheWorkers
from budgeted.web.auth.roles import Role, needs
from budgeted.web.hints import words
from budgeted.web.pages.answers import REFUSED
from budgeted.web.pages.fields import content_of, text_of
from budgeted.web.pages.preparing.drafts import (
    TheDraft,
    ThePreparations,
    mistakes_at,
    onward,
    page,
    to,
)
from budgeted.web.pages.templates import render
from budgeted.web.preparations import Draft
from budgeted.web.settings import Limits

router = APIRouter(dependencies=[needs(Role.MANAGES)])

CASES_TEMPLATE = (
    "case,label,group,ferritin (µg/l),crp\n"
    "P01,iron-deficiency,north,12.5,normal\n"
    "P02,chronic-disease,south,,raised\n"
    "P03,iron-deficiency,north,,\n"
)


@router.get("/studies/new")
async def start(request: Request, kept: ThePreparations, actor: TheActor) -> Response:
    """Show how a study can start."""
    return await _start(request, kept, actor, [], 200)


@router.post("/new")
async def from_cases(
    request: Request, kept: ThePreparations, actor: TheActor, workers: TheWorkers
) -> Response:
    """Take a list of cases."""
    form = await request.form()
    try:
        table = await table_in(form, "cases", workers.settings.limits)
        if table is None:
            raise BudgetedError("choose the file with the list of cases")
        name = text_of(form, "name") or _stem(form, "cases")
        made = await asyncio.to_thread(Preparation({"name": name}).with_table, table)
        draft = await kept.create(actor, made)
    except BudgetedError as error:
        return await _start(request, kept, actor, words(error), REFUSED)
    return to(draft, "columns")


@router.post("/new/file")
async def from_file(request: Request, kept: ThePreparations, actor: TheActor) -> Response:
    """Take a study file, to go through it step by step."""
    form = await request.form()
    try:
        content = await content_of(form, "study_file")
        if content is None:
            raise BudgetedError("choose the study file")
        plain = {"name": _stem(form, "study_file")} | parse_toml(content, "study file")
        draft = await kept.create(actor, Preparation(_without_days(plain), filled=True))
    except BudgetedError as error:
        return await _start(request, kept, actor, words(error), REFUSED)
    return to(draft, "cases")


@router.get("/new/{id}/cases")
async def cases(
    request: Request, workers: TheWorkers, draft: TheDraft, checked: str = ""
) -> Response:
    """Show the list of cases, which may be exchanged."""
    wrong = await mistakes_at(draft, workers, "cases") if checked else []
    return page(request, draft, "cases", mistakes=shortened(wrong))


@router.post("/new/{id}/cases")
async def take_cases(
    request: Request, kept: ThePreparations, actor: TheActor, workers: TheWorkers, draft: TheDraft
) -> Response:
    """Take another list of cases, and the name of the study."""
    form = await request.form()
    try:
        table = await table_in(form, "cases", workers.settings.limits)
        async with kept.changing(draft.id, actor) as held:
            draft = await asyncio.to_thread(_with_cases, held[0], text_of(form, "name"), table)
            held[0] = draft
    except BudgetedError as error:
        return page(request, draft, "cases", status=REFUSED, mistakes=words(error))
    if draft.made.table is None:
        missing = ["choose the file with the list of cases"]
        return page(request, draft, "cases", status=REFUSED, mistakes=missing)
    return onward(draft, "cases", form, wrong=False)


@router.post("/new/{id}/remove")
async def remove(kept: ThePreparations, actor: TheActor, id: str) -> Response:
    """Put a study in preparation away."""
    await kept.remove(id, actor)
    return RedirectResponse("/studies/new", status_code=303)


@router.get("/new/template.csv")
async def cases_template() -> Response:
    """Return a list of cases to fill in."""
    return download("\ufeff" + CASES_TEMPLATE, "cases.csv", "text/csv")


@router.get("/new/template.toml")
async def study_template() -> Response:
    """Return a study file with comments."""
    return download(STUDY, "study.toml", "application/toml")


def download(text: str, name: str, kind: str) -> Response:
    """Return a file to be kept."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text.encode(), media_type=f"{kind}; charset=utf-8", headers=headers)


async def table_in(form: FormData, key: str, limits: Limits) -> Table | None:
    """Return the table that somebody chose; None if there is none."""
    content = await content_of(form, key)
    if content is None:
        return None
    return await asyncio.to_thread(read_table, content, "the file", limits.rows, limits.cells)


async def _start(
    request: Request, kept: ThePreparations, actor: str, mistakes: list[str], status: int
) -> Response:
    drafts = await kept.of(actor)
    return render(
        request, "preparing/start.html", status=status, drafts=drafts, mistakes=mistakes,
        here="studies",
    )  # fmt: skip


def _with_cases(draft: Draft, name: str, table: Table | None) -> Draft:
    made = draft.made.with_plain(name=name or draft.name)
    return replace(draft, made=made if table is None else made.with_table(table))


def _stem(form: FormData, key: str) -> str:
    given = form.get(key)
    name = given.filename if isinstance(given, UploadFile) else ""
    stem = PurePath((name or "").replace("\\", "/")).stem
    return "".join(each for each in stem if each.isprintable())[:100]


def _without_days(plain: dict[str, Any]) -> dict[str, Any]:
    """Return what a study file holds as JSON has it: days become text."""

    def as_text(value: object) -> str:
        return value.isoformat() if isinstance(value, date) else str(value)

    made: dict[str, Any] = json.loads(json.dumps(plain, default=as_text))
    return made
