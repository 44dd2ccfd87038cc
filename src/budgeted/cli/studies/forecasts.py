"""What the rest of the money will bring, on the command line."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from budgeted.cli.studies.options import on_a_study

if TYPE_CHECKING:
    from rich.console import Console

    from budgeted.studies.forecast import Forecast
    from budgeted.studies.study import Study

_MOST_ROWS = 15


@click.command()
@click.option("--seconds", default=20.0, show_default=True, type=click.FloatRange(min=0),
              help="How long it may take in all; longer is better.")  # fmt: skip
@click.option("--runs", default=400, show_default=True, type=click.IntRange(min=2),
              help="How many ways to go on, at most.")  # fmt: skip
@click.option("--workers", type=click.IntRange(min=1), help="Processes.  [default: one per core]")
@click.option("--figure", type=click.Path(dir_okay=False, writable=True), metavar="FILE",
              help="Write it as a figure: .png, .svg, .pdf, .html or .json.")  # fmt: skip
@on_a_study
def forecast(
    found: Study, seconds: float, runs: int, workers: int | None, figure: str | None, as_json: bool
) -> None:
    """Say how good the classifier will be once the rest of the money is spent.

    The study goes on many times in models that are still possible, and nothing of it is written
    down: what the error will be on the way and at the end, what a fifth more or less money would
    do, and which tests the money will probably go to.

    Until something happens in the study, what was computed is kept, in the folder for caches: the
    same forecast is there at once, and with more --seconds it goes on where it ended.
    """
    import os
    from contextlib import ExitStack

    from rich.console import Console
    from rich.progress import BarColumn, Progress, TimeElapsedColumn

    from budgeted.experiments import executors, figures
    from budgeted.studies.forecast import LEAST, kept_forecast
    from budgeted.studies.journal import now

    if figure is not None:
        figures.check_target(figure)
    number = workers or os.cpu_count() or 1
    bar = Progress(
        "{task.description}", BarColumn(), "{task.completed} of at most {task.total}",
        TimeElapsedColumn(), console=Console(stderr=True), transient=True,
    )  # fmt: skip
    with ExitStack() as stack, bar:
        task = bar.add_task("ways to go on", total=runs)
        said = kept_forecast(
            kept_in(found.snapshot().id),
            found.history(),
            now(),
            seconds=seconds,
            least=min(LEAST, runs),
            most=runs,
            pool=lambda: stack.enter_context(executors.processes(number)) if number > 1 else None,
            workers=number,
            progress=lambda done: bar.update(task, completed=done),
        )
    if figure is not None:
        from budgeted.experiments.figures import forecast_figure

        figures.save(forecast_figure(said, f"How good will {found.name} be?"), figure)
    if as_json:
        click.echo(json.dumps(said.to_plain(), indent=2))
    else:
        print_forecast(said, Console())


def kept_in(id: str) -> Path:
    """Return the file in which the forecast of a study is kept; its folder is made if possible."""
    from budgeted.simulation.datasets import cache_folder

    folder = cache_folder() / "forecasts"
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{id}.jsonl"


def print_forecast(said: Forecast, console: Console) -> None:
    """Print what a forecast says, for people."""
    from rich.box import SIMPLE_HEAD
    from rich.markup import escape
    from rich.table import Table

    console.print(f"{said.words()} ({said.runs} ways to go on)", highlight=False)
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in ("spent", "error", "nine of ten"):
        table.add_column(name, justify="right")
    for point in said.points:
        mark = " (the budget)" if point.money == said.end.money else ""
        table.add_row(
            f"{point.money:.2f}{mark}", f"{point.error:.1%}", f"{point.low:.1%} to {point.high:.1%}"
        )
    console.print(table)
    if not said.features:
        console.print("Nothing more will be bought.", highlight=False)
        return
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("the money will go to")
    for name in ("values", "share of it"):
        table.add_column(name, justify="right")
    for name, (values, share) in list(said.features.items())[:_MOST_ROWS]:
        table.add_row(escape(name), f"{values:.1f}", f"{share:.0%}")
    console.print(table)
    more = len(said.features) - _MOST_ROWS
    if more > 0:
        console.print(f"and {more} more", highlight=False)
