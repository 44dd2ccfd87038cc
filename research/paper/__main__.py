"""Run every experiment, draw every figure, decide every claim: ``python -m research.paper``."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import click

from budgeted.cli.experiments import run_with_progress
from budgeted.experiments import executors
from budgeted.experiments.runs import Runs
from budgeted.experiments.store import Store
from research.paper import expected
from research.paper.claims import CLAIMS, RUN_TIMES
from research.paper.figures import DRAWINGS, draw, figure
from research.paper.origin import Origin, folder_of_page
from research.paper.other_claims import measured_seconds, run_times
from research.paper.readings import MAIN, READINGS, Planned, plan, views
from research.paper.report import PAGE, Circumstances, page
from research.paper.rules import Claim, Finding
from research.paper.spent import Spent, add

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
    began, spent = time.monotonic(), _processor()
    look = "" if runs == FULL else f"{runs} runs instead of {FULL}"
    home = folder_of_page(docs, Path(out), look)
    planned = plan(EXPERIMENTS, runs)
    computed = sum(len(Store(Path(out), each.experiment).missing()) for each in planned)
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
            executor.submit(draw, figure(each, readings[each.reading]), folder, each.name)
            for each in DRAWINGS.values()
            if each.stem in readings[each.reading]
        ]
        for each_drawn in drawn:
            each_drawn.result()
    took = Spent(computed, (time.monotonic() - began) / 60, (_processor() - spent) / 60)
    origin = Origin.of(each for policies in results.values() for each in policies.values())
    findings = {
        (claim.number, name): claim.decide(readings[name])
        for claim in CLAIMS
        for name in READINGS
        if name in claim.readings
    }
    findings[RUN_TIMES.number, MAIN] = _run_times(planned)
    circumstances = Circumstances(
        origin,
        planned[0].experiment.seed,
        runs,
        sum(len(each.experiment.contenders) * each.experiment.runs for each in planned),
        add(Path(out), origin.fingerprint, took),
        workers or os.cpu_count() or 1,
    )
    claims = sorted((*CLAIMS, RUN_TIMES), key=lambda each: each.number)
    target = home / PAGE.name
    target.write_text(page(claims, findings, readings, circumstances), encoding="utf-8")
    _say(claims, findings)
    click.echo(
        f"wrote {target}; {computed} runs computed, {took.minutes:.1f} minutes, "
        f"{took.processor:.1f} of processor time"
    )
    if look:
        click.echo(f"this is a look ({look}); the committed page is as it was")


def _run_times(planned: Sequence[Planned]) -> Finding:
    timed = next(each.experiment for each in planned if each.experiment.name == _TIMED)
    return run_times(measured_seconds(timed))


def _say(claims: Sequence[Claim], findings: dict[tuple[int, str], Finding]) -> None:
    for claim in claims:
        said = [f"{name} {findings[claim.number, name].verdict}" for name in claim.readings]
        click.echo(f"{claim.number:>3}  {'; '.join(said)}")
    for each in expected.differences(findings):
        click.echo(f"unlike {expected.source()}: {each}")


def _processor() -> float:
    """Processor seconds of this process and of the workers that have ended."""
    return sum(os.times()[:4])


if __name__ == "__main__":
    sys.exit(main())
