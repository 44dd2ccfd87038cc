"""Settings that are played many times each: what came out is kept, and pages show it as tables."""

from __future__ import annotations

import json
import lzma
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from budgeted.experiments import executors
from budgeted.files import write_atomically
from research.quality.zoo.plays import fingerprint

KEPT = Path(__file__).with_name("kept")
DOCS = Path(__file__).parents[2] / "docs"

Runs = Mapping[str, list[Any]]
"""Setting → what came out of each run."""


@dataclass(frozen=True)
class Comparison:
    """What is played, what is kept of it, and where it is shown."""

    name: str  # of the file of what is kept
    # plays the run of a setting with a number; always the same for both
    run: Callable[[str, int], Any]
    numbers: Mapping[str, int]  # setting → how many runs
    # page → makes its table, which stands between two marks; "" for one that is only printed
    tables: Mapping[str, Callable[[Runs], str]] = field(default_factory=dict)
    mark: str = ""  # name of the marks
    finish: Callable[[Runs], None] = lambda runs: None  # what else is made of what is kept

    @property
    def path(self) -> Path:
        """The file of what is kept."""
        return KEPT / f"{self.name}.json.xz"

    def kept(self) -> dict[str, list[Any]]:
        """Return what came out, in the order of the settings."""
        found = self._document()
        return {name: found[name]["runs"] for name in self.numbers if name in found}

    def page(self, name: str) -> str:
        """Return a page with the table of what is kept between its marks."""
        begin, end = f"<!-- {self.mark} -->", f"<!-- end of {self.mark} -->"
        before, _, rest = (DOCS / name).read_text(encoding="utf-8").partition(begin)
        after = rest.partition(end)[2]
        return f"{before}{begin}\n\n{self.tables[name](self.kept())}\n\n{end}{after}"

    def play(self, names: tuple[str, ...], runs: int | None, workers: int | None) -> None:
        """Play settings and write the pages; a number of runs is a look, of which nothing is kept."""
        found = self._document()
        with executors.processes(workers) as pool:
            for name in names:
                number = runs or self.numbers[name]
                came = list(pool.map(self.run, [name] * number, range(number)))
                for table in self.tables.values():
                    click.echo(table({name: came}))
                found[name] = {"code": fingerprint(), "runs": rounded(came)}
                if runs is None:
                    text = json.dumps(found, separators=(",", ":"))
                    write_atomically(self.path, lzma.compress(text.encode(), preset=9))
        if runs is None:
            for name in filter(None, self.tables):
                (DOCS / name).write_text(self.page(name), encoding="utf-8")
            self.finish(self.kept())

    def command(self) -> click.Command:
        """Return the command line."""

        @click.command()
        @click.argument("names", nargs=-1)
        @click.option("--workers", type=click.IntRange(min=1), help="[default: one per core]")
        @click.option("--runs", type=click.IntRange(min=2), help="Of each: a look.")
        @click.option("--only-write", is_flag=True, help="Write the pages from what is kept.")
        def main(
            names: tuple[str, ...], workers: int | None, runs: int | None, only_write: bool
        ) -> None:
            """Play the settings NAMES (all unless named), keep what came out, write the pages."""
            unknown = [name for name in names if name not in self.numbers]
            if unknown:
                there = ", ".join(self.numbers)
                raise click.UsageError(f"there is no {', '.join(unknown)}; there are {there}")
            self.play(() if only_write else names or tuple(self.numbers), runs, workers)

        return main

    def _document(self) -> dict[str, Any]:
        found: dict[str, Any] = (
            json.loads(lzma.decompress(self.path.read_bytes())) if self.path.exists() else {}
        )
        return found


def rounded(thing: Any) -> Any:
    """Return what JSON holds with six digits behind the point.

    >>> rounded({"error": [0.123456789]})
    {'error': [0.123457]}
    """
    if isinstance(thing, dict):
        return {key: rounded(value) for key, value in thing.items()}
    if isinstance(thing, list | tuple):
        return [rounded(each) for each in thing]
    return round(thing, 6) if isinstance(thing, float) else thing
