"""The commands about experiments."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from budgeted.experiment import Experiment
    from budgeted.runs import Runs


@click.group()
def experiment() -> None:
    """Compare policies as a TOML file says."""


@experiment.command()
@click.argument("file", type=click.Path(dir_okay=False))
@click.option("--runs", type=click.IntRange(min=1), help="Instead of what the file says.")
@click.option("--workers", type=click.IntRange(min=1), help="Processes.  [default: one per core]")
@click.option("--dask", metavar="ADDRESS", help="Compute on a Dask cluster; 'local' starts one.")
@click.option("--out", default="results", show_default=True, type=click.Path(file_okay=False),
              help="Folder of the results; runs that are there are not done again.")  # fmt: skip
@click.option("--figure", "figure_format", default="png", show_default=True,
              type=click.Choice(["png", "svg", "pdf", "html", "json", "none"]),
              help="How to draw the curves and the purchases per feature.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print JSON for scripts.")
def run(
    file: str,
    runs: int | None,
    workers: int | None,
    dask: str | None,
    out: str,
    figure_format: str,
    as_json: bool,
) -> None:
    """Run the experiment of a TOML FILE, or what is missing of it.

    Every run is kept as it ends; stop at any time and start again to continue. The results do not
    depend on the number of workers.
    """
    from budgeted.experiment import read

    chosen = read(file)
    if runs is not None:
        chosen = chosen.with_runs(runs)
    try:
        with _executor(workers, dask) as executor:
            store_path, results = run_with_progress(chosen, Path(out), executor)
    except KeyboardInterrupt:
        click.echo("stopped: the runs that had ended are kept; start again to continue", err=True)
        raise click.exceptions.Exit(130) from None
    figures = []
    if figure_format != "none":
        figures = draw(chosen, results, Path(out), figure_format)
    if as_json:
        click.echo(json.dumps(_document(chosen, results, store_path, figures), indent=2))
        return
    _print_table(chosen, results)
    for path in (store_path, *figures):
        click.echo(f"wrote {path}", err=True)


def run_with_progress(
    chosen: Experiment, out: Path, executor: Executor
) -> tuple[Path, dict[str, Runs]]:
    """Run an experiment behind a progress bar; return the file of the results and the runs."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    from budgeted.results import Store
    from budgeted.runner import run as run_experiment

    missing = len(Store(out, chosen).missing())
    columns = ("{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as progress:
        total = chosen.runs * len(chosen.contenders)
        task = progress.add_task(chosen.name, total=total, completed=total - missing)
        store = run_experiment(chosen, out, executor, after_run=lambda: progress.advance(task))
    return store.results, store.load()


def draw(chosen: Experiment, results: Mapping[str, Runs], out: Path, ending: str) -> list[Path]:
    """Draw the curves and the purchases per feature; return the files."""
    from budgeted.comparison import curves_figure, purchases_figure
    from budgeted.figures import save

    return [
        save(curves_figure(chosen.title, results), out / f"{chosen.name}.{ending}"),
        save(purchases_figure(chosen.title, results), out / f"{chosen.name}-purchases.{ending}"),
    ]


@contextmanager
def _executor(workers: int | None, dask: str | None) -> Iterator[Executor]:
    from budgeted import executors

    with executors.dask(dask) if dask else executors.processes(workers) as executor:
        yield executor


def _print_table(chosen: Experiment, results: Mapping[str, Runs]) -> None:
    from rich.console import Console
    from rich.table import Table

    from budgeted.runs import Mean

    longest = max(runs.errors.shape[1] for runs in results.values())
    checkpoints = sorted({max(1, longest // 6), max(1, longest // 3), longest})
    table = Table(title=f"{chosen.title}: 0/1 error, mean ± standard error of {chosen.runs} runs")
    table.add_column("policy")
    for checkpoint in checkpoints:
        table.add_column(f"after {checkpoint}", justify="right", no_wrap=True)
    for label, runs in results.items():
        reached = [at for at in checkpoints if at <= runs.errors.shape[1]]
        cells = [str(Mean.of(runs.error_after(at))) for at in reached]
        table.add_row(label, *cells)
    Console().print(table)


def _document(
    chosen: Experiment, results: Mapping[str, Runs], path: Path, figures: list[Path]
) -> dict[str, object]:
    return {
        "experiment": chosen.name,
        "title": chosen.title,
        "runs": chosen.runs,
        "seed": chosen.seed,
        "results": str(path),
        "figures": [str(each) for each in figures],
        "policies": [
            {
                "label": label,
                "curve": runs.curve(),
                "mean_purchases": dict(
                    zip(runs.features, runs.purchases.mean(axis=0).tolist(), strict=True)
                ),
                "complete_training_data_error": float(runs.complete.mean()),
                "best_single_feature_error": float(runs.single.mean()),
            }
            for label, runs in results.items()
        ],
    }
