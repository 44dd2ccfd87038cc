"""How much money for which error? On the command line, before a study begins."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from budgeted.cli.options import settings_of
from budgeted.cli.studies.options import with_case_columns, with_csv, with_json

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from rich.console import Console

    from budgeted.studies.planning import Plan

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_CASES = 200


@click.command()
@click.argument("study_file", metavar="STUDY", type=_FILE)
@click.option("--cases", type=_FILE, help="The list of cases, as for 'study new'.")
@click.option(
    "--number",
    type=click.IntRange(min=2),
    help=f"Without a list: how many cases there will be.  [default: {_CASES}]",
)
@click.option(
    "--table",
    type=_FILE,
    help="A CSV of old or pilot cases, with a column for the label and one for each test "
    "that was done.",
)
@click.option("--matter", type=float, metavar="TESTS", help="About how many tests matter.")
@click.option(
    "--best-alone",
    type=float,
    metavar="SHARE",
    help="About which share of cases the best test alone gets right, such as 0.8.",
)
@click.option("--target", type=float, metavar="ERROR", help="An error to be reached, such as 0.2.")
@click.option(
    "--probability", type=float, metavar="SHARE", help="How sure that is to be.  [default: 0.8]"
)
@click.option(
    "--up-to",
    metavar="AMOUNT",
    help="The largest budget to look at.  [default: twice that of the study]",
)
@click.option(
    "--without", multiple=True, metavar="TEST", help="What if this test is left out? Once for each."
)
@click.option(
    "--cost",
    "costs",
    multiple=True,
    metavar="TEST=AMOUNT",
    callback=settings_of,
    help="What if this test, or this panel, costs so much? Once for each.",
)
@click.option(
    "--times", type=float, metavar="NUMBER", help="What if there are so many times as many cases?"
)
@click.option(
    "--runs",
    default=100,
    show_default=True,
    type=click.IntRange(min=5),
    help="In how many possible worlds each design is played.",
)
@click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(min=0), help="Which worlds."
)
@click.option("--workers", type=click.IntRange(min=1), help="Processes.  [default: one per core]")
@click.option(
    "--dask",
    metavar="ADDRESS",
    help="Compute on a Dask cluster; 'local' starts one on this machine.",
)
@click.option(
    "--keep",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Keep the runs in this file; with the same file a plan that was stopped goes on.",
)
@click.option(
    "--figure",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Draw the curves here (.png, .svg, .pdf, .html or .json).",
)
@with_case_columns
@with_csv
@with_json
def plan(
    study_file: Path,
    cases: Path | None,
    number: int | None,
    table: Path | None,
    id_column: str,
    label_column: str,
    group_column: str,
    delimiter: str | None,
    encoding: str,
    as_json: bool,
    runs: int,
    seed: int,
    workers: int | None,
    dask: str | None,
    keep: Path | None,
    figure: Path | None,
    **given: Any,
) -> None:
    """Say how much money reaches which error, before the first purchase.

    STUDY is a study file. It is played many times, with its prices, cases and policy, in worlds
    that are possible by an old table (--table), by what you expect (--matter, --best-alone), or by
    both; and, beside it, the usual way to run a study, every test on every case. A table [plan] in
    the study file can hold matter, best_alone, target_error, probability, cases, up_to and
    [[plan.what_if]]; options come first.
    """  # fmt: skip
    import os

    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    from budgeted.experiments import executors, figures
    from budgeted.studies.case_lists import Columns
    from budgeted.studies.journal import now
    from budgeted.studies.planning import ask, changes

    if cases is not None and number is not None:
        raise click.UsageError("--cases and --number: give one of them")
    if figure is not None:
        figures.check_target(figure)
    _check_probability(study_file, given)
    asked = ask(
        study_file,
        cases=number if cases is None else cases,
        table=table,
        what_ifs=changes(given.pop("without"), given.pop("costs"), given.pop("times")),
        runs=runs,
        seed=seed,
        columns=Columns(id_column, label_column, group_column),
        delimiter=delimiter,
        encoding=encoding,
        **given,
    )
    count = workers or os.cpu_count() or 1
    opened: AbstractContextManager[Executor] = (
        executors.dask(dask) if dask is not None else executors.processes(count)
    )
    try:
        with (
            opened as pool,
            Progress(
                "{task.description}",
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
            ) as bar,
        ):
            shown = bar.add_task("studies played", total=None)
            made = asked.plan(
                now(),
                pool=pool,
                workers=count,
                keep=keep,
                progress=lambda done, total: bar.update(shown, completed=done, total=total),
            )
    except KeyboardInterrupt:
        kept = (
            "nothing is kept; with --keep FILE it could go on"
            if keep is None
            else f"the runs that had ended are kept in {keep}; start again to continue"
        )
        click.echo(f"stopped: {kept}", err=True)
        raise click.exceptions.Exit(130) from None
    if figure is not None:
        figures.save(figures.planned_errors(made.to_plain()), figure)
    if as_json:
        click.echo(json.dumps(made.to_plain(), indent=2))
    else:
        print_plan(made, Console())


def _check_probability(study_file: Path, given: dict[str, Any]) -> None:
    """Say which option is missing, where an option is what asks for it."""
    from budgeted.studies.planning import plan_settings

    if given["probability"] is None or given["target"] is not None:
        return
    if "target_error" not in plan_settings(study_file):
        raise click.UsageError("--probability is about a target; give one with --target")


def print_plan(made: Plan, console: Console) -> None:
    """Print what a plan says, for people."""
    from rich.box import SIMPLE_HEAD
    from rich.markup import escape
    from rich.table import Table

    from budgeted.problem import money

    console.print(escape(made.words()), highlight=False)
    console.print(escape(f"Each design was played in {made.runs} worlds, possible by: "
                         f"{made.source}.\n"), highlight=False)  # fmt: skip
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("money", justify="right")
    for curve in made.curves:
        table.add_column(escape(curve.name), justify="right", overflow="fold")
    rows = zip(*(curve.points for curve in made.curves), strict=True)
    for row in rows:
        mark = " (budget)" if row[0].money == made.budget else ""
        cells = [f"{each.error:.1%} ({each.low:.0%}–{each.high:.0%})" for each in row]
        table.add_row(f"{money.show(row[0].money)}{mark}", *cells)
    console.print(table)
    if made.target is None:
        return
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    sure = f"{made.target.error:.1%} with a probability of {made.target.probability:.0%}"
    for name in ("design", f"money for {sure}", "best that is so sure"):
        table.add_column(name, justify="left" if name == "design" else "right")
    for curve in made.curves:
        found = curve.needed(made.target)
        amount = "not reached" if found.money is None else money.show(found.money)
        table.add_row(escape(curve.name), amount, f"{found.best:.1%}")
    console.print(table)
