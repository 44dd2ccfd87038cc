"""Rehearsals: policies spend pretended money on a table whose answers are all known."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.datastructures import FormData

from budgeted.errors import BudgetedError, ExperimentError
from budgeted.web import queries
from budgeted.web.api.bodies import TheActor, TheRehearsals
from budgeted.web.api.live import watched_rehearsal
from budgeted.web.auth.roles import Role, needs
from budgeted.web.jobs import Wanted
from budgeted.web.numerals import whole_number
from budgeted.web.pages.answers import go, refused
from budgeted.web.pages.fields import content_of, parts_of, text_of
from budgeted.web.pages.idempotency import Once, held_in
from budgeted.web.pages.templates import render

router = APIRouter(prefix="/rehearsals")


@router.get("")
async def rehearsals(request: Request, kept: TheRehearsals) -> Response:
    """Show all rehearsals, and the form for a new one."""
    view = queries.rehearsals_page(kept)
    return render(request, "rehearsals.html", view=view, here="rehearsals")


@router.post("", dependencies=[needs(Role.MANAGES)])
async def create(request: Request, kept: TheRehearsals, actor: TheActor) -> Response:
    """Begin a rehearsal."""
    form = await request.form()

    async def begin() -> str:
        job = await kept.create(_wanted(form), await _table(form), by=actor)
        return f"/rehearsals/{job.id}"

    once: Once = request.app.state.once
    try:
        address = await once.lead(text_of(form, "key"), await held_in(form, actor), begin)
    except BudgetedError as error:
        return refused(request, error, "#problem")
    return go(request, address)


@router.get("/{id}")
async def rehearsal(request: Request, kept: TheRehearsals, id: str) -> Response:
    """Show a rehearsal."""
    view = await queries.rehearsal_page(kept, id)
    return render(request, "rehearsal.html", view=view, here="rehearsals")


@router.get("/{id}/results")
async def results(request: Request, kept: TheRehearsals, id: str) -> Response:
    """Return how far it is, and what its runs say so far."""
    view = await queries.rehearsal_page(kept, id)
    return render(request, "parts/results.html", view=view)


@router.post("/{id}/cancel", dependencies=[needs(Role.MANAGES)])
async def cancel(request: Request, kept: TheRehearsals, id: str) -> Response:
    """Stop a rehearsal."""
    try:
        await kept.cancel(id)
    except BudgetedError as error:
        return refused(request, error, "#problem")
    return go(request, f"/rehearsals/{id}")


@router.get("/{id}/live")
async def live(request: Request, kept: TheRehearsals, id: str) -> Response:
    """Send how far it is, as it goes on."""
    return await watched_rehearsal(request, kept, id)


def _wanted(form: FormData) -> Wanted:
    runs = whole_number(text_of(form, "runs"))
    seed = whole_number(text_of(form, "seed") or "0")
    if runs is None or seed is None:
        raise ExperimentError(["runs and seed: must be whole numbers"])
    return Wanted(
        title=text_of(form, "title"),
        label=text_of(form, "label"),
        ignore=tuple(parts_of(text_of(form, "ignore"))),
        policies=tuple(str(each) for each in form.getlist("policies")),
        budgets=tuple(parts_of(text_of(form, "budgets"))),
        runs=runs,
        seed=seed,
        costs=_costs(text_of(form, "cost") or "1", text_of(form, "costs")),
        missing=text_of(form, "missing") or "no value",
    )


def _costs(every: str, lines: str) -> str | dict[str, str]:
    """One price for all, or a price for each feature, a line each."""
    named = {}
    for line in lines.splitlines():
        name, mark, price = line.rpartition("=")
        if mark:
            named[name.strip()] = price.strip()
        elif line.strip():
            raise ExperimentError([f"prices: a line must be name = price, got {line.strip()!r}"])
    return named or every


async def _table(form: FormData) -> bytes:
    table = await content_of(form, "table")
    if table is None:
        raise ExperimentError(["choose the table to rehearse on"])
    return table
