"""How the commands about studies print: for people, and as JSON for scripts."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from budgeted.cli.output import reason_of

if TYPE_CHECKING:
    from rich.table import Table

    from budgeted.studies.study import Requested, Study


def show_request(found: Study, request: Requested, as_json: bool) -> None:
    """Print what became of a request, and the money."""
    if as_json:
        print_json({"request": plain(request), **money(found)})
        return
    what = request.fate if request.value is None else f"{request.fate}, {request.value}"
    click.echo(f"Request {request.number}, {request.feature} of {request.case}: {what}.")
    print_money(found)


def show_done(found: Study, words: str, as_json: bool) -> None:
    """Print what was done, and the money."""
    if as_json:
        print_json({"done": words, **money(found)})
        return
    click.echo(words)
    print_money(found)


def plain(request: Requested) -> dict[str, Any]:
    """Return a request as JSON values."""
    asked = request.asked
    return {
        "number": request.number, "order": request.order,
        "case": request.case, "feature": request.feature,
        "label": request.label, "cost": str(request.cost), "fate": request.fate,
        "value": request.value, "why": request.why, "at": request.at, "by": request.by,
        "scores": asked.scores if asked else [],
        "compared": vars(asked.compared) if asked and asked.compared else None,
        "engine": asked.engine if asked else "",
        "policy": asked.policy if asked else "",
    }  # fmt: skip


def money(found: Study) -> dict[str, str]:
    """Return the amounts that always add up."""
    from budgeted.problem import Firm

    state = found.state
    plain = {"budget": str(state.problem.budget), "spent": str(state.spent),
             "reserved": str(state.reserved), "free": str(state.free)}  # fmt: skip
    if isinstance(state.problem.terms, Firm):
        return plain
    from budgeted.studies.budget_terms import surcharge_facts

    return plain | surcharge_facts(state)


def unasked(found: Study, done: Sequence[Requested]) -> dict[str, Any]:
    """Return how many of these values nobody asked for nor paid for, and their listed price."""
    from budgeted.problem import money as amounts
    from budgeted.studies.accounts import listed_price

    free = [each for each in done if each.asked is None and not each.cost]
    if not found.state.problem.has_prices:
        return {"values": len(free), "list_price": None}
    prices = listed_price(found.state.problem, found.requests(), free)
    return {"values": len(free), "list_price": str(amounts.total(prices))}


def print_money(found: Study) -> None:
    """Print the amounts on one line."""
    amounts = money(found).items()
    click.echo(", ".join(f"{name.replace('_', ' ')} {amount}" for name, amount in amounts))


def requests_table(requests: Sequence[Requested], title: str | None = None) -> Table:
    """Return requests, a line each, with the reason of each order once."""
    from rich.markup import escape
    from rich.table import Table

    table = Table(title=title)
    for name in ("request", "case", "feature", "label"):
        table.add_column(name, justify="right" if name == "request" else "left", no_wrap=True)
    table.add_column("cost", justify="right", no_wrap=True)
    table.add_column("why")
    explained = None
    for each in requests:
        names = (escape(text) for text in (each.case, each.feature, each.label))
        why = "" if each.order is not None and each.order == explained else each.why
        table.add_row(str(each.number), *names, str(each.cost), escape(why))
        explained = each.order
    return table


def write(text: str, out: str | None) -> None:
    """Write a text to a file, or print it."""
    if out is None:
        click.echo(text, nl=False)
        return
    try:
        with click.open_file(out, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise click.ClickException(
            f"{out}: could not be written in full: {reason_of(error)}"
        ) from None
    click.echo(f"written: {out}", err=True)


def print_json(document: Any) -> None:
    """Print JSON."""
    click.echo(json.dumps(document, indent=2))


def console() -> Any:
    """Return where tables are printed."""
    from rich.console import Console

    return Console(file=sys.stdout)


def print_table(table: Any) -> None:
    """Print a table."""
    console().print(table)
