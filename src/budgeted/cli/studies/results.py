"""The command that takes in a laboratory's file of results, with a look at it before."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from budgeted.cli.studies.hints import words
from budgeted.cli.studies.options import KEY, changing_a_study, separator_named
from budgeted.cli.studies.printing import money, print_json, print_money, unasked

if TYPE_CHECKING:
    from budgeted.studies.results.files import Reading, ResultFile
    from budgeted.studies.results.preview import Preview
    from budgeted.studies.study import Study

_MOST_RESULTS = 1_000_000


@click.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--dry-run", is_flag=True,
              help="Only show what would be told, recorded and refused, line by line.")  # fmt: skip
@click.option("--skip-refused", is_flag=True,
              help="Write down what is right although other lines are refused.")  # fmt: skip
@click.option(
    "--charge", is_flag=True, help="Charge the price of each value that nobody asked for."
)
@click.option("--id", "id_column", metavar="COLUMN",
              help="Column that names the case.  [default: case, patient, sample …]")  # fmt: skip
@click.option("--layout", type=click.Choice(["wide", "long"]),
              help="A line per case, or a line per result.  [default: found out]")  # fmt: skip
@click.option("--meant", multiple=True, metavar="NAME=FEATURE",
              help="The feature that a column or test is about; nothing behind = leaves it out. "
              "Once for each.")  # fmt: skip
@click.option("--sheet", metavar="NAME", help="Sheet of a workbook.  [default: the first]")
@click.option("--force", is_flag=True,
              help="Take values that are outside the range of their feature.")  # fmt: skip
@click.option("--delimiter", metavar="MARK", callback=separator_named,
              help="What stands between the cells: a character, or comma, semicolon, tab, bar.  "
              "[default: found out]")  # fmt: skip
@click.option("--encoding", help="How a text is written in bytes.  [default: found out]")
@KEY
@changing_a_study
def import_values(
    found: Study,
    file: str,
    dry_run: bool,
    skip_refused: bool,
    charge: bool,
    id_column: str | None,
    layout: str | None,
    meant: tuple[str, ...],
    sheet: str | None,
    force: bool,
    delimiter: str | None,
    encoding: str | None,
    key: str,
    as_json: bool,
) -> None:
    """Take in a file of results: CSV, or an .xlsx workbook.

    It has a line per case and a column per feature, or a line per result with the columns case,
    test, value and perhaps cost and note. Values that answer a pending request are told, others
    recorded; all of them or none. Those that nobody asked for are free unless --charge is given;
    what they would have cost is said.
    """
    from budgeted.studies.results.files import Reading

    how = Reading(
        delimiter, encoding, sheet, layout, {"case": id_column} if id_column else {},
        dict(map(_meaning, meant)),
    )  # fmt: skip
    given = _read(found, file, how)
    results = [each._replace(force=force) for each in given.results]
    seen = found.preview(results, charge=charge)
    if dry_run:
        _show_preview(given, seen, as_json)
        return
    if skip_refused:
        results = list(seen.fitting)
    done = found.enter(results, charge=charge, key=key) if results else ()
    refused = len(given.results) - len(results)
    _show_done(found, done, len(results), refused, as_json)


def _meaning(given: str) -> tuple[str, str]:
    name, equals, feature = given.rpartition("=")
    if not equals:
        raise click.BadParameter(f"must be NAME=FEATURE, got {given!r}", param_hint="--meant")
    return name, feature


def _read(found: Study, file: str, how: Reading) -> ResultFile:
    """Return what the file holds, or an error that lists the columns that nobody knows."""
    from budgeted.errors import StudyFileError
    from budgeted.simulation.tables import LARGEST_FILE
    from budgeted.simulation.tables.csv_file import read_bytes
    from budgeted.studies.results.files import read_results
    from budgeted.studies.results.tables import Most

    names = [feature.name for feature in found.state.problem.features]
    most = Most(bytes=LARGEST_FILE, results=_MOST_RESULTS)
    given = read_results(read_bytes(Path(file), LARGEST_FILE), file, names, how, most)
    if given.missing:
        name = "--id" if given.missing == ("case",) else "the names case, test and value"
        raise StudyFileError(file, [f"{each}; give {name}" for each in given.said_of_missing])
    if given.questions:
        what = "column" if given.layout == "wide" else "column or test"
        raise StudyFileError(
            file,
            [
                f"{what} {each.name!r}: is no feature of the study; "
                + (f"did you mean {each.guess!r}? " if each.guess else "")
                + f"Rename or remove it, or give --meant '{each.name}={each.guess or ''}'"
                for each in given.questions
            ],
        )
    return given


def _show_preview(given: ResultFile, seen: Preview, as_json: bool) -> None:
    lines: list[dict[str, Any]] = []
    for line, each in zip(given.lines, seen.outcomes, strict=True):
        case, feature, value = each.result[:3]
        why = "" if each.error is None else words(each.error)
        lines.append({"line": line, "case": case, "feature": feature, "value": str(value),
                      "becomes": each.fate, "cost": str(each.cost), "why": why})  # fmt: skip
    if as_json:
        names = ("spent", "reserved", "free")
        print_json({"read": given.table.said, "layout": given.layout, "lines": lines,
                    "left_out": list(given.left_out),
                    "before": dict(zip(names, map(str, seen.before), strict=True)),
                    "after": dict(zip(names, map(str, seen.after), strict=True))})  # fmt: skip
        return
    click.echo(f"Read as {given.table.said}, a {given.layout} table.")
    for told in lines:
        why = f": {told['why']}" if told["why"] else ""
        cost = f", {told['cost']} charged" if told["becomes"] in ("told", "recorded") else ""
        click.echo(
            f"line {told['line']}: {told['feature']} of {told['case']} = {told['value']}: "
            f"{told['becomes']}{cost}{why}"
        )
    counts = Counter(told["becomes"] for told in lines)
    click.echo(", ".join(f"{number} {what}" for what, number in counts.items()) or "No values.")
    spent, reserved, free = seen.after
    click.echo(f"Nothing was written. Then: spent {spent}, reserved {reserved}, free {free}")


def _show_done(found: Study, done: Any, wanted: int, refused: int, as_json: bool) -> None:
    told = sum(each.asked is not None for each in done)
    known = wanted - len(done)
    if as_json:
        skipped = {"refused": refused} if refused else {}
        print_json({"told": told, "recorded": len(done) - told, "known": known, **skipped,
                    "not_charged": unasked(found, done), **money(found)})  # fmt: skip
        return
    click.echo(
        f"{told} requests told, {len(done) - told} values recorded, {known} were known."
        + (f" {refused} were refused." if refused else "")
    )
    free = unasked(found, done)
    if free["values"] and Decimal(free["list_price"] or 0):
        click.echo(
            f"{free['values']} of the recorded values were not charged; by the price list they "
            f"cost {free['list_price']}.\n"
            f"An import with --charge charges that; afterwards, correct NUMBER VALUE --cost AMOUNT "
            f"does, one by one."
        )
    print_money(found)
