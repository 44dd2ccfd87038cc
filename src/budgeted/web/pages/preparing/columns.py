"""The step of the columns: which of them is the case, the label, the group, a test, or nothing."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.datastructures import FormData

from budgeted.listing import shortened
from budgeted.studies.preparing.columns import IGNORED, TEST, USES
from budgeted.web.api.bodies import TheActor, TheWorkers
from budgeted.web.auth.roles import Role, needs
from budgeted.web.numerals import whole_number
from budgeted.web.pages.fields import text_of
from budgeted.web.pages.preparing.drafts import (
    TheDraft,
    ThePreparations,
    mistakes_at,
    onward,
    page,
    to,
)
from budgeted.web.preparations import Draft
from budgeted.web.views.preparing import column_rows, first_rows

router = APIRouter(dependencies=[needs(Role.MANAGES)])


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
