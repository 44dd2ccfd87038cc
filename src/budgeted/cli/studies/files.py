"""The command that begins a study from files."""

from __future__ import annotations

import click

from budgeted.cli.output import telling
from budgeted.cli.studies.options import with_case_columns, with_csv, with_database, with_json
from budgeted.cli.studies.printing import money, print_json


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
