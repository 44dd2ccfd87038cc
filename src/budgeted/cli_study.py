"""The commands about studies: a thin skin over `budgeted.study`."""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from budgeted.study import Requested, Study

DATABASE = "budgeted.db"


@click.group()
def study() -> None:
    """Run a real study: ask what to buy, tell what came back.

    A study lives in a database, by default the file budgeted.db in the current folder. Several
    people may work on it at once.
    """


def _on_a_study(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that all share, and open the study for it."""

    @click.option("--study", "name", metavar="NAME", envvar="BUDGETED_STUDY",
                  help="Which study, where the database holds more than one.")  # fmt: skip
    @click.option("--as", "by", metavar="WHO", help="Who does this, for the log.  [default: you]")
    @_with_database
    @_with_json
    @functools.wraps(command)
    def opened(name: str | None, database: str, by: str | None, **arguments: Any) -> Any:
        from budgeted.study import Study

        with Study.open(database, name, by=by) as found:
            return command(found, **arguments)

    return opened


def _with_database(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option(
        "--db", "database", metavar="URL", default=DATABASE, show_default=True,
        envvar="BUDGETED_DB", help="SQLite file, or postgresql://user@host/name (BUDGETED_DB).",
    )(command)  # fmt: skip


def _with_json(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option("--json", "as_json", is_flag=True, help="Print JSON for scripts.")(command)


_WHY = click.option("--why", default="", help="A reason, for the log.")


@study.command()
@click.argument("folder", default="anaemia-study", type=click.Path(file_okay=False))
@_with_json
def example(folder: str, as_json: bool) -> None:
    """Write a small study to start from: study.toml, cases.csv, answers.csv."""
    from budgeted.study.example import write_example

    files = write_example(folder)
    if as_json:
        _print_json([str(path) for path in files])
        return
    click.echo(
        f"Written: {', '.join(str(path) for path in files)}.\n"
        f"Begin with: budgeted study new {files[0]} --cases {files[1]}\n"
        f"Then: budgeted study ask -n 3, and look up what to tell in {files[2]}."
    )


@study.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--cases", required=True, type=click.Path(exists=True, dir_okay=False),
              help="CSV with a line per case: its name and its label.")  # fmt: skip
@click.option("--id", "id_column", default="case", show_default=True,
              help="Column that names the case.")  # fmt: skip
@click.option("--label", "label_column", default="label", show_default=True,
              help="Column that holds the label.")  # fmt: skip
@click.option("--as", "by", metavar="WHO", help="Who does this, for the log.  [default: you]")
@_with_database
@_with_json
def new(
    file: str,
    cases: str,
    id_column: str,
    label_column: str,
    by: str | None,
    database: str,
    as_json: bool,
) -> None:
    """Begin a study from a TOML file and a list of cases."""
    from dataclasses import asdict

    from budgeted.study import Study
    from budgeted.study.file import read_study

    given = read_study(file, cases, id_column=id_column, label_column=label_column)
    settings = {key: value for key, value in asdict(given).items() if key != "problem"}
    with Study.create(database, problem=given.problem, by=by, **settings) as begun:
        if as_json:
            _print_json({"study": begun.name, "cases": len(given.cases), **_money(begun)})
            return
        click.echo(
            f"Study {begun.name!r} begins: {len(given.problem.features)} features, "
            f"{len(given.cases)} cases, budget {given.problem.budget}. Next: budgeted study ask"
        )


@study.command("list")
@_with_database
@_with_json
def list_studies(database: str, as_json: bool) -> None:
    """List the studies in a database."""
    from budgeted.study import studies

    found = studies(database)
    _print_json(found) if as_json else click.echo("\n".join(found) or "there are none")


@study.command()
@click.option("-n", "number", default=1, show_default=True, type=click.IntRange(min=1),
              help="How many requests, worth having together.")  # fmt: skip
@_on_a_study
def ask(found: Study, number: int, as_json: bool) -> None:
    """Say what to buy next, and reserve the money for it."""
    from budgeted.cli_study_views import requests_table

    asked = found.ask(number)
    if as_json:
        _print_json({"requests": [_plain(each) for each in asked], **_money(found)})
        return
    if asked:
        _print(requests_table(asked))
    if len(asked) < number:
        click.echo("Nothing more can be bought with the free money from the cases that are left.")
    _print_money(found)


@study.command()
@click.argument("number", type=int)
@click.argument("value")
@click.option("--cost", help="What was charged, if not the listed price.")
@_on_a_study
def tell(found: Study, number: int, value: str, cost: str | None, as_json: bool) -> None:
    """Write down the value of a request."""
    _show(found, found.tell(number, value, cost), as_json)


@study.command()
@click.argument("number", type=int)
@click.option("--charged", is_flag=True, help="Its cost was charged all the same.")
@click.option("--charge", metavar="AMOUNT", help="So much was charged.")
@click.option("--unusable", is_flag=True, help="Do not ask this case for this feature again.")
@_WHY
@_on_a_study
def fail(
    found: Study,
    number: int,
    charged: bool,
    charge: str | None,
    unusable: bool,
    why: str,
    as_json: bool,
) -> None:
    """Write down that a request brought no value; its money comes back unless charged."""
    cost: str | bool = charged if charge is None else charge
    done = found.fail(number, charged=cost, usable=not unusable, why=why)
    _show(found, done, as_json)


@study.command()
@click.argument("number", type=int)
@_WHY
@_on_a_study
def cancel(found: Study, number: int, why: str, as_json: bool) -> None:
    """Take back a request: its money and its case are free again."""
    _show(found, found.cancel(number, why), as_json)


@study.command()
@click.argument("number", type=int)
@click.argument("value", required=False)
@click.option("--no-value", is_flag=True, help="There is no value after all.")
@click.option("--cost", help="What was really charged.")
@_WHY
@_on_a_study
def correct(
    found: Study,
    number: int,
    value: str | None,
    no_value: bool,
    cost: str | None,
    why: str,
    as_json: bool,
) -> None:
    """Replace a value that was told or recorded; the log keeps both."""
    if (value is None) != no_value:
        raise click.UsageError("give the right VALUE, or --no-value")
    _show(found, found.correct(number, value, cost=cost, why=why), as_json)


@study.command()
@click.argument("case")
@click.option("--forget", is_flag=True, help="Also take its values out of the classifier.")
@_WHY
@_on_a_study
def withdraw(found: Study, case: str, forget: bool, why: str, as_json: bool) -> None:
    """Take a case out for good; its pending requests are cancelled."""
    found.withdraw(case, forget=forget, why=why)
    _done(found, f"Case {case} is withdrawn.", as_json)


@study.command()
@click.argument("case")
@click.argument("feature")
@click.argument("value")
@click.option("--charge", metavar="AMOUNT", default="0", show_default=True, help="What it cost.")
@_on_a_study
def record(found: Study, case: str, feature: str, value: str, charge: str, as_json: bool) -> None:
    """Write down a value that nobody asked for."""
    done = found.record([(case, feature, value)], charge=charge)
    if done:
        _show(found, done[0], as_json)
    else:
        _done(found, "This value is there already.", as_json)


@study.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option(
    "--charge", is_flag=True, help="Charge the price of each value that nobody asked for."
)
@click.option("--id", "id_column", default="case", show_default=True,
              help="Column that names the case.")  # fmt: skip
@_on_a_study
def import_values(found: Study, file: str, charge: bool, id_column: str, as_json: bool) -> None:
    """Take in a CSV of values, a line per case, a column per feature.

    Values that answer a pending request are told, others recorded; all of them or none.
    """
    from budgeted.study.file import read_values

    names = [feature.name for feature in found.state.problem.features]
    values = read_values(file, names, id_column=id_column)
    done = found.record(values, charge=charge)
    told = sum(each.asked is not None for each in done)
    if as_json:
        _print_json({"told": told, "recorded": len(done) - told,
                     "known": len(values) - len(done), **_money(found)})  # fmt: skip
        return
    click.echo(
        f"{told} requests told, {len(done) - told} values recorded, "
        f"{len(values) - len(done)} were known."
    )
    _print_money(found)


@study.command()
@_on_a_study
def status(found: Study, as_json: bool) -> None:
    """Show the money, what was bought, how good the classifier is, and what is worth buying."""
    from budgeted.cli_study_views import print_status

    now = found.status()
    _print_json(now.to_plain()) if as_json else print_status(now, _console())


@study.command()
@click.argument("number", type=int)
@_on_a_study
def why(found: Study, number: int, as_json: bool) -> None:
    """Show why something was asked for: all that was compared, the best first."""
    from budgeted.cli_study_views import print_why

    request = found.request(number)
    if as_json:
        _print_json(_plain(request))
    else:
        print_why(request, found.state.problem, _console())


@study.command()
@click.option("--last", type=click.IntRange(min=1), help="Only so many of the newest events.")
@_on_a_study
def history(found: Study, last: int | None, as_json: bool) -> None:
    """Show the log: what happened, when, by whom."""
    from budgeted.cli_study_views import history_table
    from budgeted.events import to_json

    entries = found.history(0 if last is None else max(0, found.events - last))
    if as_json:
        _print_json([{"seq": each.seq, "at": each.at, "by": each.by,
                      "event": json.loads(to_json(each.event))} for each in entries])  # fmt: skip
    else:
        _print(history_table(entries))


@study.command()
@click.option("--out", type=click.Path(dir_okay=False, writable=True), help="Into this file.")
@_on_a_study
def export(found: Study, out: str | None, as_json: bool) -> None:
    """Write all purchases as CSV (or JSON): what was asked, told, failed, corrected, by whom."""
    from budgeted.study.words import COLUMNS, as_csv, purchases

    rows = purchases(found.history(), found.requests())
    if as_json:
        _write(json.dumps(rows, indent=2) + "\n", out)
    else:
        _write(as_csv(COLUMNS, [list(row.values()) for row in rows]), out)


@study.command()
@click.option("--prior", "shares", multiple=True, metavar="LABEL=SHARE",
              help="Shares of the labels in the population; once per label.")  # fmt: skip
@click.option("--out", type=click.Path(dir_okay=False, writable=True), help="Into this file.")
@_on_a_study
def model(found: Study, shares: tuple[str, ...], out: str | None, as_json: bool) -> None:
    """Write the classifier as JSON (--json is the same: it has no other form)."""
    made = found.model()
    _write((made.with_prior(_shares(shares)) if shares else made).to_json(), out)


@study.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--model", "model_file", type=click.Path(exists=True, dir_okay=False),
              help="A model's JSON; that of the study unless given.")  # fmt: skip
@click.option("--prior", "shares", multiple=True, metavar="LABEL=SHARE",
              help="Shares of the labels in the population; once per label.")  # fmt: skip
@click.option("--study", "name", metavar="NAME", envvar="BUDGETED_STUDY", help="Which study.")
@click.option("--out", type=click.Path(dir_okay=False, writable=True), help="Into this file.")
@_with_database
@_with_json
def predict(
    file: str,
    model_file: str | None,
    shares: tuple[str, ...],
    name: str | None,
    out: str | None,
    database: str,
    as_json: bool,
) -> None:
    """Predict the labels of new cases in a CSV, with probabilities.

    Cells may be empty: cases need not be known in full. Columns that are no feature are passed on.
    """
    from pathlib import Path

    from budgeted.model import Model
    from budgeted.study import Study
    from budgeted.study.file import read_rows
    from budgeted.study.words import as_csv

    if model_file is None:
        with Study.open(database, name) as found:
            chosen = found.model()
    else:
        chosen = Model.from_json(Path(model_file).read_text(encoding="utf-8"))
    if shares:
        chosen = chosen.with_prior(_shares(shares))
    header, rows = chosen.predict_rows(*read_rows(file))
    if as_json:
        predicted = [dict(zip(header, row, strict=True)) for row in rows]
        _write(json.dumps(predicted, indent=2) + "\n", out)
    else:
        _write(as_csv(header, rows), out)


@study.command()
@click.argument("amount")
@_WHY
@_on_a_study
def budget(found: Study, amount: str, why: str, as_json: bool) -> None:
    """Change the budget; it must cover what is spent and reserved."""
    found.set_budget(amount, why)
    _done(found, f"The budget is {found.state.problem.budget} now.", as_json)


@study.command()
@_WHY
@_on_a_study
def close(found: Study, why: str, as_json: bool) -> None:
    """End the study; only corrections remain possible."""
    found.close(why)
    _done(found, f"Study {found.name!r} is closed.", as_json)


def _show(found: Study, request: Requested, as_json: bool) -> None:
    if as_json:
        _print_json({"request": _plain(request), **_money(found)})
        return
    what = request.fate if request.value is None else f"{request.fate}, {request.value}"
    click.echo(f"Request {request.number}, {request.feature} of {request.case}: {what}.")
    _print_money(found)


def _done(found: Study, words: str, as_json: bool) -> None:
    if as_json:
        _print_json({"done": words, **_money(found)})
        return
    click.echo(words)
    _print_money(found)


def _plain(request: Requested) -> dict[str, Any]:
    asked = request.asked
    return {
        "number": request.number, "case": request.case, "feature": request.feature,
        "label": request.label, "cost": str(request.cost), "fate": request.fate,
        "value": request.value, "why": request.why, "at": request.at, "by": request.by,
        "scores": asked.scores if asked else [], "engine": asked.engine if asked else "",
        "policy": asked.policy if asked else "",
    }  # fmt: skip


def _money(found: Study) -> dict[str, str]:
    state = found.state
    return {"budget": str(state.problem.budget), "spent": str(state.spent),
            "reserved": str(state.reserved), "free": str(state.free)}  # fmt: skip


def _print_money(found: Study) -> None:
    click.echo(", ".join(f"{name} {amount}" for name, amount in _money(found).items()))


def _shares(given: tuple[str, ...]) -> dict[str, float]:
    shares = {}
    for each in given:
        label, _, share = each.rpartition("=")
        try:
            shares[label] = float(share)
        except ValueError:
            raise click.BadParameter(f"must be LABEL=SHARE, got {each!r}") from None
    return shares


def _write(text: str, out: str | None) -> None:
    if out is None:
        click.echo(text, nl=False)
        return
    with click.open_file(out, "w", encoding="utf-8") as file:
        file.write(text)
    click.echo(f"written: {out}", err=True)


def _print_json(document: Any) -> None:
    click.echo(json.dumps(document, indent=2))


def _console() -> Any:
    from rich.console import Console

    return Console(file=sys.stdout)


def _print(table: Any) -> None:
    _console().print(table)
