"""The commands that read files: a new study, and many values at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from budgeted.cli.output import telling
from budgeted.cli.studies.options import (
    KEY,
    changing_a_study,
    with_case_columns,
    with_csv,
    with_database,
    with_json,
)
from budgeted.cli.studies.printing import money, print_json, print_money, unasked

if TYPE_CHECKING:
    from budgeted.studies.study import Study


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--cases", required=True, type=click.Path(exists=True, dir_okay=False),
              help="CSV with a line per case: its name, its label, what is known.")  # fmt: skip
@with_case_columns
@with_csv
@click.option("--as", "by", metavar="WHO", help="Who does this, for the log.  [default: you]")
@with_database
@with_json
def new(
    file: str,
    cases: str,
    id_column: str,
    label_column: str,
    group_column: str,
    delimiter: str | None,
    encoding: str,
    by: str | None,
    database: str,
    as_json: bool,
) -> None:
    """Begin a study from a TOML file and a list of cases.

    A column of the list that is called like a feature holds values that are known already; they
    cost nothing.
    """
    from budgeted.studies.files import read_study
    from budgeted.studies.study import Study

    given = read_study(
        file,
        cases,
        id_column=id_column,
        label_column=label_column,
        group_column=group_column,
        delimiter=delimiter,
        encoding=encoding,
    )
    settings = {key: value for key, value in vars(given).items() if key != "problem"}
    with (
        Study.create(database, problem=given.problem, by=by, **settings) as begun,
        telling(lambda: begun.events),
    ):
        if as_json:
            scales = {each.name: each.scale for each in given.problem.features if each.scale}
            print_json({"study": begun.name, "cases": len(given.cases),
                        "known": len(given.known), **money(begun),
                        **({"scales": scales} if scales else {})})  # fmt: skip
            return
        values = "value" if len(given.known) == 1 else "values"
        known = f"{len(given.known)} known {values}, " if given.known else ""
        click.echo(
            f"Study {begun.name!r} begins: {len(given.problem.features)} features, "
            f"{len(given.cases)} cases, {known}budget {given.problem.terms.words()}. Next: "
            f"budgeted study ask"
        )
        for each in given.problem.features:
            if getattr(each.kind, "source", ""):
                click.echo(f"{each.name}: {each.scale}")


@click.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option(
    "--charge", is_flag=True, help="Charge the price of each value that nobody asked for."
)
@click.option("--id", "id_column", default="case", show_default=True,
              help="Column that names the case.")  # fmt: skip
@click.option("--force", is_flag=True,
              help="Take values that are outside the range of their feature.")  # fmt: skip
@with_csv
@KEY
@changing_a_study
def import_values(
    found: Study,
    file: str,
    charge: bool,
    force: bool,
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
    from budgeted.studies.files import read_values

    names = [feature.name for feature in found.state.problem.features]
    values = read_values(file, names, id_column=id_column, delimiter=delimiter, encoding=encoding)
    done = found.record(values, charge=charge, force=force, key=key)
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
    if free["values"] and free["list_price"]:
        click.echo(
            f"{free['values']} of the recorded values were not charged; by the price list they "
            f"cost {free['list_price']}.\n"
            f"An import with --charge charges that; afterwards, correct NUMBER VALUE --cost AMOUNT "
            f"does, one by one."
        )
    print_money(found)
