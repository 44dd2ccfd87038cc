"""The tests of a new study, with their prices and what visits and panels cost."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.datastructures import FormData

from budgeted.errors import BudgetedError
from budgeted.listing import shortened
from budgeted.studies.preparing.amounts import amount, written
from budgeted.studies.preparing.columns import IGNORED, TEST
from budgeted.studies.preparing.described import FIELDS, described_test, proposed_cuts
from budgeted.studies.preparing.money_terms import (
    HOW,
    PANEL_FIELDS,
    panel_fields,
    panel_of,
    prices_of,
)
from budgeted.studies.preparing.pasted import pasted_tests
from budgeted.studies.preparing.preparation import Preparation
from budgeted.studies.proposed_cuts import WAYS
from budgeted.web.api.bodies import TheActor, TheWorkers
from budgeted.web.auth.roles import Role, needs
from budgeted.web.pages.answers import REFUSED
from budgeted.web.pages.fields import text_of, whole_number
from budgeted.web.pages.preparing.drafts import (
    TheDraft,
    ThePreparations,
    mistakes_at,
    onward,
    page,
)
from budgeted.web.preparations import Draft
from budgeted.web.views.preparing import described_tests

router = APIRouter(dependencies=[needs(Role.MANAGES)])
_MOST_TESTS = 5_000
_MOST_SHOWN = 20
"""Panels; those beyond come with a study file and are kept as they are."""
_LONGEST_CURRENCY = 10


@router.get("/new/{id}/tests")
async def show_tests(
    request: Request, workers: TheWorkers, draft: TheDraft, search: str = "", checked: str = ""
) -> Response:
    """Show the tests, a page of them."""
    wrong = await mistakes_at(draft, workers, "tests") if checked else []
    return _page(request, draft, search, shortened(wrong), 200)


@router.post("/new/{id}/tests")
async def describe(
    request: Request, kept: ThePreparations, actor: TheActor, workers: TheWorkers, draft: TheDraft
) -> Response:
    """Keep what was said of the tests."""
    form = await request.form()
    async with kept.changing(draft.id, actor) as held:
        made, wrong = await asyncio.to_thread(_described, held[0].made, form)
        draft = held[0] = replace(held[0], made=made)
    if wrong:
        return _page(request, draft, text_of(form, "search"), shortened(wrong), REFUSED)
    later = await mistakes_at(draft, workers, "tests") if text_of(form, "go") == "next" else []
    return onward(draft, "tests", form, wrong=bool(later))


@router.post("/new/{id}/paste")
async def paste(
    request: Request, kept: ThePreparations, actor: TheActor, draft: TheDraft
) -> Response:
    """Take a list of tests from a spreadsheet; those of the same name are described anew."""
    form = await request.form()
    text = form.get("pasted", "")
    async with kept.changing(draft.id, actor) as held:
        made = held[0].made
        found, wrong = await asyncio.to_thread(pasted_tests, str(text), made.decimal)
        if not wrong:
            draft = held[0] = replace(held[0], made=_with_pasted(made, found))
    if wrong:
        return _page(request, draft, "", shortened(wrong), REFUSED, pasted=str(text))
    said = f"{len(found)} tests were taken from the list."
    return _page(request, draft, "", [], 200, said=said)


def _page(
    request: Request, draft: Draft, search: str, wrong: list[str], status: int, **given: Any
) -> Response:
    number = whole_number(request.query_params.get("page", "1")) or 1
    rows, pages = described_tests(draft.made, number, search)
    shared: dict[str, Any] = {"pasted": ""}
    return page(
        request, draft, "tests", status=status, rows=rows, pages=pages, search=search, ways=WAYS,
        mistakes=wrong, **(shared | given),
    )  # fmt: skip


def _with_pasted(made: Preparation, found: list[dict[str, Any]]) -> Preparation:
    named = {str(each.get("name")): each for each in made.features}
    for each in found:
        before = named.get(each["name"], {})
        # A list of names and prices alone leaves the values as they were.
        said = {key: value for key, value in each.items() if value not in ("", [], None)}
        if "kind" in said or "values" in said:
            named[each["name"]] = {**each, **said}
        else:
            named[each["name"]] = {**each, **before, **said}
    return made.with_plain(features=list(named.values())[:_MOST_TESTS])


def _described(made: Preparation, form: FormData) -> tuple[Preparation, list[str]]:
    features: list[dict[str, Any] | None] = list(made.features)
    uses, wrong = dict(made.uses), []
    for at, before in enumerate(made.features):
        name = str(before.get("name", ""))
        # The name guards against a list that was changed in another window meanwhile.
        if form.get(f"was-{at}") != name:
            continue
        if text_of(form, f"remove-{at}"):
            features[at] = None
            if uses.get(name) == TEST:
                uses[name] = IGNORED
            continue
        fields = _fields(form, at)
        if made.uses.get(name) == TEST:
            fields["name"] = name
        after = described_test(fields, made.decimal, before)
        how = text_of(form, f"propose-{at}")
        if how:
            try:
                cuts = proposed_cuts(how, made.known(name), made.labels, made.decimal)
                after |= {"cuts": list(cuts.cuts), "source": cuts.source}
            except BudgetedError as error:
                wrong.append(f"test {name!r}: {error}")
        features[at] = after
    fields = _fields(form, "new")
    if fields.get("name"):
        features.append(described_test(fields, made.decimal))
    kept = [each for each in features if each is not None]
    price = text_of(form, "price_all")
    if price:
        cost = amount(price, made.decimal)
        kept = [each if str(each.get("cost", "")) else each | {"cost": cost} for each in kept]
    return replace(made, uses=uses).with_plain(features=kept[:_MOST_TESTS]), wrong


def _fields(form: FormData, at: int | str) -> dict[str, str]:
    """What stands in the fields of a test; an empty box is not sent, so it counts as cleared."""
    found = {key: text_of(form, f"{key}-{at}") for key in FIELDS if f"{key}-{at}" in form}
    if "kind" in found:
        found.setdefault("ordered", "")
    return found


@router.get("/new/{id}/prices")
async def prices(
    request: Request, workers: TheWorkers, draft: TheDraft, checked: str = ""
) -> Response:
    """Show what is due besides the price of each test."""
    wrong = await mistakes_at(draft, workers, "prices") if checked else []
    made = draft.made
    table = _table(made)
    panels = [panel_fields(each, made.decimal) for each in _held(table, "panels")]
    return page(
        request, draft, "prices", mistakes=wrong, how=HOW,
        fee=written(table.get("visit_fee"), made.decimal), days=written(table.get("visit_days")),
        panels=panels[:_MOST_SHOWN], panels_total=len(panels),
        exceptions=len(_held(table, "exceptions")),
        foreign=bool(table) and table.get("list") != "tariff",
    )  # fmt: skip


@router.post("/new/{id}/prices")
async def take_prices(
    request: Request, kept: ThePreparations, actor: TheActor, workers: TheWorkers, draft: TheDraft
) -> Response:
    """Keep the prices."""
    form = await request.form()
    async with kept.changing(draft.id, actor) as held:
        draft = held[0] = replace(held[0], made=_priced(held[0].made, form))
    wrong = await mistakes_at(draft, workers, "prices")
    return onward(draft, "prices", form, wrong=bool(wrong))


def _priced(made: Preparation, form: FormData) -> Preparation:
    table = _table(made)
    currency = "".join(each for each in text_of(form, "currency") if each.isprintable())
    made = replace(made, currency=currency[:_LONGEST_CURRENCY])
    if table and table.get("list") != "tariff":
        return made  # a price list of another package, for which there are no fields
    panels = _panels(form, made.decimal) + _held(table, "panels")[_MOST_SHOWN:]
    return made.with_plain(
        prices=prices_of(
            table,
            text_of(form, "visit_fee"),
            text_of(form, "visit_days"),
            panels,
            made.decimal,
        )
    )


def _panels(form: FormData, decimal: str) -> list[dict[str, Any]]:
    """Return the panels that are filled in, and not to be removed."""
    found = []
    for at in range(_MOST_SHOWN + 1):
        fields = {key: text_of(form, f"panel_{key}-{at}") for key in PANEL_FIELDS}
        typed = any(fields[key] for key in PANEL_FIELDS if key != "how")
        if typed and not text_of(form, f"panel_remove-{at}"):
            found.append(panel_of(fields, decimal))
    return found


def _table(made: Preparation) -> dict[str, Any]:
    table = made.plain.get("prices", {})
    return table if isinstance(table, dict) else {}


def _held(table: dict[str, Any], key: str) -> list[dict[str, Any]]:
    found = table.get(key, [])
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
