"""Play the zoo, judge what was bought, and compare.

python -m research.quality.zoo play --seed selection --worlds 300 auto sfl
python -m research.quality.zoo judge --seed selection
python -m research.quality.zoo.summary --seed selection
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import as_completed
from pathlib import Path
from typing import Any

import click

from budgeted.errors import BudgetedError
from budgeted.experiments import executors
from research.quality.zoo import plays
from research.quality.zoo.entries import Entry, chosen
from research.quality.zoo.tables import SOURCES

_OPTIONS = (
    click.argument("policies", nargs=-1),
    click.option("--seed", type=click.Choice(list(SOURCES)), default="selection", show_default=True,
                 help="Selection is for choosing, confirmation and tables for what is reported."),
    click.option("--worlds", type=click.IntRange(min=1),
                 help="How many, beginning with number 0.  [default: 300, or all of the tables]"),
    click.option("--results", default="results/zoo", show_default=True,
                 type=click.Path(file_okay=False, path_type=Path),
                 help="Folder of the results; what is there is not done again."),
    click.option("--workers", type=click.IntRange(min=1), help="Processes.  [default: one per core]"),
)  # fmt: skip


def _common(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@click.group()
def main() -> None:
    """Compare policies and learners in many worlds; stop at any time, start again to go on."""


@main.command()
@_common
def play(
    policies: tuple[str, ...], seed: str, worlds: int | None, results: Path, workers: int | None
) -> None:
    """Let POLICIES (all entries unless named) spend the budgets."""
    entries = _entries(policies)
    bought = results / "bought"
    todo = [
        number
        for number in range(worlds or SOURCES[seed])
        if plays.missing(plays.read(plays.path_of(bought, seed, number)), entries)
    ]
    # The fingerprint is also computed here, so that a worker with other code is noticed.
    code = plays.fingerprint()
    _in_parallel(
        workers, [(plays.complete, bought, seed, number, entries, code) for number in todo]
    )


@main.command()
@_common
def judge(
    policies: tuple[str, ...], seed: str, worlds: int | None, results: Path, workers: int | None
) -> None:
    """Teach learners what POLICIES (all entries unless named) bought, and test them."""
    entries = _entries(policies)
    folders = results / "bought", results
    _in_parallel(
        workers,
        [
            (plays.judge_again, *folders, seed, number, entries)
            for number in range(worlds or SOURCES[seed])
        ],
    )


def _entries(policies: Sequence[str]) -> tuple[Entry, ...]:
    try:
        return chosen(policies)
    except ValueError as error:
        raise click.UsageError(str(error)) from error


def _in_parallel(workers: int | None, jobs: Sequence[tuple[Any, ...]]) -> None:
    click.echo(f"{len(jobs)} worlds to do", err=True)
    started = time.monotonic()
    try:
        with executors.processes(workers) as pool:
            tasks = [pool.submit(*job) for job in jobs]
            for done, task in enumerate(as_completed(tasks), start=1):
                task.result()
                if done % 10 == 0 or done == len(jobs):
                    seconds = time.monotonic() - started
                    click.echo(f"{done} of {len(jobs)} worlds after {seconds:.0f} s", err=True)
    except BudgetedError as error:
        raise click.ClickException(str(error)) from error


if __name__ == "__main__":
    sys.exit(main())
