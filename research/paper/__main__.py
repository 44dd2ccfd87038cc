"""Run every experiment, draw every figure, decide every claim: ``python -m research.paper``."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import click

from budgeted.cli.experiments import run_with_progress
from budgeted.experiments import executors
from budgeted.experiments.comparison import curves_figure, purchases_figure
from budgeted.experiments.figures import save
from budgeted.experiments.runs import Runs
from budgeted.experiments.spec import Experiment, read
from budgeted.experiments.store import Store
from research.paper.claims import CLAIMS, RUN_TIMES, run_times
from research.paper.origin import Origin, folder_of_page
from research.paper.report import PAGE, Circumstances, page
from research.pictures import save_small

EXPERIMENTS = Path(__file__).with_name("experiments")
"""A file for each figure and table of the paper."""
FULL = 50
"""Runs of the committed page."""


@click.command()
@click.option("--runs", default=FULL, show_default=True, type=click.IntRange(min=2),
              help="Any other number is a look, and its page goes elsewhere.")  # fmt: skip
@click.option("--workers", type=click.IntRange(min=1), help="[default: one per core]")
@click.option("--out", default="results", show_default=True, help="Where results are kept.")
@click.option("--docs", help="Where the page goes.  [default: docs; a look: OUT/look]")
def main(runs: int, workers: int | None, out: str, docs: str | None) -> None:
    """Reproduce the paper; what is in the results folder already is not computed again."""
    began = time.monotonic()
    look = "" if runs == FULL else f"{runs} runs instead of {FULL}"
    home = folder_of_page(docs, Path(out), look)
    experiments = {
        path.stem: read(path).with_runs(runs) for path in sorted(EXPERIMENTS.glob("*.toml"))
    }
    computed = sum(len(Store(Path(out), each).missing()) for each in experiments.values())
    results: dict[str, dict[str, Runs]] = {}
    folder = home / "reproduction"
    folder.mkdir(parents=True, exist_ok=True)
    with executors.processes(workers) as executor:
        for name, experiment in experiments.items():
            _, results[name] = run_with_progress(experiment, Path(out), executor)
        drawn = [
            executor.submit(_draw, experiment.title, results[name], folder, name)
            for name, experiment in experiments.items()
        ]
        for each in drawn:
            each.result()
    findings = [(claim, claim.decide(results)) for claim in CLAIMS]
    findings.append((RUN_TIMES, run_times(_seconds(experiments["figure-4a"]))))
    findings.sort(key=lambda pair: pair[0].number)
    minutes = (time.monotonic() - began) / 60
    circumstances = Circumstances(
        Origin.of(each for policies in results.values() for each in policies.values()),
        computed,
        sum(each.runs * len(each.contenders) for each in experiments.values()),
        minutes,
        workers or os.cpu_count() or 1,
    )
    target = home / PAGE.name
    target.write_text(page(experiments, results, findings, circumstances), encoding="utf-8")
    for claim, finding in findings:
        click.echo(f"{claim.number:>3}  {finding.verdict:<14}  {claim.words}")
    click.echo(f"wrote {target}; {computed} runs computed, {minutes:.1f} minutes")
    if look:
        click.echo(f"this is a look ({look}); the committed page is as it was")


def _draw(title: str, results: Mapping[str, Runs], folder: Path, name: str) -> None:
    """Draw the curves, which the page shows, and the purchases, which are not kept with it."""
    save_small(curves_figure(title, results), folder / f"{name}.svg")
    save(purchases_figure(title, results), folder / f"{name}-purchases.svg")


def _seconds(experiment: Experiment, repeats: int = 3) -> dict[str, float]:
    """Mean seconds of a whole run of each policy, in this process, one after the other."""
    seconds = {}
    for contender in experiment.contenders:
        experiment.play(contender, 0)  # what is loaded once is not counted
        start = time.perf_counter()
        for run in range(repeats):
            experiment.play(contender, run)
        seconds[contender.label] = (time.perf_counter() - start) / repeats
    return seconds


if __name__ == "__main__":
    sys.exit(main())
