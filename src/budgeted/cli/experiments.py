"""The commands about experiments."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from decimal import ROUND_DOWN, Decimal
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING

import click

from budgeted.cli.report import report
from budgeted.errors import ExperimentError

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from budgeted.experiments.runs import Runs
    from budgeted.experiments.series import Series
    from budgeted.experiments.spec import Experiment


_SHARES = (25, 50)
"""Per cent of its budget that a policy has spent, for the columns of the table before the last."""


@click.group()
def experiment() -> None:
    """Compare policies as a TOML file says."""


experiment.add_command(report)


@experiment.command()
@click.argument("file", type=click.Path(dir_okay=False))
@click.option("--runs", type=click.IntRange(min=1),
              help="Instead of what the file says; the files get names of their own.")  # fmt: skip
@click.option("--module", "modules", multiple=True, metavar="FILE",
              type=click.Path(dir_okay=False),
              help="Python file with policies of your own; can be repeated.")  # fmt: skip
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
    modules: tuple[str, ...],
    workers: int | None,
    dask: str | None,
    out: str,
    figure_format: str,
    as_json: bool,
) -> None:
    """Run the experiment of a TOML FILE, or what is missing of it.

    Every run is kept as it ends; stop at any time and start again to continue. The results do not
    depend on the number of workers. Runs that other code computed, or of a table or an experiment
    that has changed, and files that are damaged, are not used but computed anew; it is said.
    """
    series = _read(file, modules)
    if runs is not None:
        series = series.with_runs(runs)
    played: list[tuple[Experiment, Path, dict[str, Runs]]] = []
    try:
        with _executor(workers, dask) as executor:
            for each in series.tables.values():
                played.append((each, *run_with_progress(each, Path(out), executor)))
    except KeyboardInterrupt:
        click.echo("stopped: the runs that had ended are kept; start again to continue", err=True)
        raise click.exceptions.Exit(130) from None
    documents, written = [], []
    for chosen, store_path, results in played:
        figures = []
        if figure_format != "none":
            figures = draw(chosen, results, Path(out), figure_format, chosen.results_name)
        if chosen.planned is not None:
            said = f"{chosen.runs} runs instead of {chosen.planned}"
            full = Path(out) / f"{chosen.name}.parquet"
            click.echo(f"{said}: the results are in {store_path}; {full} is left alone", err=True)
        written += [store_path, *figures]
        if as_json:
            documents.append(_document(chosen, results, store_path, figures))
        else:
            budgets = {each.label: each.budget for each in chosen.contenders}
            _print_table(chosen.title, budgets, results)
    if series.several:
        written.append(series.gather(Path(out)))
    if as_json:
        several = {"experiment": series.name, "title": series.title, "tables": documents,
                   "results": str(written[-1])}  # fmt: skip
        click.echo(json.dumps(several if series.several else documents[0], indent=2))
        return
    for path in written:
        click.echo(f"wrote {path}", err=True)


@experiment.command()
@click.argument("file", type=click.Path(dir_okay=False))
@click.option("--json", "as_json", is_flag=True, help="Print JSON for scripts.")
def show(file: str, as_json: bool) -> None:
    """Show what a FILE of results (.parquet) says, and where it comes from.

    That is the experiment, and the fingerprint of the code and the versions that computed it.
    """
    from budgeted.experiments.series import read_all

    found = read_all(Path(file))
    if as_json:
        told = [facts for _, facts, _ in found]
        click.echo(json.dumps(told[0] if len(told) == 1 else told, indent=2, ensure_ascii=False))
        return
    for _, facts, results in found:
        document = facts["experiment"]
        budgets = {each["label"]: each["budget"] for each in document["policy"]}
        _print_table(document["title"], budgets, results)
        click.echo(json.dumps(document, indent=2, ensure_ascii=False))


def run_with_progress(
    chosen: Experiment, out: Path, executor: Executor
) -> tuple[Path, dict[str, Runs]]:
    """Run an experiment behind a progress bar; return the file of the results and the runs."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    from budgeted.experiments.runner import run as run_experiment
    from budgeted.experiments.store import Store

    before = Store(out, chosen).survey()
    for remark in before.remarks():
        click.echo(remark, err=True)
    missing = len(before.missing)
    columns = ("{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as progress:
        total = chosen.runs * len(chosen.contenders)
        task = progress.add_task(chosen.name, total=total, completed=total - missing)
        store = run_experiment(chosen, out, executor, after_run=lambda: progress.advance(task))
    if missing < total:
        click.echo(
            f"{chosen.name}: runs that were there already: {total - missing}; computed: {missing}",
            err=True,
        )
    return store.results, store.load()


def draw(
    chosen: Experiment, results: Mapping[str, Runs], out: Path, ending: str, name: str = ""
) -> list[Path]:
    """Draw the curves and the purchases per feature; return the files.

    They are called as the experiment is unless a name is given.
    """
    from budgeted.experiments.figures import curves_figure, purchases_figure, save

    name = name or chosen.name
    return [
        save(curves_figure(chosen.title, results), out / f"{name}.{ending}"),
        save(purchases_figure(chosen.title, results), out / f"{name}-purchases.{ending}"),
    ]


def _read(file: str, modules: tuple[str, ...]) -> Series:
    """Read an experiment; several mistakes have a line each."""
    from budgeted.experiments.series import read_series

    try:
        return read_series(file, modules)
    except ExperimentError as error:
        if len(error.mistakes) == 1:
            (only,) = error.mistakes
            if only.startswith(file):
                raise
            raise click.ClickException(f"{file}: {only}") from error
        lines = [f"{file}: {len(error.mistakes)} mistakes", *error.mistakes]
        raise click.ClickException("\n  ".join(lines)) from error


@contextmanager
def _executor(workers: int | None, dask: str | None) -> Iterator[Executor]:
    from budgeted.experiments import executors

    with executors.dask(dask) if dask else executors.processes(workers) as executor:
        yield executor


def _print_table(title: str, budgets: Mapping[str, str], results: Mapping[str, Runs]) -> None:
    """Print the errors by money: where prices differ, purchases cannot be compared."""
    from rich.console import Console
    from rich.table import Table

    from budgeted.experiments.problems import terms_of
    from budgeted.statistics import Mean

    several = len(set(budgets.values())) > 1
    runs = max(map(len, results.values()))
    money = "" if several else f", budget {terms_of(next(iter(budgets.values()))).words()}"
    table = Table(
        title=f"{title}: 0/1 error, mean ± standard error of {runs} runs{money}",
        caption=_origin(results),
    )
    table.add_column("policy")
    if several:
        table.add_column("budget", justify="right")
    for share in _SHARES:
        table.add_column(f"{share} % spent", justify="right", no_wrap=True)
    table.add_column("at the end", justify="right", no_wrap=True)
    limits = {each: terms_of(budget).limit for each, budget in budgets.items()}
    unspent = any(played.mean_spent < limits[each] for each, played in results.items())
    if unspent:
        table.add_column("spent", justify="right", no_wrap=True)
    for label, played in results.items():
        budget = limits[label]
        amounts = [budget * share / 100 for share in _SHARES]
        errors = [played.error_within(each) for each in (*amounts, budget)]
        cells = ["–" if isnan(each.sum()) else str(Mean.of(each)) for each in errors]
        for at, amount in enumerate(amounts):
            if played.mean_spent < amount:  # it stopped before, and never spent so much
                cells[at] = "–"
        spent = [_amount(played)] if unspent else []
        table.add_row(
            label, *([terms_of(budgets[label]).words()] if several else []), *cells, *spent
        )
    Console().print(table)


def _amount(played: Runs) -> str:
    """Return what was spent on average, rounded down: less than a budget must not look like it."""
    decimals = (-int(each.as_tuple().exponent) for each in played.spent_at_end)
    unit = Decimal(1).scaleb(-max(2, *decimals))
    mean = played.mean_spent
    return f"{mean if mean == mean.to_integral() else mean.quantize(unit, ROUND_DOWN):f}"


def _origin(results: Mapping[str, Runs]) -> str:
    """Return in words which code the runs come from; a mixture is refused."""
    from budgeted.experiments.runs import one_fingerprint, versions

    return f"code {one_fingerprint(results.values())}; {versions(results.values())}"


def _document(
    chosen: Experiment, results: Mapping[str, Runs], path: Path, figures: list[Path]
) -> dict[str, object]:
    from budgeted.experiments.runs import one_fingerprint, provenances

    budgets = {each.label: each.budget for each in chosen.contenders}
    return {
        "experiment": chosen.name,
        "title": chosen.title,
        "runs": chosen.runs,
        "seed": chosen.seed,
        "fingerprint": one_fingerprint(results.values()),
        "provenance": [each.document() for each in provenances(results.values())],
        "results": str(path),
        "figures": [str(each) for each in figures],
        "policies": [
            {
                "label": label,
                "budget": budgets[label],
                "mean_spent": float(runs.mean_spent),
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
