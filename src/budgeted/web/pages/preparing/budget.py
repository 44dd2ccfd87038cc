"""The budget and the settings of a new study; then it is looked over, and begins."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response
from starlette.datastructures import FormData

from budgeted.addresses import segment
from budgeted.errors import BudgetedError
from budgeted.simulation.tables.contents import by_number_then_text
from budgeted.studies.preparing.amounts import shown_number
from budgeted.studies.preparing.money_terms import (
    BUDGET_FIELDS,
    budget_fields,
    budget_of,
    rate_of,
    whole,
)
from budgeted.studies.preparing.preparation import Preparation
from budgeted.studies.preparing.steps import placed
from budgeted.value.loss import LOSSES
from budgeted.web.api.bodies import TheActor, TheWorkers
from budgeted.web.auth.roles import Role, needs
from budgeted.web.hints import words
from budgeted.web.pages.answers import REFUSED
from budgeted.web.pages.fields import clipped, text_of
from budgeted.web.pages.preparing.drafts import (
    TheDraft,
    ThePreparations,
    download,
    mistakes_at,
    onward,
    page,
    table_in,
    to,
    understood,
)
from budgeted.web.preparations import Draft
from budgeted.web.views.preparing import mended, overview, tests_in_words
from budgeted.web.views.studies import policy_choices
from budgeted.web.workers import StudyWorkers

router = APIRouter(dependencies=[needs(Role.MANAGES)])
_MOST_LABELS = 50
_MOST_MISTAKES = _MOST_TESTS = 25


@router.get("/new/{id}/budget")
async def budget(
    request: Request, workers: TheWorkers, draft: TheDraft, checked: str = ""
) -> Response:
    """Show the budget and the settings."""
    wrong = await mistakes_at(draft, workers, "budget") if checked else []
    return _page(request, draft, wrong, 200)


@router.post("/new/{id}/budget")
async def take_budget(
    request: Request, kept: ThePreparations, actor: TheActor, workers: TheWorkers, draft: TheDraft
) -> Response:
    """Keep the budget and the settings."""
    form = await request.form()
    try:
        table = await table_in(form, "validation", workers.settings.limits)
        async with kept.changing(draft.id, actor) as held:
            made = await asyncio.to_thread(_settled, held[0].made, form)
            judge = None if text_of(form, "no_validation") else table or held[0].validation
            draft = held[0] = replace(held[0], made=made, validation=judge)
    except BudgetedError as error:
        return _page(
            request, draft, [f"validation cases: {each}" for each in words(error)], REFUSED
        )
    wrong = await mistakes_at(draft, workers, "budget")
    return onward(draft, "budget", form, wrong=bool(wrong))


def _page(request: Request, draft: Draft, wrong: list[str], status: int) -> Response:
    made = draft.made
    labels = labels_of(made)
    prior = made.plain.get("prior", [])
    shares = [shown_number(each, made.decimal) for each in prior] if isinstance(prior, list) else []
    shares += [""] * len(labels)
    counts = [made.labels.count(each) for each in labels]
    chooser = made.plain.get("policy", {})
    return page(
        request, draft, "budget", status=status, mistakes=wrong,
        budget=budget_fields(made.plain.get("budget"), made.decimal),
        labels=list(zip(labels, counts, shares, strict=False))[:_MOST_LABELS],
        cases=len(made.labels), policies=policy_choices(), losses=list(LOSSES),
        policy=chooser.get("name", "auto") if isinstance(chooser, dict) else "auto",
    )  # fmt: skip


def labels_of(made: Preparation) -> list[str]:
    """Return the labels: those that were said, or those of the cases."""
    said = made.plain.get("labels")
    if isinstance(said, list) and said and all(isinstance(each, str) for each in said):
        return said
    return sorted({*made.labels} - {""}, key=by_number_then_text)


def _settled(made: Preparation, form: FormData) -> Preparation:
    fields = {key: text_of(form, f"budget_{key}") for key in BUDGET_FIELDS}
    keys: dict[str, Any] = {
        "budget": budget_of(fields, made.decimal, made.plain.get("budget")),
        "case_rule": text_of(form, "case_rule") or None,
        "loss": text_of(form, "loss") or "gini",
    }
    seed = whole(text_of(form, "seed") or "0")
    keys["seed"] = clipped(seed) if isinstance(seed, str) else seed
    before = made.plain.get("policy", {})
    name = text_of(form, "policy") or "auto"
    same = isinstance(before, dict) and before.get("name", "auto") == name
    keys["policy"] = before if same and before else {"name": name}
    labels = labels_of(made)
    typed = [text_of(form, f"share-{at}") for at in range(min(len(labels), _MOST_LABELS))]
    if any(typed):
        keys |= {"labels": labels, "prior": [_share(each, made.decimal) for each in typed]}
    elif len(labels) <= _MOST_LABELS:
        keys["prior"] = None
        if not made.filled:
            keys["labels"] = None
    return made.with_plain(**keys)


def _share(typed: str, decimal: str) -> float | str:
    try:
        return float(rate_of(typed, decimal))
    except ValueError:
        return typed  # the check of the study says what is wrong with it


@router.get("/new/{id}/preview")
async def preview(request: Request, workers: TheWorkers, draft: TheDraft) -> Response:
    """Show everything in words."""
    if draft.begun:
        return RedirectResponse(_study(draft.begun), status_code=303)
    return await _looked_over(request, workers, draft, [], 200)


@router.post("/new/{id}/begin")
async def begin(
    request: Request, kept: ThePreparations, actor: TheActor, workers: TheWorkers, id: str
) -> Response:
    """Begin the study, once however often this comes; or show what is to be mended."""
    async with kept.changing(id, actor) as held:  # who presses twice waits here
        draft = held[0]
        if draft.begun:
            return RedirectResponse(_study(draft.begun), status_code=303)
        found, wrong = await understood(draft, workers)
        if wrong:
            return await _looked_over(request, workers, draft, [], REFUSED)
        try:
            worker = await workers.create(found.checked(), by=actor, validation=found.validation)
        except BudgetedError as error:
            return await _looked_over(request, workers, draft, words(error), REFUSED)
        with suppress(OSError):  # it is only shown
            await kept.name_currency(worker.name, draft.made.currency)
        held[0] = replace(
            draft, begun=worker.name, made=Preparation({"name": worker.name}), validation=None
        )
    return RedirectResponse(_study(worker.name), status_code=303)


@router.get("/new/{id}/study.toml")
async def study_file(draft: TheDraft) -> Response:
    """Return the study file, as the command line takes it."""
    if draft.begun:
        return to(draft, "preview")
    return download(draft.made.to_toml(), "study.toml", "application/toml")


@router.get("/new/{id}/cases.csv")
async def cases_file(draft: TheDraft) -> Response:
    """Return the list of cases that goes with it."""
    if draft.begun or draft.made.mistakes():
        return to(draft, "preview")
    return download(draft.made.to_csv().decode(), "cases.csv", "text/csv")


async def _looked_over(
    request: Request, workers: StudyWorkers, draft: Draft, said: list[str], status: int
) -> Response:
    found, wrong = await understood(draft, workers)
    if not wrong:
        named = (await workers.without_taken_name(found)).study_mistakes
        wrong = [placed(each, draft.made.plain) for each in named]
    return page(
        request, draft, "preview", status=status, mistakes=said, view=overview(found),
        ready=not wrong, mended=mended(wrong), most=_MOST_MISTAKES,
        tests=tests_in_words(draft.made, _MOST_TESTS),
    )  # fmt: skip


def _study(name: str) -> str:
    return f"/studies/{segment(name)}"
