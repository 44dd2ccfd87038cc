"""Run what is missing, then write docs/benchmark.md: ``python -m benchmark``."""

from __future__ import annotations

import sys
import time
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path

import click
from reproduction.origin import folder_of_page

from benchmark.problems import BROAD, MUST_HOLD, Line
from benchmark.promises import HOLDS
from benchmark.report import Material, write
from budgeted import executors
from budgeted.errors import BudgetedError
from budgeted.results import Store, Survey
from budgeted.runner import run


@click.command()
@click.option("--runs", type=click.IntRange(min=2),
              help="Of every problem.  [default: 200 on mushroom, 100 elsewhere, broad 20]")  # fmt: skip
@click.option("--only", multiple=True, metavar="NAME",
              help="Only this problem (mushroom) or line (mushroom-300); can be repeated.")  # fmt: skip
@click.option("--tier", type=click.Choice(["default", "all"]), default="default", show_default=True,
              help="What was promised; or after it also every policy with every belief.")  # fmt: skip
@click.option("--workers", type=click.IntRange(min=1), help="Processes.  [default: one per core]")
@click.option("--dask", metavar="ADDRESS", help="Compute on a Dask cluster; 'local' starts one.")
@click.option("--results", default="results", show_default=True, type=click.Path(file_okay=False),
              help="Folder of the results; runs that are there are not done again.")  # fmt: skip
@click.option("--docs", type=click.Path(file_okay=False),
              help="Folder that the page is written to.  [default: docs; a look: RESULTS/look]")  # fmt: skip
@click.option("--report-only", is_flag=True, help="Compute nothing; report the runs there are.")
@click.option("--fingerprint", default="", metavar="CODE",
              help="With --report-only: the runs of this code, instead of that of today.")  # fmt: skip
def main(
    runs: int | None,
    only: tuple[str, ...],
    tier: str,
    workers: int | None,
    dask: str | None,
    results: str,
    docs: str | None,
    report_only: bool,
    fingerprint: str,
) -> None:
    """Compare the default with all other policies; stop at any time, start again to continue.

    The page in docs is written only from all runs of all problems, computed by the same code.
    Everything else is a look, and its page goes elsewhere.
    """
    lines = chosen(only, tier)
    if fingerprint and not report_only:
        raise click.UsageError("--fingerprint needs --report-only: code of old is not here to run")
    given = {"--only": only, "--runs": runs}
    asked = ", ".join(name for name, value in given.items() if value)
    folder_of_page(docs, Path(results), asked)  # refused now rather than after hours
    try:
        if not report_only:
            with executors.dask(dask) if dask else executors.processes(workers) as executor:
                for line in lines:
                    compute(line, runs, Path(results), executor)
        elif not fingerprint:
            for line in lines:
                survey = Store(Path(results), line.experiment(runs)).survey()
                say(replace(survey, damaged=[]))  # nothing is done again; reading will name them
        material = Material.read(Path(results), runs, fingerprint=fingerprint)
        look = asked or ", ".join(f"{name} lacks runs" for name in material.lacking[:3])
        home = folder_of_page(docs, Path(results), look)
        outcomes = write(material, home)
    except BudgetedError as error:
        raise click.ClickException(str(error)) from error
    for each in outcomes:
        if each.verdict != HOLDS:
            where = each.promise.line.name
            click.echo(f"{each.verdict}: {where}: {each.promise.words}; {each.seen}")
    kept = sum(each.verdict == HOLDS for each in outcomes)
    click.echo(f"wrote {home / 'benchmark.md'}; {kept} of {len(outcomes)} promises hold")
    if look:
        click.echo(f"this is a look ({look}); the committed page is as it was")


def compute(line: Line, runs: int | None, results: Path, executor: Executor) -> None:
    """Compute the runs of a line that are missing."""
    started = time.monotonic()
    experiment = line.experiment(runs)
    survey = Store(results, experiment).survey()
    say(survey)
    missing = len(survey.missing)
    if missing:
        run(experiment, results, executor)
    seconds = time.monotonic() - started
    click.echo(f"{line.name}: {missing} runs computed in {seconds:.0f} s", err=True)


def say(survey: Survey) -> None:
    """Name what is there and cannot be used."""
    for remark in survey.remarks():
        click.echo(remark, err=True)


def chosen(only: tuple[str, ...], tier: str) -> list[Line]:
    """Return the lines to run, in their order; every name must be that of one."""
    lines = [*MUST_HOLD, *(BROAD if tier == "all" else ())]
    unknown = [name for name in only if not any(name in _names(line) for line in lines)]
    if unknown:
        known = ", ".join(dict.fromkeys(line.topic for line in lines))
        raise click.BadParameter(f"no problem {', '.join(unknown)}; there are {known}")
    return [line for line in lines if not only or set(only) & _names(line)]


def _names(line: Line) -> set[str]:
    return {line.name, line.topic, line.problem}


if __name__ == "__main__":
    sys.exit(main())
