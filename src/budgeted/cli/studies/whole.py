"""The commands about whole studies: one is deleted, or an older copy is accepted."""

from __future__ import annotations

import click

from budgeted.cli.studies.options import with_database, with_json
from budgeted.cli.studies.printing import print_json


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
