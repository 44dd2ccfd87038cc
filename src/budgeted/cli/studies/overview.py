"""The command that puts the studies of several databases into one table."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click

from budgeted.cli.studies.options import DATABASE, with_json
from budgeted.cli.studies.printing import print_json, write


@click.command("table")
@click.argument("databases", nargs=-1, metavar="[DATABASE]...")
@click.option("--out", type=click.Path(dir_okay=False, writable=True),
              help="Into this file: .csv, .json or .parquet, by its name.")  # fmt: skip
@with_json
def table(databases: tuple[str, ...], out: str | None, as_json: bool) -> None:
    """Write all studies of databases as one table: a row for each, with its money and its state.

    A DATABASE is a SQLite file, a folder of them, or a URL; that of BUDGETED_DB, or else
    budgeted.db, unless given. CSV unless the file has another ending. Amounts are exact: texts in
    JSON, decimals in Parquet.
    """
    from budgeted.studies.overview import overview, write_parquet

    # Not by `envvar`, which takes a path with blanks in it for several.
    given = databases or (os.environ.get("BUDGETED_DB") or DATABASE,)
    ending = Path(out).suffix.lower() if out else ""
    if as_json and ending not in ("", ".json"):
        raise click.UsageError(f"--json: {out} would be another kind of file")
    if ending == ".parquet":
        write_parquet(given, Path(str(out)))
        click.echo(f"written: {out}", err=True)
    elif as_json or ending == ".json":
        plain = overview(given).to_plain()
        print_json(plain) if out is None else write(json.dumps(plain, indent=2) + "\n", out)
    else:
        write(overview(given).to_csv(), out)
