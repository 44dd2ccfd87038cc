"""Who has how much error in the zoo, and can what they say of it be believed?

    python -m research.quality.zoo.summary --results FOLDER

All comparisons are paired, world by world. Of many strata some differ by chance alone, so that in
a stratum the margin is wider: the chance that any of them is beyond it, if nothing differs, is at
most what two standard errors are for a single comparison (Bonferroni).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np

from budgeted.errors import BudgetedError
from budgeted.statistics import Floats, Mean, paired, threshold
from research.quality.zoo.results import Looks, Results
from research.quality.zoo.tables import SOURCES

HARM = 0.02
"""More than this above the majority class is worth a word."""
ABREAST = 5
"""Entries in one table by stratum; more do not fit on a line."""


@dataclass(frozen=True)
class Calibration:
    """Over worlds and looks: how often the interval holds the true error, and how far off it is."""

    coverage: float
    bias: float

    @classmethod
    def of(cls, looks: Looks) -> Calibration | None:
        """Return that of an entry; None if it says nothing of its error."""
        said = np.isfinite(looks.low)
        if not said.any():
            return None
        held = (looks.low <= looks.error) & (looks.error <= looks.high)
        bias = looks.predicted[said].mean() - looks.error[said].mean()
        return cls(float(held[said].mean()), float(bias))


def above_majority(looks: Looks, majority: Floats) -> float:
    """Return the share of looks with an error well above that of the most frequent label."""
    return float((looks.error > majority[:, None] + HARM + 1e-12).mean())


def marked(difference: Mean, comparisons: int = 1) -> str:
    """Return a difference, with ▼ or ▲ where it is beyond chance."""
    margin = threshold(comparisons)
    sign = "▲" if difference.above(margin) else "▼" if difference.below(margin) else " "
    return f"{difference:+.3f} {sign}"


def overall(results: Results, reference: str) -> str:
    """Return the table of all entries: errors, and their differences to the reference."""
    base = results.looks[reference]
    head = ["entry / learner", "end", "on the way", "end − reference", "way − reference",
            f"> {HARM} above majority", "seconds"]  # fmt: skip
    rows = [
        [
            name,
            str(Mean.of(looks.end)),
            str(Mean.of(looks.on_the_way)),
            "" if looks is base else marked(paired(looks.end, base.end)),
            "" if looks is base else marked(paired(looks.on_the_way, base.on_the_way)),
            f"{above_majority(looks, results.majority):.1%}",
            f"{looks.seconds.mean():.2f}",
        ]
        for name, looks in results.looks.items()
    ]
    nobody = ["majority class", str(Mean.of(results.majority))]
    return aligned([head, *rows, nobody + [""] * (len(head) - len(nobody))])


def by_stratum(results: Results, reference: str, names: Sequence[str], way: bool) -> str:
    """Return the differences to the reference in each stratum, at the end or on the way."""
    base = results.looks[reference]
    rows = [["stratum", "worlds", "reference", *names]]
    for stratum, inside in results.members.items():
        mine = base.on_the_way if way else base.end
        row = [stratum, str(int(inside.sum())), f"{mine[inside].mean():.3f}"]
        for name in names:
            other = results.looks[name].on_the_way if way else results.looks[name].end
            gap = paired(other[inside], mine[inside])
            row.append(marked(gap, len(results.members)))
        rows.append(row)
    return aligned(rows)


def calibration(results: Results) -> str:
    """Return coverage and bias of everybody who says something, overall and by stratum."""
    said = {name: each for name, each in results.looks.items() if Calibration.of(each)}
    if not said:
        return "nobody predicts an error"
    everyone = {"all worlds": np.ones(len(results.majority), dtype=bool), **results.members}
    rows = [["coverage of the 90 % interval, predicted − true", *said]]
    for stratum, inside in everyone.items():
        row = [stratum]
        for looks in said.values():
            found = Calibration.of(looks.where(inside))
            row.append("" if found is None else f"{found.coverage:.1%} {found.bias:+.3f}")
        rows.append(row)
    return aligned(rows)


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as text with columns of equal width, all but the first to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for first, *others in rows:
        cells = (text.rjust(width) for text, width in zip(others, widths[1:], strict=True))
        lines.append("  ".join((first.ljust(widths[0]), *cells)).rstrip())
    return "\n".join(lines)


@click.command()
@click.option("--results", default="results/zoo", show_default=True,
              type=click.Path(file_okay=False, path_type=Path))  # fmt: skip
@click.option("--seed", type=click.Choice(list(SOURCES)), default="selection", show_default=True)
@click.option("--reference", default="", metavar="ENTRY / LEARNER", help="[default: the first]")
@click.option("--entry", "entries", multiple=True, help="Only this one; can be repeated.")
def main(results: Path, seed: str, reference: str, entries: tuple[str, ...]) -> None:
    """Compare the entries in a folder of results."""
    try:
        found = Results.read(results / seed, entries)
    except BudgetedError as error:
        raise click.ClickException(str(error)) from error
    against = reference or next(iter(found.looks))
    if against not in found.looks:
        raise click.BadParameter(f"no {against!r}; there are {', '.join(found.looks)}")
    out = f"; {found.left_out} more lack some entries" if found.left_out else ""
    click.echo(f"{len(found.majority)} worlds ({seed}){out}; reference: {against}\n")
    click.echo(overall(found, against))
    rivals = [name for name in found.looks if name != against]
    for way in (False, True):
        for begin in range(0, len(rivals), ABREAST):
            click.echo(f"\n{'On the way' if way else 'At the end'}, minus the reference; ▼ ▲ "
                       f"beyond {threshold(len(found.members)):.2f} standard errors")  # fmt: skip
            click.echo(by_stratum(found, against, rivals[begin : begin + ABREAST], way))
    click.echo(f"\n{calibration(found)}")


if __name__ == "__main__":
    sys.exit(main())
