"""A new study on one page: a form or a file, a list of cases, a preview, and then it begins."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.datastructures import FormData

from budgeted.errors import BudgetedError
from budgeted.value.loss import LOSSES
from budgeted.web.api.bodies import TheActor, TheWorkers
from budgeted.web.auth.roles import Role, needs
from budgeted.web.names import segment
from budgeted.web.numerals import clipped, whole_number
from budgeted.web.pages.answers import REFUSED, go, is_htmx, refused
from budgeted.web.pages.fields import content_of, parts_of, text_of
from budgeted.web.pages.idempotency import Once, held_in
from budgeted.web.pages.templates import render
from budgeted.web.uploads import Understood, Upload, understand
from budgeted.web.views.studies import policy_choices
from budgeted.web.views.uploads import preview_view

router = APIRouter(dependencies=[needs(Role.MANAGES)])


@router.get("/new/at-once", dependencies=[needs(Role.MANAGES)])
async def new(request: Request) -> Response:
    """Show the form."""
    return render(
        request, "new.html", policies=policy_choices(), losses=list(LOSSES), here="studies"
    )


@router.post("/studies/preview", dependencies=[needs(Role.MANAGES)])
async def preview(request: Request, workers: TheWorkers) -> Response:
    """Show what was understood, row by row."""
    found = await workers.without_taken_name(await _understood(request, workers))
    return _preview(request, found, 200)


@router.post("/studies", dependencies=[needs(Role.MANAGES)])
async def create(request: Request, workers: TheWorkers, actor: TheActor) -> Response:
    """Begin the study, or show again what is wrong."""
    found = await _understood(request, workers)
    try:
        given = found.checked()
    except BudgetedError:
        if not is_htmx(request):
            raise
        return _preview(request, found, REFUSED)

    async def begin() -> str:
        worker = await workers.create(given, by=actor, validation=found.validation)
        return f"/studies/{segment(worker.name)}"

    once: Once = request.app.state.once
    form = await request.form()
    try:
        address = await once.lead(text_of(form, "key"), await held_in(form, actor), begin)
    except BudgetedError as error:
        return refused(request, error, "#begin-problem")
    return go(request, address)


def _preview(request: Request, found: Understood, status: int) -> Response:
    return render(request, "parts/preview.html", status=status, view=preview_view(found))


async def _understood(request: Request, workers: TheWorkers) -> Understood:
    form = await request.form()
    study: bytes | dict[str, Any] = _typed(form)
    if form.get("source") == "file":
        study = await content_of(form, "study_file") or b""
    upload = Upload(
        study,
        await content_of(form, "cases") or b"",
        text_of(form, "id_column") or "case",
        text_of(form, "label_column") or "label",
        await content_of(form, "validation"),
    )
    return await asyncio.to_thread(understand, upload, workers.settings.limits)


def _typed(form: FormData) -> dict[str, Any]:
    """What the form holds, under the keys of a study file; rows left empty are passed over."""
    rows = zip(
        *(map(str, form.getlist(f"feature_{key}")) for key in ("name", "values", "cost")),
        strict=False,
    )
    features = [
        {"name": name.strip(), "values": parts_of(values), "cost": cost.strip()}
        for name, values, cost in rows
        if (name + values + cost).strip()
    ]
    seed = text_of(form, "seed") or "0"
    number = whole_number(seed)
    typed: dict[str, Any] = {
        "name": text_of(form, "name"),
        "budget": text_of(form, "budget"),
        "loss": text_of(form, "loss") or "gini",
        "seed": clipped(seed) if number is None else number,
        "policy": {"name": text_of(form, "policy") or "auto"},
        "features": features,
    }
    labels, prior = parts_of(text_of(form, "labels")), parts_of(text_of(form, "prior"))
    if rule := text_of(form, "case_rule"):
        typed["case_rule"] = rule
    if labels:
        typed["labels"] = labels
    if prior:
        typed["prior"] = [_number(each) for each in prior]
    return typed


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text  # the check of the study says what is wrong with it
