"""What all steps need: the study that is being prepared, what is wrong with it, and its page."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Depends, Request
from fastapi.responses import RedirectResponse, Response
from starlette.datastructures import FormData

from budgeted.studies.preparing.columns import IGNORED, TEST
from budgeted.studies.preparing.steps import STEPS, Placed
from budgeted.web.api.bodies import TheActor
from budgeted.web.numerals import whole_number
from budgeted.web.pages.fields import text_of
from budgeted.web.pages.templates import render
from budgeted.web.preparations import Draft, Preparations
from budgeted.web.prepared import checked
from budgeted.web.uploads import Understood
from budgeted.web.views.preparing import steps_of
from budgeted.web.workers import StudyWorkers


async def _preparations(request: Request) -> Preparations:
    found: Preparations = request.app.state.preparations
    return found


ThePreparations = Annotated[Preparations, Depends(_preparations)]


async def _draft(kept: ThePreparations, actor: TheActor, id: str) -> Draft:
    return await kept.find(id, actor)


TheDraft = Annotated[Draft, Depends(_draft)]


def page(request: Request, draft: Draft, step: str, *, status: int = 200, **given: Any) -> Response:
    """Show a step."""
    saved = "What you typed is saved." if "saved" in request.query_params else ""
    shared: dict[str, Any] = {"mistakes": [], "said": saved}
    return render(
        request, f"preparing/{step}.html", status=status, draft=draft, made=draft.made,
        steps=steps_of(step), here="studies", step=step, **(shared | given),
    )  # fmt: skip


def to(draft: Draft, step: str, **query: str | int) -> Response:
    """Lead to a step."""
    asked = urlencode(query)
    address = f"/new/{draft.id}/{step}{'?' if asked else ''}{asked}"
    return RedirectResponse(address, status_code=303)


def onward(draft: Draft, step: str, form: FormData, wrong: bool) -> Response:
    """Lead on after a step was saved: to the wanted page of it, or to the next, unless it is wrong.

    Parameters
    ----------
    draft, step, form
        What was saved, and where; its button says where to go.
    wrong
        Whether something is to be mended at this step.
    """
    go = text_of(form, "go")
    number = whole_number(go.removeprefix("page:"))
    if go.startswith("page:") and number is not None:
        return to(draft, step, page=number)
    if go != "next" or wrong:
        shown = whole_number(text_of(form, "page")) or 1
        kept: dict[str, str | int] = {"search": text_of(form, "search")} if "search" in form else {}
        if go != "next":
            kept["saved"] = 1
        return to(draft, step, page=shown, checked=1, **kept)
    names = list(STEPS)
    return to(draft, names[names.index(step) + 1])


async def understood(draft: Draft, workers: StudyWorkers) -> tuple[Understood, list[Placed]]:
    """Return what a study is so far, and all that is wrong with it, each with its step."""
    limits = workers.settings.limits
    return await asyncio.to_thread(checked, draft.made, draft.validation, limits)


async def mistakes_at(draft: Draft, workers: StudyWorkers, step: str) -> list[str]:
    """Return what is to be mended at a step."""
    if step in ("prices", "budget"):  # known values say nothing about these, and may be many
        made = draft.made
        uses = {name: IGNORED if use == TEST else use for name, use in made.uses.items()}
        draft = replace(draft, made=replace(made, uses=uses))
    _, wrong = await understood(draft, workers)
    return [each.words for each in wrong if each.step == step]
