"""Run what is missing, then write docs/benchmark.md: ``python -m benchmark``."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import click

from benchmark.problems import BROAD, MUST_HOLD, Line
from benchmark.promises import HOLDS
from benchmark.report import write
from budgeted import executors
from budgeted.errors import BudgetedError
from budgeted.results import Store
from budgeted.runner import run

ROOT = Path(__file__).resolve().parent.parent


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
@click.option("--docs", default=str(ROOT / "docs"), show_default=False,
              type=click.Path(file_okay=False), help="Folder that the page is written to.")  # fmt: skip
@click.option("--report-only", is_flag=True, help="Compute nothing; report the runs there are.")
def main(
    runs: int | None,
    only: tuple[str, ...],
    tier: str,
    workers: int | None,
    dask: str | None,
    results: str,
    docs: str,
    report_only: bool,
) -> None:
    """Compare the default with all other policies; stop at any time, start again to continue."""
    lines = chosen(only, tier)
    if not report_only:
        try:
            with executors.dask(dask) if dask else executors.processes(workers) as executor:
                for line in lines:
                    started = time.monotonic()
                    experiment = line.experiment(runs)
                    missing = len(Store(Path(results), experiment).missing())
                    if missing:
                        run(experiment, results, executor)
                    seconds = time.monotonic() - started
                    click.echo(f"{line.name}: {missing} runs computed in {seconds:.0f} s", err=True)
        except BudgetedError as error:
            raise click.ClickException(str(error)) from error
    outcomes = write(Path(results), Path(docs), runs)
    for each in outcomes:
        if each.verdict != HOLDS:
            where = each.promise.line.name
            click.echo(f"{each.verdict}: {where}: {each.promise.words}; {each.seen}")
    kept = sum(each.verdict == HOLDS for each in outcomes)
    click.echo(f"wrote {docs}/benchmark.md; {kept} of {len(outcomes)} promises hold")


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
