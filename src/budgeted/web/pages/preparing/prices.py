"""The step of the prices: currency, visit fee, panels, and prices for a label or a group."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.datastructures import FormData

from budgeted.studies.preparing.amounts import written
from budgeted.studies.preparing.money_terms import (
    EXCEPTION_FIELDS,
    HOW,
    PANEL_FIELDS,
    exception_fields,
    exception_of,
    panel_fields,
    panel_of,
    prices_of,
)
from budgeted.studies.preparing.preparation import Preparation
from budgeted.studies.preparing.quotes import example_quotes
from budgeted.web.api.bodies import TheActor, TheWorkers
from budgeted.web.auth.roles import Role, needs
from budgeted.web.pages.fields import text_of
from budgeted.web.pages.preparing.drafts import (
    TheDraft,
    ThePreparations,
    mistakes_at,
    onward,
    page,
)
from budgeted.web.pages.templates import render

router = APIRouter(dependencies=[needs(Role.MANAGES)])
_MOST_SHOWN = 20
"""Panels, and special prices; those beyond come with a study file and are kept as they are."""
_LONGEST_CURRENCY = 10
_Read = Callable[[dict[str, str], str], dict[str, Any]]


@router.get("/new/{id}/prices")
async def prices(
    request: Request, workers: TheWorkers, draft: TheDraft, checked: str = ""
) -> Response:
    """Show the prices, with an example."""
    wrong = await mistakes_at(draft, workers, "prices") if checked else []
    made = draft.made
    table = _table(made)
    panels = [panel_fields(each, made.decimal) for each in _held(table, "panels")]
    others = [exception_fields(each, made.decimal) for each in _held(table, "exceptions")]
    return page(
        request, draft, "prices", mistakes=wrong, how=HOW, quotes=example_quotes(made),
        fee=written(table.get("visit_fee"), made.decimal), days=written(table.get("visit_days")),
        panels=panels[:_MOST_SHOWN], panels_total=len(panels),
        exceptions=others[:_MOST_SHOWN], exceptions_total=len(others),
        labels=sorted({*made.labels} - {""})[:50],
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


@router.post("/new/{id}/quote")
async def quote(request: Request, draft: TheDraft) -> Response:
    """Say what the prices in the form come to; nothing is kept."""
    form = await request.form()
    quotes = example_quotes(_priced(draft.made, form))
    return render(request, "preparing/quote.html", quotes=quotes)


def _priced(made: Preparation, form: FormData) -> Preparation:
    table = _table(made)
    currency = "".join(each for each in text_of(form, "currency") if each.isprintable())
    made = replace(made, currency=currency[:_LONGEST_CURRENCY])
    if table and table.get("list") != "tariff":
        return made  # a price list of another package, for which there are no fields
    panels = _rows(form, "panel", PANEL_FIELDS, panel_of, made.decimal)
    others = _rows(form, "exception", EXCEPTION_FIELDS, exception_of, made.decimal)
    return made.with_plain(
        prices=prices_of(
            table,
            text_of(form, "visit_fee"),
            text_of(form, "visit_days"),
            panels + _held(table, "panels")[_MOST_SHOWN:],
            others + _held(table, "exceptions")[_MOST_SHOWN:],
            made.decimal,
        )
    )


def _rows(
    form: FormData, prefix: str, names: Sequence[str], read: _Read, decimal: str
) -> list[dict[str, Any]]:
    """Return the tables of the rows that are filled in, and not to be removed."""
    found = []
    for at in range(_MOST_SHOWN + 1):
        fields = {key: text_of(form, f"{prefix}_{key}-{at}") for key in names}
        typed = any(fields[key] for key in names if key not in ("how", "what"))
        if typed and not text_of(form, f"{prefix}_remove-{at}"):
            found.append(read(fields, decimal))
    return found


def _table(made: Preparation) -> dict[str, Any]:
    table = made.plain.get("prices", {})
    return table if isinstance(table, dict) else {}


def _held(table: dict[str, Any], key: str) -> list[dict[str, Any]]:
    found = table.get(key, [])
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
