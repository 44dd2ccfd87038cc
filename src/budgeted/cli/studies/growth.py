"""Commands that grow a study, delete it, or accept that it was restored."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

import click

from budgeted.cli.studies.options import (
    KEY,
    changing_a_study,
    with_case_columns,
    with_csv,
    with_database,
    with_json,
)
from budgeted.cli.studies.printing import money, plain, print_json, print_money, show_done

if TYPE_CHECKING:
    from budgeted.studies.study import Study


@click.command("add-cases")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@with_case_columns
@with_csv
@KEY
@changing_a_study
def add_cases(
    found: Study,
    file: str,
    id_column: str,
    label_column: str,
    group_column: str,
    delimiter: str | None,
    encoding: str,
    key: str,
    as_json: bool,
) -> None:
    """Take in cases that arrive later, from a CSV with a line per case.

    All of them, or none. A case that is there already, with the same label, is passed over. A
    column that is called like a feature holds values that are known already: they cost nothing, but
    for one that answers a pending request.
    """
    from budgeted.studies.case_lists import Columns, read_case_list

    columns = Columns(id_column, label_column, group_column)
    given = read_case_list(
        file, found.state.problem, columns=columns, delimiter=delimiter, encoding=encoding
    )
    done = found.add_cases(given.cases, known=given.values, groups=given.groups, key=key)
    if as_json:
        print_json({"added": list(done.new), "there": done.there,
                    "known": [plain(each) for each in done.known], **money(found)})  # fmt: skip
        return
    noun = "case" if len(done.new) == 1 else "cases"
    values = "value" if len(done.known) == 1 else "values"
    click.echo(
        f"{len(done.new)} {noun} added, {done.there} were there already; {len(done.known)} known "
        f"{values} recorded."
    )
    print_money(found)


@click.command("add-feature")
@click.argument("feature")
@click.option("--value", "values", multiple=True, metavar="VALUE",
              help="A value that it can take; once for each, two or more.")  # fmt: skip
@click.option("--cost", required=True, metavar="AMOUNT", help="What one value costs.")
@click.option("--prior-counts", type=float, default=1.0, show_default=True,
              help="Dirichlet count of every value before anything is bought.")  # fmt: skip
@click.option("--kind", default="categorical", show_default=True,
              help="What a value is; see the study file.")  # fmt: skip
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE",
              help="A parameter of the kind, as in a study file; once for each.")  # fmt: skip
@KEY
@changing_a_study
def add_feature(
    found: Study,
    feature: str,
    values: tuple[str, ...],
    cost: str,
    prior_counts: float,
    kind: str,
    settings: tuple[str, ...],
    key: str,
    as_json: bool,
) -> None:
    """Put a new test up for sale, of all cases that are not withdrawn.

    For instance: budgeted study add-feature crp --value normal --value raised --cost 9.50
    """
    from budgeted.studies.commands import AddFeature

    table: dict[str, Any] = {"name": feature, "kind": kind}
    if values:
        table["values"] = list(values)
    table |= dict(map(_setting, settings))
    table |= {"cost": cost, "prior_counts": prior_counts}
    done = found.do(AddFeature(table), key=key)
    words = "; ".join(event.words() for event in done.events) or "It had been added before"
    show_done(found, f"{words[0].upper()}{words[1:]}.", as_json)


def _setting(given: str) -> tuple[str, Any]:
    """Return a parameter that was given as KEY=VALUE; what is no value of TOML is text."""
    key, equals, text = given.partition("=")
    if not equals or not key.strip():
        raise click.BadParameter(f"must be KEY=VALUE, got {given!r}", param_hint="--set")
    try:
        return key.strip(), tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return key.strip(), text.strip()


@click.command()
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask for the name once more.")
@with_database
@with_json
def delete(name: str, yes: bool, database: str, as_json: bool) -> None:
    """Delete a study for good, with all its events.

    Only one that is closed. The name must be typed once more, unless --yes is
    given. Backups of the database still hold it.
    """
    from budgeted.studies.study import Study

    with Study.open(database, name) as found:
        if not yes:
            typed = click.prompt(
                f"{found.events} events go for good. Type the name of the study", err=True
            )
            if typed != found.name:
                raise click.ClickException(
                    f"this is not the name of the study, {found.name!r}; nothing was deleted"
                )
        head = found.delete()
    if as_json:
        print_json({"study": name, "events": head.seq, "digest": head.digest})
        return
    click.echo(f"Study {name!r} is deleted: {head.seq} events, digest {head.digest}.")


@click.command("accept-restore")
@click.argument("name")
@click.option(
    "--because", required=True, metavar="WHY", help="Why the older copy is the right one."
)
@click.option("--as", "by", metavar="WHO", help="Who does this, for the log.  [default: you]")
@with_database
@with_json
def accept_restore(name: str, because: str, by: str | None, database: str, as_json: bool) -> None:
    """Go on with an older copy of a study that was put in place of a newer one.

    A database that lacks what was written to it is not opened. If that is meant, as after a
    restore, this says so. The log keeps who accepted it, why, and how many events are missing.
    """
    from budgeted.studies.study import Study

    with Study.accept_restore(database, name, because, by=by) as found:
        if as_json:
            print_json({"study": name, "events": found.events, "digest": found.head.digest})
            return
        click.echo(f"Study {name!r}: {found.history()[-1].event.words()}.")
