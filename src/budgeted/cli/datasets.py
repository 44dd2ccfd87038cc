"""The commands about tables: what there is, and what is in one of them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from budgeted.simulation.tables import Table

_AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON for scripts.")
_MOST_SHOWN = 12


@click.group(invoke_without_command=True)
@_AS_JSON
@click.pass_context
def datasets(ctx: click.Context, as_json: bool) -> None:
    """List the tables to rehearse on; 'datasets show NAME' looks into one, 'export' prints it."""
    if ctx.invoked_subcommand is not None:
        return
    from budgeted.simulation.datasets import describe

    listed = describe()
    if as_json:
        click.echo(json.dumps(listed, indent=2))
        return
    heads = ("name", "rows", "features", "classes", "missing", "licence", "source", "DOI")
    keys = (*heads[:4], "missing_cells", "licence", "source", "doi")
    lines = [heads, *(tuple(str(facts[key]) for key in keys) for facts in listed)]
    _print_aligned(lines, right=(1, 2, 3, 4))
    later = [str(facts["name"]) for facts in listed if not facts["in_package"]]
    click.echo(f"\nNot in the package, but read once you have it: {', '.join(later)}")


@datasets.command()
@click.argument("name")
@_AS_JSON
def show(name: str, as_json: bool) -> None:
    """Show the columns of a table with their values and counts."""
    from budgeted.simulation.datasets import describe, load

    table = load(name)
    facts = next(each for each in describe() if each["name"] == name)
    counts = Counter(table.row_labels)
    labels = {label: counts[position] for position, label in enumerate(table.labels)}
    columns = _columns(table)
    if as_json:
        click.echo(json.dumps({**facts, "labels": labels, "columns": columns}, indent=2))
        return
    click.echo(f"{facts['title']}: {len(table)} rows, {len(columns)} features")
    origin = [facts["creators"], facts["source"], facts["doi"] and f"DOI {facts['doi']}"]
    click.echo(". ".join(str(each) for each in origin if each) + f". Licence: {facts['licence']}")
    click.echo("labels: " + ", ".join(f"{label} {count}" for label, count in labels.items()) + "\n")
    lines = [("feature", "missing", "values with counts")]
    for column in columns:
        lines.append((column["name"], str(column["missing"]), _summary(column)))
    _print_aligned(lines, right=(1,))


@datasets.command()
@click.argument("name")
@click.option("--rows", type=click.IntRange(min=1), help="Only so many rows, drawn at random.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0),
              help="Which rows.")  # fmt: skip
def export(name: str, rows: int | None, seed: int) -> None:
    """Print a table as CSV, its label first: to try a pilot table, a plan or a rehearsal with."""
    from budgeted.seeds import stream
    from budgeted.simulation.datasets import load
    from budgeted.simulation.tables.contents import name_of
    from budgeted.studies.log import as_csv

    table = load(name)
    if rows is not None and rows > len(table):
        raise click.BadParameter(f"the table has {len(table)} rows", param_hint="--rows")
    drawn = stream(seed).permutation(len(table))[:rows]
    cells = [
        [table.labels[table.row_labels[at]],
         *("" if column[at] is None else name_of(column[at]) for column in table.columns)]
        for at in sorted(drawn.tolist())
    ]  # fmt: skip
    click.echo(as_csv(["label", *table.features], cells), nl=False)


def _columns(table: Table) -> list[dict[str, Any]]:
    """For each column its missing cells, and either the count of each value or the range."""
    from budgeted.simulation.tables.contents import by_number_then_text, name_of

    columns: list[dict[str, Any]] = []
    for feature, cells in zip(table.features, table.columns, strict=True):
        known = [cell for cell in cells if cell is not None]
        numbers = [cell for cell in known if isinstance(cell, float)]
        column: dict[str, Any] = {"name": feature, "missing": len(cells) - len(known)}
        if len(numbers) == len(known):
            column |= {"smallest": min(numbers), "largest": max(numbers)}
            column["different"] = len(set(numbers))
        else:
            counts = Counter(map(name_of, known))
            column["values"] = {each: counts[each] for each in
                                sorted(counts, key=by_number_then_text)}  # fmt: skip
        columns.append(column)
    return columns


def _summary(column: dict[str, Any]) -> str:
    if "values" not in column:
        low, high, different = column["smallest"], column["largest"], column["different"]
        return f"numbers from {low:g} to {high:g}, {different} different"
    shown = [f"{value} {count}" for value, count in column["values"].items()]
    more = len(shown) - _MOST_SHOWN
    return ", ".join(shown[:_MOST_SHOWN]) + (f", and {more} more" if more > 0 else "")


def _print_aligned(lines: Sequence[tuple[str, ...]], right: tuple[int, ...]) -> None:
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = [cell.rjust(width) if at in right else cell.ljust(width)
                 for at, (cell, width) in enumerate(zip(line, widths, strict=True))]  # fmt: skip
        click.echo("  ".join(cells).rstrip())
