"""Play the zoo: ``python -m benchmark.zoo --seed selection --worlds 300 auto sfl``."""

from __future__ import annotations

import sys
import time
from concurrent.futures import as_completed
from pathlib import Path

import click

from benchmark.zoo.entries import chosen
from benchmark.zoo.files import complete, fingerprint, missing, path_of, read
from benchmark.zoo.seeds import SEEDS
from budgeted import executors
from budgeted.errors import BudgetedError


@click.command()
@click.argument("policies", nargs=-1)
@click.option("--seed", type=click.Choice(list(SEEDS)), default="selection", show_default=True,
              help="Selection is for choosing, confirmation for what is reported.")  # fmt: skip
@click.option("--worlds", default=300, show_default=True, type=click.IntRange(min=1),
              help="How many, beginning with number 0.")  # fmt: skip
@click.option("--results", default="results/zoo", show_default=True,
              type=click.Path(file_okay=False, path_type=Path),
              help="Folder of the results; what is there is not done again.")  # fmt: skip
@click.option("--workers", type=click.IntRange(min=1), help="Processes.  [default: one per core]")
def main(
    policies: tuple[str, ...], seed: str, worlds: int, results: Path, workers: int | None
) -> None:
    """Play POLICIES (all entries unless named) in worlds; stop at any time, start again to go on."""
    try:
        entries = chosen(policies)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    started = time.monotonic()
    try:
        todo = [
            number
            for number in range(worlds)
            if missing(read(path_of(results, seed, number)), entries)
        ]
        click.echo(f"{len(todo)} of {worlds} worlds to do, {len(entries)} entries", err=True)
        with executors.processes(workers) as pool:
            # Also computed here, so that a worker with other code is noticed.
            code = fingerprint()
            tasks = {
                pool.submit(complete, results, seed, number, entries, code): number
                for number in todo
            }
            for done, task in enumerate(as_completed(tasks), start=1):
                task.result()
                if done % 10 == 0 or done == len(todo):
                    seconds = time.monotonic() - started
                    click.echo(f"{done} of {len(todo)} worlds after {seconds:.0f} s", err=True)
    except BudgetedError as error:
        raise click.ClickException(str(error)) from error


if __name__ == "__main__":
    sys.exit(main())
