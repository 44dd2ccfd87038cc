"""The last step: everything in words, what is to be mended, the files, and then it begins."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from budgeted.errors import BudgetedError, StorageError
from budgeted.studies.preparing.preparation import Preparation
from budgeted.studies.preparing.quotes import example_quotes
from budgeted.studies.preparing.steps import placed
from budgeted.web.api.bodies import TheActor, TheWorkers
from budgeted.web.auth.roles import Role, needs
from budgeted.web.hints import words
from budgeted.web.names import segment
from budgeted.web.pages.answers import REFUSED
from budgeted.web.pages.preparing.drafts import TheDraft, ThePreparations, page, to, understood
from budgeted.web.pages.preparing.start import download
from budgeted.web.preparations import Draft
from budgeted.web.views.preparing import mended, tests_in_words
from budgeted.web.views.uploads import preview_view
from budgeted.web.workers import StudyWorkers

router = APIRouter(dependencies=[needs(Role.MANAGES)])
_MOST_MISTAKES = _MOST_TESTS = 25


@router.get("/new/{id}/preview")
async def preview(request: Request, workers: TheWorkers, draft: TheDraft) -> Response:
    """Show everything in words."""
    if draft.begun:
        return RedirectResponse(_study(draft.begun), status_code=303)
    return await _page(request, workers, draft, [], 200)


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
            return await _page(request, workers, draft, [], REFUSED)
        try:
            worker = await workers.create(found.checked(), by=actor, validation=found.validation)
        except BudgetedError as error:
            return await _page(request, workers, draft, words(error), REFUSED)
        with suppress(StorageError):  # it is only shown
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


async def _page(
    request: Request, workers: StudyWorkers, draft: Draft, said: list[str], status: int
) -> Response:
    found, wrong = await understood(draft, workers)
    if not wrong:
        named = (await workers.without_taken_name(found)).study_mistakes
        wrong = [placed(each, draft.made.plain) for each in named]
    view = preview_view(found)
    return page(
        request, draft, "preview", status=status, mistakes=said, view=view,
        ready=not wrong and view.ready, mended=mended(wrong), most=_MOST_MISTAKES,
        tests=tests_in_words(draft.made, _MOST_TESTS), quotes=example_quotes(draft.made),
    )  # fmt: skip


def _study(name: str) -> str:
    return f"/studies/{segment(name)}"
