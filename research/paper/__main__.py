"""Run every experiment, draw every figure, decide every claim: ``python -m research.paper``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from budgeted.cli.experiments import run_with_progress
from budgeted.experiments import executors
from budgeted.experiments.runs import Runs, one_fingerprint, versions
from research.paper import report
from research.paper.figures import DRAWINGS, draw, figure
from research.paper.other_claims import measured_seconds, run_times
from research.paper.readings import MAIN, Planned, plan, views
from research.paper.rules import Finding

EXPERIMENTS = Path(__file__).with_name("experiments")
"""A file for each figure and table of the paper."""
FULL = 50
"""Runs of the committed page."""
_TIMED = f"mushroom-{MAIN}"
"""The experiment whose run times are measured."""


@click.command()
@click.option("--runs", default=FULL, show_default=True, type=click.IntRange(min=2),
              help="Any other number is a look, and its page goes elsewhere.")  # fmt: skip
@click.option("--workers", type=click.IntRange(min=1), help="[default: one per core]")
@click.option("--out", default="results", show_default=True, help="Where results are kept.")
@click.option("--docs", help="Where the page goes.  [default: docs; a look: OUT/look]")
def main(runs: int, workers: int | None, out: str, docs: str | None) -> None:
    """Reproduce the paper; what is in the results folder already is not computed again."""
    look = f"{runs} runs instead of {FULL}" if runs != FULL else ""
    home = folder_of_page(docs, Path(out), look)
    planned = plan(EXPERIMENTS, runs)
    results: dict[str, dict[str, Runs]] = {}
    folder = home / "reproduction"
    folder.mkdir(parents=True, exist_ok=True)
    with executors.processes(workers) as executor:
        for each in planned:
            _, results[each.experiment.name] = run_with_progress(
                each.experiment, Path(out), executor
            )
        readings = views(planned, results)
        drawn = [
            executor.submit(draw, figure(each, readings[MAIN]), folder, each.name)
            for each in DRAWINGS
            if each.stem in readings[MAIN]
        ]
        for each_drawn in drawn:
            each_drawn.result()
    findings = {
        (claim.number, name): claim.decide(readings[name])
        for claim in report.CLAIMS
        for name in claim.readings
    }
    findings[report.RUN_TIMES.number, MAIN] = _run_times(planned)
    every = [each for policies in results.values() for each in policies.values()]
    circumstances = report.Circumstances(
        one_fingerprint(every), versions(every), planned[0].experiment.seed, runs,
        sum(len(each.experiment.contenders) * each.experiment.runs for each in planned),
    )  # fmt: skip
    target = home / report.PAGE.name
    target.write_text(report.page(findings, readings, circumstances), encoding="utf-8")
    for claim in report.EVERY:
        said = [f"{name} {findings[claim.number, name].verdict}" for name in claim.readings]
        click.echo(f"{claim.number:>3}  {'; '.join(said)}")
    click.echo(f"wrote {target}")
    if look:
        click.echo(f"this is a look ({look}); the committed page is as it was")


def folder_of_page(wanted: str | None, results: Path, look: str) -> Path:
    """Return the folder of a page: that of the committed ones only if this is no look."""
    if wanted is None:
        return results / "look" if look else report.DOCS
    if look and Path(wanted).resolve() == report.DOCS:
        raise click.UsageError(
            f"this is a look ({look}) and must not overwrite the committed page; "
            "leave --docs out, or name another folder"
        )
    return Path(wanted)


def _run_times(planned: Sequence[Planned]) -> Finding:
    timed = next(each.experiment for each in planned if each.experiment.name == _TIMED)
    return run_times(measured_seconds(timed))


if __name__ == "__main__":
    sys.exit(main())
