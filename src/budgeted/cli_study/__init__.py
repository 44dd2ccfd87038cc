"""The commands about studies: a thin skin over `budgeted.study`."""

from __future__ import annotations

import click

from budgeted.cli_study import changes, reports


@click.group()
def study() -> None:
    """Run a real study: ask what to buy, tell what came back.

    A study lives in a database, by default the file budgeted.db in the current folder. Several
    people may work on it at once.
    """


for _command in (
    changes.new, changes.ask, changes.tell, changes.fail, changes.cancel, changes.correct,
    changes.undo, changes.withdraw, changes.record, changes.import_values, changes.budget,
    changes.close, reports.example, reports.list_studies, reports.status, reports.why,
    reports.history, reports.export, reports.verify, reports.model, reports.predict,
    reports.validate,
):  # fmt: skip
    study.add_command(_command)
