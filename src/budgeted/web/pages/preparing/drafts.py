"""What all steps need: the study that is being prepared, what is wrong with it, and its page."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Depends, Request
from fastapi.responses import RedirectResponse, Response
from starlette.datastructures import FormData

from budgeted.studies.preparing import Preparation, Table, read_table
from budgeted.studies.preparing.columns import IGNORED, LABEL, TEST
from budgeted.studies.preparing.preparation import RESERVED
from budgeted.studies.preparing.steps import STEPS, Placed, placed
from budgeted.web.api.bodies import TheActor
from budgeted.web.pages.fields import content_of, text_of, whole_number
from budgeted.web.pages.templates import render
from budgeted.web.preparations import Draft, Preparations
from budgeted.web.settings import Limits
from budgeted.web.uploads import Row, Understood, Upload, understand
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
    """Lead on after a step was saved, as its button says: to the next unless something is wrong."""
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


def checked(
    made: Preparation, validation: Table | None, limits: Limits
) -> tuple[Understood, list[Placed]]:
    """Return what a study is so far, and all that is wrong with it, each with its step."""
    upload = Upload(
        {"budget": "", "features": [], **made.plain},
        made.to_csv(as_in_file=True) if not made.mistakes() else b"",
        validation=validation_csv(validation, made),
    )
    found = understand(upload, limits)
    wrong = [placed(each, made.plain) for each in found.study_mistakes]
    if made.table is None:
        wrong.insert(0, Placed("cases", "there is no list of cases yet"))
    elif made.mistakes():
        wrong = [Placed("columns", each) for each in made.mistakes()] + wrong
    else:
        wrong += [Placed("cases", each) for each in found.case_mistakes]
    rows = [_row(row) for row in found.rows if row.wrong]
    if rows:  # whether there are enough labels is seen when these are mended
        wrong = [each for each in wrong if not each.words.startswith("the labels: at least")]
    wrong += rows
    wrong += [
        Placed("tests", f"test {each.get('name')!r}: give it another name; a column of that name "
               "in the list of cases means something else")
        for each in made.features if each.get("name") in RESERVED
    ]  # fmt: skip
    if not made.features:
        wrong = [each for each in wrong if each.step != "tests"]
        wrong.append(Placed("tests", "there is no test yet; add one"))
    wrong += [Placed("budget", f"validation cases: {each}") for each in found.validation_mistakes]
    return found, list(dict.fromkeys(wrong))


def _row(row: Row) -> Placed:
    """What is wrong with a row: a value that its test does not have is mended at the tests."""
    case = f"case {row.case}: " if row.case else ""
    value = row.wrong.startswith("feature '")
    step = "tests" if value else "columns" if "there is no label" in row.wrong else "cases"
    said = row.wrong.removeprefix("feature ") if value else row.wrong
    return Placed(step, f"line {row.line}: {case}{'test ' if value else ''}{said}")


def validation_csv(table: Table | None, made: Preparation) -> bytes | None:
    """Return validation cases with a column ``label``, as they are checked and kept."""
    if table is None:
        return None
    label = next((name for name, use in made.uses.items() if use == LABEL), LABEL)
    uses = {name: LABEL if name == label else "test" for name in table.header}
    features = [{"name": name} for name in table.header if name != label]
    return Preparation({"features": features}, table, uses).to_csv(as_in_file=True)
