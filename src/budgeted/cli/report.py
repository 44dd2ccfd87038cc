"""The command that makes tables for a paper out of results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from budgeted.experiments.report import Report


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...",
                type=click.Path(exists=True, dir_okay=False))  # fmt: skip
@click.option("--format", "form", default="markdown", show_default=True,
              type=click.Choice(["markdown", "latex", "csv", "json"]),
              help="What is printed; CSV is every mean in full.")  # fmt: skip
@click.option("--against", metavar="POLICY",
              help="Compare all others with this one.  [default: each with each]")  # fmt: skip
@click.option("--test", default="t", show_default=True, type=click.Choice(["t", "wilcoxon"]),
              help="Which p-value of the differences is corrected for their number.")  # fmt: skip
@click.option("--out", type=click.Path(file_okay=False),
              help="Write all forms into this folder, and a diagram of the ranks.")  # fmt: skip
@click.option("--figure", "figure_format", default="svg", show_default=True,
              type=click.Choice(["png", "svg", "pdf", "html", "json", "none"]),
              help="How to draw the ranks, with --out.")  # fmt: skip
def report(
    files: tuple[str, ...],
    form: str,
    against: str | None,
    test: str,
    out: str | None,
    figure_format: str,
) -> None:
    """Make tables for a paper from FILEs of results (.parquet).

    Means by money and at the end of every measure; paired differences with 95 % intervals, p-values
    of the paired t-test and of Wilcoxon's signed-rank test, corrected by Holm's method; and over
    several tables mean ranks, Friedman's test, and a diagram of what differs. Results of different
    code are refused.
    """
    from budgeted.experiments import report_tables
    from budgeted.experiments.report import report_of

    made = report_of(files, against=against, test=test)
    for each in made.left_out:
        click.echo(f"left out: {each}", err=True)
    if out is not None:
        for path in _write(made, Path(out), figure_format):
            click.echo(f"wrote {path}", err=True)
        return
    forms = {"markdown": report_tables.markdown, "latex": report_tables.latex,
             "json": report_tables.plain}  # fmt: skip
    text = report_tables.csv_tables(made)["by-money"] if form == "csv" else forms[form](made)
    click.echo(text, nl=False)


def _write(made: Report, folder: Path, figure_format: str) -> list[Path]:
    """Write all forms of a report; return the files."""
    from budgeted.experiments import report_tables
    from budgeted.experiments.figures import ranks_figure, save
    from budgeted.files import write_atomically

    texts = {
        "report.md": report_tables.markdown(made),
        "report.tex": report_tables.latex(made),
        "report.json": report_tables.plain(made),
        **{f"{name}.csv": text for name, text in report_tables.csv_tables(made).items()},
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            write_atomically(folder / name, text.encode(), private=False)
    except OSError as error:
        raise click.ClickException(f"{folder}: cannot be written: {error.strerror}") from error
    written = [folder / name for name in texts]
    if figure_format != "none":
        for each in made.rankings:
            name = each.measure.replace("/", "-").replace(" ", "-")
            target = folder / f"ranks-{name}.{figure_format}"
            written.append(save(ranks_figure(each), target))
    return written
