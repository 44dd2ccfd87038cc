"""The cases of a new study: their list, and what each of its columns is for."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from datetime import date
from pathlib import PurePath
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.datastructures import FormData, UploadFile

from budgeted.errors import BudgetedError
from budgeted.listing import shortened
from budgeted.studies.example import STUDY
from budgeted.studies.files import parse_toml
from budgeted.studies.preparing import Preparation, Table
from budgeted.studies.preparing.columns import IGNORED, TEST, USES
from budgeted.web.api.bodies import TheActor, TheWorkers
from budgeted.web.auth.roles import Role, needs
from budgeted.web.hints import words
from budgeted.web.pages.answers import REFUSED
from budgeted.web.pages.fields import content_of, text_of, whole_number
from budgeted.web.pages.preparing.drafts import (
    TheDraft,
    ThePreparations,
    download,
    mistakes_at,
    onward,
    page,
    table_in,
    to,
)
from budgeted.web.pages.templates import render
from budgeted.web.preparations import Draft
from budgeted.web.views.preparing import column_rows, first_rows

router = APIRouter(dependencies=[needs(Role.MANAGES)])

CASES_TEMPLATE = (
    "case,label,group,ferritin (µg/l),crp\n"
    "P01,iron-deficiency,north,12.5,normal\n"
    "P02,chronic-disease,south,,raised\n"
    "P03,iron-deficiency,north,,\n"
)


@router.get("/studies/new")
async def start(request: Request, kept: ThePreparations, actor: TheActor) -> Response:
    """Show how a study starts."""
    return await _start(request, kept, actor, [], 200)


@router.post("/new")
async def begin_preparing(
    request: Request, kept: ThePreparations, actor: TheActor, workers: TheWorkers
) -> Response:
    """Take a list of cases, and a study file that fills in the steps if there is one."""
    form = await request.form()
    try:
        table = await table_in(form, "cases", workers.settings.limits)
        if table is None:
            raise BudgetedError("choose the file with the list of cases")
        content = await content_of(form, "study_file")
        named = {"name": text_of(form, "name")} if text_of(form, "name") else {}
        plain = {"name": _stem(form, "cases")}
        if content is not None:
            plain |= _without_days(parse_toml(content, "study file"))
        made = Preparation(plain | named, filled=content is not None)
        draft = await kept.create(actor, await asyncio.to_thread(made.with_table, table))
    except BudgetedError as error:
        return await _start(request, kept, actor, words(error), REFUSED)
    return to(draft, "columns")


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


@router.get("/new/template.csv")
async def cases_template() -> Response:
    """Return a list of cases to fill in."""
    return download("\ufeff" + CASES_TEMPLATE, "cases.csv", "text/csv")


@router.get("/new/template.toml")
async def study_template() -> Response:
    """Return a study file with comments."""
    return download(STUDY, "study.toml", "application/toml")


async def _start(
    request: Request, kept: ThePreparations, actor: str, mistakes: list[str], status: int
) -> Response:
    draft = await kept.of(actor)
    return render(
        request, "preparing/start.html", status=status, draft=draft, mistakes=mistakes,
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


@router.get("/new/{id}/columns")
async def columns(
    request: Request, workers: TheWorkers, draft: TheDraft, checked: str = ""
) -> Response:
    """Show the columns, with what they are probably for."""
    if draft.made.table is None:
        return to(draft, "cases")
    number = whole_number(request.query_params.get("page", "1")) or 1
    rows, pages = await asyncio.to_thread(column_rows, draft.made, number)
    head, first = first_rows(draft.made)
    return page(
        request, draft, "columns", rows=rows, pages=pages, uses=USES, head=head, first=first,
        mistakes=shortened(await mistakes_at(draft, workers, "columns")) if checked else [],
    )  # fmt: skip


@router.post("/new/{id}/columns")
async def choose(
    request: Request, kept: ThePreparations, actor: TheActor, draft: TheDraft
) -> Response:
    """Keep what each column is for."""
    form = await request.form()
    async with kept.changing(draft.id, actor) as held:
        if held[0].made.table is None:
            return to(draft, "cases")
        draft = held[0] = await asyncio.to_thread(_chosen, held[0], form)
    return onward(draft, "columns", form, wrong=bool(draft.made.mistakes()))


def _chosen(draft: Draft, form: FormData) -> Draft:
    made = draft.made
    assert made.table is not None
    uses = {}
    for at, name in enumerate(made.table.header):
        use = text_of(form, f"use-{at}")
        # The name guards against a list that was exchanged in another window meanwhile.
        if use in USES and form.get(f"column-{at}") == name:
            uses[name] = use
    rest = text_of(form, "rest")
    if rest in (TEST, IGNORED):
        uses = {name: rest for name, use in made.uses.items() if use in (TEST, IGNORED)} | {
            name: use for name, use in uses.items() if use not in (TEST, IGNORED)
        }
    decimal = text_of(form, "decimal")
    if decimal in ("point", "comma") and decimal != made.decimal:
        # Cuts that were proposed are those of numbers that were read in another way.
        made = made.with_plain(decimal=decimal)
        if not made.filled:
            tests = {name: IGNORED for name, use in made.uses.items() if use == TEST}
            uses = dict.fromkeys(tests, TEST) | uses
            made = made.with_uses(tests)
    return replace(draft, made=made.with_uses(uses))
