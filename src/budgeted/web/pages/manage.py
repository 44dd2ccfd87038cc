"""The page of what concerns a study as a whole, and its forms."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from budgeted.addresses import segment
from budgeted.errors import BudgetedError, StudyError
from budgeted.studies.commands import AddFeature, AddValue, Reopen, SetBudget, SetCuts, SetStopRules
from budgeted.studies.drafts import Done
from budgeted.web import queries
from budgeted.web.api.bodies import TheActor, TheWorker
from budgeted.web.auth.roles import Role, needs
from budgeted.web.pages import confirm
from budgeted.web.pages.answers import Amount, Key, Text, beside, carry_out, done, go, refused
from budgeted.web.pages.fields import clipped, parts_of
from budgeted.web.pages.templates import render
from budgeted.web.worker import StudyWorker

router = APIRouter(dependencies=[needs(Role.MANAGES)])


@router.get("/studies/{name}/manage")
async def manage(request: Request, worker: TheWorker, cuts: str = "") -> Response:
    """Show what concerns the study as a whole."""
    view = await queries.manage_page(worker, cuts)
    return render(
        request,
        "manage.html",
        view=view,
        validated=worker.validation is not None,
        tab="Manage",
        here="studies",
    )


@router.post("/studies/{name}/terms")
async def terms(
    request: Request,
    worker: TheWorker,
    actor: TheActor,
    terms: Text = "firm",
    budget: Amount = "",
    why: Text = "",
    limit: Amount = "",
    rate: Text = "",
    steps: Text = "",
    point_worth: Amount = "",
    confirmed: Text = "",
    key: Key = "",
) -> Response:
    """Put the budget on other terms, once that is confirmed."""
    given = {
        "terms": terms, "budget": budget, "why": why, "limit": limit, "rate": rate,
        "steps": steps, "point_worth": point_worth,
    }  # fmt: skip
    try:
        wanted = _budget({name: text.strip() for name, text in given.items()})
        study = await worker.look()
        old = study.state.problem.terms
        new = wanted.terms_after(old)
        if new != old and not study.closed:
            question = confirm.ask_first(
                request,
                study,
                confirm.of_other_terms(study, new),
                confirmed,
                title="Change the budget?",
                button="Change it",
                action=f"/studies/{segment(worker.name)}/terms",
                back=_back(worker),
                fields={**given, "key": key},
            )
            if question is not None:
                return question
        made = await carry_out(request, worker, wanted, actor, key)
    except BudgetedError as error:
        return refused(request, error, "#terms-problem")
    said = f"The budget was set to {made.state.problem.terms.words()}."
    return _shown(request, worker, said, made, "#terms-problem")


@router.post("/studies/{name}/stop-rules")
async def stop_rules(
    request: Request,
    worker: TheWorker,
    actor: TheActor,
    target_error: Text = "",
    probability: Text = "",
    least_gain: Text = "",
    binding: Text = "",
    force: Text = "",
    why: Text = "",
    key: Key = "",
) -> Response:
    """Say when the study has bought enough."""
    try:
        wanted = SetStopRules(
            target_error=_number("Target error", target_error),
            probability=_number("Probability", probability),
            least_gain=_number("Least gain", least_gain),
            binding=True if binding else None,
            none=True,
            why=why.strip(),
            force=bool(force),
        )
        made = await carry_out(request, worker, wanted, actor, key)
    except BudgetedError as error:
        return refused(request, error, "#stop-problem")
    told = [each.words() for each in made.events] or ["the rules are these already"]
    said = " ".join(f"{each[0].upper()}{each[1:]}." for each in told)
    return _shown(request, worker, said, made, "#stop-problem")


@router.post("/studies/{name}/add-feature")
async def add_feature(
    request: Request,
    worker: TheWorker,
    actor: TheActor,
    test: Text = "",
    kind: Text = "names",
    values: Text = "",
    ordered: Text = "",
    unit: Text = "",
    cuts: Text = "",
    least: Text = "",
    most: Text = "",
    cost: Amount = "",
    key: Key = "",
) -> Response:
    """Put a new test up for sale."""
    table: dict[str, Any] = {"name": test.strip(), "cost": cost.strip()}
    if kind == "number":
        bounds = {"unit": unit.strip(), "least": least.strip(), "most": most.strip()}
        table |= {"kind": "number", "cuts": cuts.replace(";", " ").split()}
        table |= {name: text for name, text in bounds.items() if text}
    else:
        table |= {"values": parts_of(values), "ordered": bool(ordered)}
    try:
        if not table["name"]:
            raise StudyError("say what the new test is called")
        made = await carry_out(request, worker, AddFeature(table), actor, key)
    except BudgetedError as error:
        return refused(request, error, "#feature-problem")
    return _shown(request, worker, f"{table['name']} can be asked now.", made, "#feature-problem")


@router.post("/studies/{name}/add-value")
async def add_value(
    request: Request,
    worker: TheWorker,
    actor: TheActor,
    test: Text = "",
    value: Text = "",
    prior_count: Text = "",
    key: Key = "",
) -> Response:
    """Add a value to a test whose values are names."""
    try:
        if not value.strip():
            raise StudyError("say what the new value is")
        wanted = AddValue(test.strip(), value.strip(), _count(prior_count))
        made = await carry_out(request, worker, wanted, actor, key)
    except BudgetedError as error:
        return refused(request, error, "#value-problem")
    said = f"{test.strip()} can be {value.strip()} now."
    return _shown(request, worker, said, made, "#value-problem")


@router.post("/studies/{name}/cuts")
async def set_cuts(
    request: Request,
    worker: TheWorker,
    actor: TheActor,
    test: Text = "",
    cuts: Text = "",
    why: Text = "",
    key: Key = "",
) -> Response:
    """Cut the numbers of a test elsewhere."""
    try:
        if not cuts.strip():
            raise StudyError("say where to cut")
        wanted = SetCuts(test.strip(), cuts.strip(), why.strip())
        made = await carry_out(request, worker, wanted, actor, key)
    except BudgetedError as error:
        return refused(request, error, "#cuts-problem")
    said = "; ".join(each.words() for each in made.events) or "The cuts are these already"
    said = f"{said[0].upper()}{said[1:]}. Everything was computed anew."
    return _shown(request, worker, said, made, "#cuts-problem")


@router.post("/studies/{name}/reopen")
async def reopen(
    request: Request, worker: TheWorker, actor: TheActor, why: Text = "", key: Key = ""
) -> Response:
    """Go on with a study that was closed."""
    try:
        made = await carry_out(request, worker, Reopen(why.strip()), actor, key)
    except BudgetedError as error:
        return refused(request, error, "#reopen-problem")
    if made.repeated:
        return _shown(request, worker, "The study is open.", made, "#reopen-problem")
    return go(_back(worker))


def _budget(given: dict[str, str]) -> SetBudget:
    """What a form wants of the budget."""
    kind, budget, why = given["terms"], given["budget"], given["why"]
    if kind == "firm":
        return SetBudget(budget, why, firm=True)
    return SetBudget(
        budget,
        why,
        limit=given["limit"] or None,
        rate=None if given["steps"] else given["rate"] or None,
        steps=tuple(given["steps"].split()),
        point_worth=given["point_worth"] or None,
    )


def _count(text: str) -> float | None:
    if not text.strip():
        return None
    try:
        return float(text)
    except ValueError:
        raise StudyError(
            f"its count before anything is bought must be a number, got {clipped(text)!r}"
        ) from None


def _number(field: str, text: str) -> float | None:
    if not text.strip():
        return None
    try:
        return float(text.replace(",", "."))
    except ValueError:
        raise StudyError(f"{field}: must be a number, got {clipped(text)!r}") from None


def _back(worker: StudyWorker) -> str:
    return f"/studies/{segment(worker.name)}/manage"


def _shown(request: Request, worker: StudyWorker, said: str, made: Done, place: str) -> Response:
    return done(said, worker.seq, beside(request, said), made.repeated, place)
