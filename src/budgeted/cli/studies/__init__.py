"""The commands about studies: a thin skin over `budgeted.studies.study`."""

from __future__ import annotations

import click

from budgeted.cli.studies import (
    files,
    forecasts,
    growth,
    reports,
    results,
)
from budgeted.cli.studies.operations import command_of
from budgeted.studies.commands import COMMANDS


class _Studies(click.Group):
    """The commands below, and every operation that is registered."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *COMMANDS})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        found = super().get_command(ctx, cmd_name)  # an operation may have a form of its own here
        if found is None and cmd_name in COMMANDS:
            return command_of(COMMANDS[cmd_name])
        return found


@click.group(cls=_Studies)
def study() -> None:
    """Run a real study: ask what to buy, tell what came back.

    A study lives in a database, by default the file budgeted.db in the current folder. Several
    people may work on it at once.
    """


for _command in (
    files.new, results.import_values, growth.add_cases, growth.add_feature,
    growth.delete, growth.accept_restore,
    reports.example, reports.list_studies, reports.status,
    reports.why, reports.history, reports.export, reports.verify, reports.model, reports.predict,
    reports.validate, reports.propose_cuts, forecasts.forecast,
):  # fmt: skip
    study.add_command(_command)
