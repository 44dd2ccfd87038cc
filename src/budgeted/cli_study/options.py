"""What the commands about studies share: options, and how they print."""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from budgeted.cli_output import reason_of, telling

if TYPE_CHECKING:
    from budgeted.study import Requested, Study

DATABASE = "budgeted.db"
WHY = click.option("--why", default="", help="A reason, for the log.")
KEY = click.option(
    "--key",
    default="",
    metavar="KEY",
    help="Made up by you, such as a UUID: with the same key it is done once, however often it is "
    "sent.",
)


_DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}


def _delimiter(_: click.Context, __: click.Parameter, given: str | None) -> str | None:
    if given is None or len(given) == 1:
        return given
    if given.replace("\\t", "tab") in _DELIMITERS:
        return _DELIMITERS[given.replace("\\t", "tab")]
    raise click.BadParameter(
        f"must be one character, or one of {', '.join(_DELIMITERS)}; got {given!r}"
    )


def with_csv(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that say how a CSV is written."""
    for option in (
        click.option("--encoding", default="utf-8", show_default=True,
                     help="How the text of the CSV is written in bytes."),
        click.option("--delimiter", metavar="MARK", callback=_delimiter,
                     help="What stands between the cells: a character, or comma, semicolon, tab, "
                     "bar.  [default: found out from the first line]"),
    ):  # fmt: skip
        command = option(command)
    return command


def on_a_study(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that all share, and open the study for it."""

    @click.option("--study", "name", metavar="NAME", envvar="BUDGETED_STUDY",
                  help="Which study, where the database holds more than one.")  # fmt: skip
    @click.option("--as", "by", metavar="WHO", help="Who does this, for the log.  [default: you]")
    @with_database
    @with_json
    @functools.wraps(command)
    def opened(name: str | None, database: str, by: str | None, **arguments: Any) -> Any:
        from budgeted.study import Study

        with Study.open(database, name, by=by) as found:
            return command(found, **arguments)

    return opened


def changing_a_study(command: Callable[..., Any]) -> Callable[..., Any]:
    """Do the same for a command that writes; what it did is said even if it cannot be printed."""

    @functools.wraps(command)
    def told(found: Study, **arguments: Any) -> Any:
        before = found.events
        with telling(lambda: found.events - before):
            return command(found, **arguments)

    return on_a_study(told)


def with_database(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the option that says where the studies are."""
    return click.option(
        "--db", "database", metavar="URL", default=DATABASE, show_default=True,
        envvar="BUDGETED_DB", help="SQLite file, or postgresql://user@host/name (BUDGETED_DB).",
    )(command)  # fmt: skip


def with_json(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the option that scripts use."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON for scripts.")(command)


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
        "number": request.number, "case": request.case, "feature": request.feature,
        "label": request.label, "cost": str(request.cost), "fate": request.fate,
        "value": request.value, "why": request.why, "at": request.at, "by": request.by,
        "scores": asked.scores if asked else [],
        "compared": vars(asked.compared) if asked and asked.compared else None,
        "engine": asked.engine if asked else "",
        "policy": asked.policy if asked else "",
    }  # fmt: skip


def money(found: Study) -> dict[str, str]:
    """Return the amounts that always add up."""
    state = found.state
    return {"budget": str(state.problem.budget), "spent": str(state.spent),
            "reserved": str(state.reserved), "free": str(state.free)}  # fmt: skip


def unasked(found: Study, done: Sequence[Requested]) -> dict[str, Any]:
    """Return how many of these values nobody asked for nor paid for, and their listed price."""
    from budgeted import money as amounts

    prices = {each.name: each.cost for each in found.state.problem.features}
    free = [prices[each.feature] for each in done if each.asked is None and not each.cost]
    total = functools.reduce(amounts.add, free, amounts.parse(0))
    return {"values": len(free), "list_price": str(total)}


def print_money(found: Study) -> None:
    """Print the amounts on one line."""
    click.echo(", ".join(f"{name} {amount}" for name, amount in money(found).items()))


def shares_of(given: tuple[str, ...]) -> dict[str, float]:
    """Return the shares of labels given as LABEL=SHARE."""
    shares = {}
    for each in given:
        label, _, share = each.rpartition("=")
        try:
            shares[label] = float(share)
        except ValueError:
            raise click.BadParameter(f"must be LABEL=SHARE, got {each!r}") from None
    return shares


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
