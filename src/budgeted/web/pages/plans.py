"""Plan a study: what is expected of it goes in, what money reaches which error comes out."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.datastructures import FormData

from budgeted.errors import BudgetedError, PlanError
from budgeted.studies.planning import RUNS, WhatIf, changes
from budgeted.studies.preparing.amounts import amount
from budgeted.web import queries
from budgeted.web.api.bodies import TheActor, ThePlans
from budgeted.web.api.queries import Text
from budgeted.web.auth.roles import Role, needs
from budgeted.web.pages.answers import go, refused
from budgeted.web.pages.fields import content_of, text_of, whole_number
from budgeted.web.pages.templates import render
from budgeted.web.plan_files import Question

router = APIRouter(prefix="/plans")


@router.get("", dependencies=[needs(Role.MANAGES)])
async def new(request: Request) -> Response:
    """Show the form."""
    return render(request, "plans.html", runs=RUNS, here="studies")


@router.post("", dependencies=[needs(Role.MANAGES)])
async def create(request: Request, plans: ThePlans, actor: TheActor) -> Response:
    """Have a plan made; the same again leads to the one that is there."""
    try:
        known = await plans.create(await _question(await request.form()), by=actor)
    except BudgetedError as error:
        return refused(request, error, "#problem")
    return go(f"/plans/{known.file.id}")


@router.get("/{id}")
async def plan(request: Request, plans: ThePlans, id: str) -> Response:
    """Show a plan, or how far it is."""
    view = await queries.plan_page(plans, id)
    return render(request, "plan.html", view=view, here="studies")


@router.get("/{id}/said")
async def said(request: Request, plans: ThePlans, id: str, have: Text = "") -> Response:
    """Return how far it is or what it says; nothing to a page that has the same already."""
    view = await queries.plan_page(plans, id)
    if have == view.version:
        return Response(status_code=204)
    return render(request, "parts/plan.html", view=view)


@router.post("/{id}/cancel", dependencies=[needs(Role.MANAGES)])
async def cancel(request: Request, plans: ThePlans, id: str) -> Response:
    """Stop a plan."""
    try:
        await plans.cancel(id)
    except BudgetedError as error:
        return refused(request, error, "#problem")
    return go(f"/plans/{id}")


@router.post("/{id}/go-on", dependencies=[needs(Role.MANAGES)])
async def go_on(request: Request, plans: ThePlans, id: str) -> Response:
    """Have the runs made that are missing."""
    try:
        await plans.go_on(id)
    except BudgetedError as error:
        return refused(request, error, "#problem")
    return go(f"/plans/{id}")


async def _question(form: FormData) -> Question:
    study = await _text(form, "study_file", "Study file")
    mistakes = [] if study else ["Study file: choose the file that holds tests, prices and budget"]
    fields = {
        "matter": ("Tests that matter", 1),
        "best_alone": ("The best test alone", 100),
        "target": ("Error to be reached", 100),
        "probability": ("How sure", 100),
    }
    numbers: dict[str, float | None] = {}
    for key, (name, whole) in fields.items():
        typed = text_of(form, key)
        text = typed.replace(",", ".").removesuffix("%").strip()
        try:
            number = float(text) if text else None
        except ValueError:
            mistakes.append(f"{name}: must be a number, got {text[:40]!r}")
            continue
        if key == "target" and number is not None and 0 < number < 1 and "%" not in typed:
            mistakes.append(
                f"{name}: {typed[:40]} could be a share or a percentage; write {100 * number:g} % "
                f"or {number:g} %"
            )
            continue
        # Nobody means less than one per cent here, so 0.8 is 80 %; an error may be that small.
        share = key in ("best_alone", "probability") and number is not None and number < 1
        numbers[key] = number if number is None or share else number / whole
    what_ifs: list[WhatIf] = []
    try:
        what_ifs = _what_ifs(form)
    except PlanError as error:
        mistakes += error.mistakes
    counted = {}
    for key, name in (("number", "Number of cases"), ("runs", "Runs")):
        text = text_of(form, key)
        counted[key] = whole_number(text) if text else None
        if text and counted[key] is None:
            mistakes.append(f"{name}: must be a whole number, got {text[:40]!r}")
    listed = await _text(form, "cases", "List of cases")
    if mistakes:
        raise PlanError(mistakes)
    return Question(
        study,
        listed or counted["number"],
        await _text(form, "table", "Table of old cases") or None,
        numbers["matter"],
        numbers["best_alone"],
        numbers["target"],
        numbers["probability"],
        up_to=amount(text_of(form, "up_to")) or None,
        what_ifs=tuple(
            {
                "name": each.name,
                "without": list(each.without),
                "costs": dict(each.costs),
                "cases": each.cases,
            }
            for each in what_ifs
        ),
        runs=RUNS if counted["runs"] is None else counted["runs"],
    )


def _what_ifs(form: FormData) -> list[WhatIf]:
    """What to look at beside the study, one change each."""
    costs: dict[str, str] = {}
    for part in _parts(form, "costs"):
        name, equals, price = (each.strip() for each in part.rpartition("="))
        if not (equals and name and price):
            raise PlanError(f"Another price: must be like crp = 5, got {part[:40]!r}")
        if name in costs:
            raise PlanError(f"Another price: there are two of {name!r}")
        costs[name] = amount(price)
    text = text_of(form, "times").replace(",", ".").strip()
    try:
        times = float(text) if text else None
    except ValueError:
        raise PlanError(f"Times as many cases: must be a number, got {text[:40]!r}") from None
    return changes(_parts(form, "without"), costs, times)


def _parts(form: FormData, key: str) -> list[str]:
    return [each.strip() for each in text_of(form, key).split(";") if each.strip()]


async def _text(form: FormData, key: str, name: str) -> str:
    """Return the text of a file; empty if none was chosen."""
    content = await content_of(form, key)
    if content is not None and not content.strip():
        raise PlanError(f"{name}: the file is empty")
    try:
        return (content or b"").decode()
    except UnicodeDecodeError:
        raise PlanError(f"{name}: is no text in UTF-8; save it as such") from None
