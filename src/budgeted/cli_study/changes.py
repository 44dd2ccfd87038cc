"""The commands that change a study."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from budgeted.cli_output import telling
from budgeted.cli_study.options import (
    KEY,
    WHY,
    changing_a_study,
    money,
    plain,
    print_json,
    print_money,
    print_table,
    show_done,
    show_request,
    unasked,
    with_csv,
    with_database,
    with_json,
)

if TYPE_CHECKING:
    from budgeted.study import Study


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--cases", required=True, type=click.Path(exists=True, dir_okay=False),
              help="CSV with a line per case: its name and its label.")  # fmt: skip
@click.option("--id", "id_column", default="case", show_default=True,
              help="Column that names the case.")  # fmt: skip
@click.option("--label", "label_column", default="label", show_default=True,
              help="Column that holds the label.")  # fmt: skip
@with_csv
@click.option("--as", "by", metavar="WHO", help="Who does this, for the log.  [default: you]")
@with_database
@with_json
def new(
    file: str,
    cases: str,
    id_column: str,
    label_column: str,
    delimiter: str | None,
    encoding: str,
    by: str | None,
    database: str,
    as_json: bool,
) -> None:
    """Begin a study from a TOML file and a list of cases."""
    from budgeted.study import Study
    from budgeted.study.file import read_study

    given = read_study(
        file,
        cases,
        id_column=id_column,
        label_column=label_column,
        delimiter=delimiter,
        encoding=encoding,
    )
    settings = {key: value for key, value in vars(given).items() if key != "problem"}
    with (
        Study.create(database, problem=given.problem, by=by, **settings) as begun,
        telling(lambda: begun.events),
    ):
        if as_json:
            print_json({"study": begun.name, "cases": len(given.cases), **money(begun)})
            return
        click.echo(
            f"Study {begun.name!r} begins: {len(given.problem.features)} features, "
            f"{len(given.cases)} cases, budget {given.problem.budget}. Next: budgeted study ask"
        )


@click.command()
@click.option("-n", "number", default=1, show_default=True, type=click.IntRange(min=1),
              help="How many requests, worth having together.")  # fmt: skip
@KEY
@changing_a_study
def ask(found: Study, number: int, key: str, as_json: bool) -> None:
    """Say what to buy next, and reserve the money for it."""
    from budgeted.cli_study.views import requests_table
    from budgeted.study.words import why_fewer

    asked = found.ask(number, key=key)
    if as_json:
        print_json({"requests": [plain(each) for each in asked], **money(found)})
        return
    if asked:
        print_table(requests_table(asked))
    if fewer := why_fewer(asked, number, found.state):
        click.echo(f"Nothing more can be bought: {fewer}.")
    print_money(found)


@click.command()
@click.argument("number", type=int)
@click.argument("value")
@click.option("--cost", help="What was charged, if not the listed price.")
@KEY
@changing_a_study
def tell(found: Study, number: int, value: str, cost: str | None, key: str, as_json: bool) -> None:
    """Write down the value of a request."""
    show_request(found, found.tell(number, value, cost, key=key), as_json)


@click.command()
@click.argument("number", type=int)
@click.option("--charged", is_flag=True, help="Its cost was charged all the same.")
@click.option("--charge", metavar="AMOUNT", help="So much was charged.")
@click.option("--unusable", is_flag=True, help="Do not ask this case for this feature again.")
@WHY
@KEY
@changing_a_study
def fail(
    found: Study,
    number: int,
    charged: bool,
    charge: str | None,
    unusable: bool,
    why: str,
    key: str,
    as_json: bool,
) -> None:
    """Write down that a request brought no value; its money comes back unless charged."""
    cost: str | bool = charged if charge is None else charge
    done = found.fail(number, charged=cost, usable=not unusable, why=why, key=key)
    show_request(found, done, as_json)


@click.command()
@click.argument("number", type=int)
@WHY
@KEY
@changing_a_study
def cancel(found: Study, number: int, why: str, key: str, as_json: bool) -> None:
    """Take back a request: its money and its case are free again."""
    show_request(found, found.cancel(number, why, key=key), as_json)


@click.command()
@click.argument("number", type=int)
@click.argument("value", required=False)
@click.option("--no-value", is_flag=True, help="There is no value after all.")
@click.option("--cost", help="What was really charged.")
@WHY
@KEY
@changing_a_study
def correct(
    found: Study,
    number: int,
    value: str | None,
    no_value: bool,
    cost: str | None,
    why: str,
    key: str,
    as_json: bool,
) -> None:
    """Replace a value that was told or recorded; the log keeps both."""
    if (value is None) != no_value:
        raise click.UsageError("give the right VALUE, or --no-value")
    show_request(found, found.correct(number, value, cost=cost, why=why, key=key), as_json)


@click.command()
@click.argument("number", type=int)
@WHY
@KEY
@changing_a_study
def undo(found: Study, number: int, why: str, key: str, as_json: bool) -> None:
    """Take back a slip: a request that was told, failed or cancelled is pending again."""
    show_request(found, found.undo(number, why, key=key), as_json)


@click.command()
@click.argument("case")
@click.option(
    "--forget",
    is_flag=True,
    help="Also take its values out of the classifier and of all that is shown.",
)
@WHY
@KEY
@changing_a_study
def withdraw(found: Study, case: str, forget: bool, why: str, key: str, as_json: bool) -> None:
    """Take a case out for good; its pending requests are cancelled.

    With --forget its values are taken out of the classifier, and no log, export or page shows them
    any more. The database itself still holds them. A case that was withdrawn before can be
    forgotten later.
    """
    from budgeted.study.forgetting import STILL_THERE

    cancelled = found.withdraw(case, forget=forget, why=why, key=key)
    words = f"Case {case} is withdrawn for good: nothing can be bought from it any more."
    if cancelled:
        words += f" Cancelled: {', '.join(f'request {each.number}' for each in cancelled)}."
    if forget:
        words += (
            " Its values are out of the classifier, and neither the log nor an export shows them "
            f"any more; what they cost stays spent.\n{STILL_THERE}"
        )
    show_done(found, words, as_json)


@click.command()
@click.argument("case")
@click.argument("feature")
@click.argument("value")
@click.option("--charge", metavar="AMOUNT", help="What it cost.")
@KEY
@changing_a_study
def record(
    found: Study, case: str, feature: str, value: str, charge: str | None, key: str, as_json: bool
) -> None:
    """Write down a value that nobody asked for; it costs nothing unless --charge says so.

    A value that is asked for and pending is told, at the price that was reserved unless --charge
    says another.
    """
    done = found.record(
        [(case, feature, value)], charge=False if charge is None else charge, key=key
    )
    if done:
        show_request(found, done[0], as_json)
        free = unasked(found, done)
        if free["values"] and not as_json:
            click.echo(
                f"It was not charged; by the price list it costs {free['list_price']}. To charge "
                f"that: budgeted study correct {done[0].number} {done[0].value} --cost "
                f"{free['list_price']}"
            )
    else:
        show_done(found, "This value is there already.", as_json)


@click.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option(
    "--charge", is_flag=True, help="Charge the price of each value that nobody asked for."
)
@click.option("--id", "id_column", default="case", show_default=True,
              help="Column that names the case.")  # fmt: skip
@with_csv
@KEY
@changing_a_study
def import_values(
    found: Study,
    file: str,
    charge: bool,
    id_column: str,
    delimiter: str | None,
    encoding: str,
    key: str,
    as_json: bool,
) -> None:
    """Take in a CSV of values, a line per case, a column per feature.

    Values that answer a pending request are told, others recorded; all of them or none. Those that
    nobody asked for are free unless --charge is given; what they would have cost is said.
    """
    from budgeted.study.file import read_values

    names = [feature.name for feature in found.state.problem.features]
    values = read_values(file, names, id_column=id_column, delimiter=delimiter, encoding=encoding)
    done = found.record(values, charge=charge, key=key)
    told = sum(each.asked is not None for each in done)
    if as_json:
        print_json({"told": told, "recorded": len(done) - told, "known": len(values) - len(done),
                    "not_charged": unasked(found, done), **money(found)})  # fmt: skip
        return
    click.echo(
        f"{told} requests told, {len(done) - told} values recorded, "
        f"{len(values) - len(done)} were known."
    )
    free = unasked(found, done)
    if free["values"]:
        click.echo(
            f"{free['values']} of the recorded values were not charged; by the price list they "
            f"cost {free['list_price']}.\n"
            f"An import with --charge charges that; afterwards, correct NUMBER VALUE --cost AMOUNT "
            f"does, one by one."
        )
    print_money(found)


@click.command()
@click.argument("amount")
@WHY
@KEY
@changing_a_study
def budget(found: Study, amount: str, why: str, key: str, as_json: bool) -> None:
    """Change the budget; it must cover what is spent and reserved."""
    found.set_budget(amount, why, key=key)
    show_done(found, f"The budget is {found.state.problem.budget} now.", as_json)


@click.command()
@WHY
@KEY
@changing_a_study
def close(found: Study, why: str, key: str, as_json: bool) -> None:
    """End the study; only corrections remain possible."""
    found.close(why, key=key)
    words = f"Study {found.name!r} is closed: {found.events} events, digest {found.head.digest}."
    show_done(found, words, as_json)
