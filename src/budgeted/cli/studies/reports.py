"""The commands that only look at a study, and the example to start from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from budgeted.cli.models import with_format, with_prior, with_shares, write_as
from budgeted.cli.studies.options import (
    on_a_study,
    with_csv,
    with_database,
    with_json,
)
from budgeted.cli.studies.printing import console, plain, print_json, print_table, write

if TYPE_CHECKING:
    from budgeted.studies.study import Study


@click.command()
@click.argument("folder", default="anaemia-study", type=click.Path(file_okay=False))
@with_json
def example(folder: str, as_json: bool) -> None:
    """Write a small study to start from: study.toml, cases.csv, answers.csv, new.csv."""
    from budgeted.studies.example import write_example

    files = write_example(folder)
    if as_json:
        print_json([str(path) for path in files])
        return
    click.echo(
        f"Written: {', '.join(str(path) for path in files)}.\n"
        f"Begin with: budgeted study new {files[0]} --cases {files[1]}\n"
        f"Then: budgeted study ask -n 3, and look up what to tell in {files[2]}.\n"
        f"In the end: budgeted study predict {files[3]}"
    )


@click.command("list")
@with_database
@with_json
@click.option("--closed", is_flag=True, help="Those that are closed instead.")
def list_studies(database: str, closed: bool, as_json: bool) -> None:
    """List the studies in a database, but for those that are closed."""
    from budgeted.studies.journal import Journal
    from budgeted.studies.ledger import Summary, summaries

    with Journal(database, "") as journal:
        found = [
            name
            for name, each in summaries(journal).items()
            if (isinstance(each, Summary) and each.closed) is closed
        ]
    print_json(found) if as_json else click.echo("\n".join(found) or "there are none")


@click.command()
@on_a_study
def status(found: Study, as_json: bool) -> None:
    """Show the money, what was bought, how good the classifier is, and what is worth buying."""
    from budgeted.cli.studies.views import print_status

    now = found.status()
    print_json(now.to_plain()) if as_json else print_status(now, console())


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--label", "label_column", default="label", show_default=True, metavar="COLUMN",
              help="The column that holds the label.")  # fmt: skip
@with_csv
@on_a_study
def validate(
    found: Study,
    file: str,
    label_column: str,
    delimiter: str | None,
    encoding: str,
    as_json: bool,
) -> None:
    """Measure the error of the classifier on cases that are known in full.

    FILE is a CSV with a column for the label and one for each feature; empty cells and ? are
    unknown, other columns do not matter. Take cases of which nothing was bought: those that the
    classifier learned from say too little of new ones; with a column "case" such cases are noticed.
    The file is only used to measure: nothing of it is kept, and it never decides what is bought.
    """
    from budgeted.cli.studies.views import print_validation
    from budgeted.studies.measured import disagreement, measure
    from budgeted.studies.validation import learned_from, read_validation

    problem, content = found.state.problem, Path(file).read_bytes()
    cases = read_validation(content, problem, label_column, delimiter, encoding)
    now, measured = found.status(0), measure(found.predictor(), cases)
    expected = now.outlook
    assert expected is not None  # what was measured is a classifier
    said = disagreement(expected, measured)
    bought = {each.case for each in found.requests() if each.value is not None}
    known = learned_from(content, bought, delimiter, encoding)
    if as_json:
        print_json({"measured": vars(measured), "expected": vars(expected), "disagreement": said,
                    "learned_from": known})  # fmt: skip
    else:
        print_validation(measured, now, said, known, console())


@click.command("propose-cuts")
@click.argument("feature")
@on_a_study
def propose_cuts(found: Study, feature: str, as_json: bool) -> None:
    """Show where a numeric feature could be cut, by what was bought of it so far.

    Nothing is changed: 'budgeted study cuts' does that.
    """
    from budgeted.cli.studies.views import print_proposals
    from budgeted.studies.proposed_cuts import WAYS, proposals

    proposed = dict(zip(WAYS, proposals(found.snapshot(), feature), strict=True))
    if as_json:
        print_json({how: {"why_not": each} if isinstance(each, str) else vars(each)
                    for how, each in proposed.items()})  # fmt: skip
    else:
        print_proposals(found.state.problem, feature, proposed, console())


@click.command()
@click.argument("number", type=int)
@on_a_study
def why(found: Study, number: int, as_json: bool) -> None:
    """Show why something was asked for: what was compared, the best first."""
    from budgeted.cli.studies.views import print_why

    request = found.request(number)
    if as_json:
        print_json(plain(request))
    else:
        print_why(request, console())


@click.command()
@click.option("--last", type=click.IntRange(min=1), help="Only so many of the newest events.")
@on_a_study
def history(found: Study, last: int | None, as_json: bool) -> None:
    """Show the log: what happened, when, by whom."""
    from budgeted.cli.studies.views import history_table
    from budgeted.studies.journal.rows import to_plain

    entries = found.history(0 if last is None else max(0, found.events - last))
    if as_json:
        print_json([{"seq": each.seq, "at": each.at, "by": each.by,
                      "event": to_plain(each.event)} for each in entries])  # fmt: skip
    else:
        print_table(history_table(entries))


@click.command()
@click.option("--wide", "which", flag_value="wide",
              help="A row per case and a column per feature, values as told.")  # fmt: skip
@click.option("--long", "which", flag_value="long",
              help="A row per request, recorded value and test ruled out; one column per "
              "thing.")  # fmt: skip
@click.option("--events", "which", flag_value="events",
              help="The log, with columns beside its sentences.")  # fmt: skip
@click.option("--blind", is_flag=True,
              help="Without the labels of cases; with --wide, --long or --events.")  # fmt: skip
@click.option("--out", type=click.Path(dir_okay=False, writable=True), help="Into this file.")
@on_a_study
def export(found: Study, which: str | None, blind: bool, out: str | None, as_json: bool) -> None:
    """Write all purchases as CSV (or JSON): what was asked, told, failed, corrected, by whom.

    --wide, --long and --events write other tables of the same study.
    """
    from budgeted.studies.log import columns, purchases
    from budgeted.studies.tables import TABLES, Table

    problem = found.state.problem
    if which is not None:
        table = TABLES[which](found.snapshot(), not blind)
    elif blind:
        raise click.UsageError("--blind: name the table, --wide, --long or --events")
    else:
        rows = purchases(found.history(), found.requests(), problem)
        table = Table(columns(problem), [tuple(row.values()) for row in rows])
    if as_json:
        write(json.dumps(table.to_plain(), indent=2) + "\n", out)
    else:
        write(table.to_csv(), out)
    click.echo(f"{found.events} events, digest {found.head.digest}", err=True)


@click.command()
@click.option("--expect", metavar="DIGEST",
              help="A digest that was noted down: the history must contain it.")  # fmt: skip
@on_a_study
def verify(found: Study, expect: str | None, as_json: bool) -> None:
    """Check everything: the file, all digests, the missing end, the fold, the money.

    Only --expect can tell an older copy of the whole database from a newer one: note the digest
    down that status, export and close print.
    """
    sound = found.verify(expect)
    if as_json:
        print_json({key: value if isinstance(value, int) else value and str(value)
                    for key, value in vars(sound).items()})  # fmt: skip
        return
    click.echo(
        f"Study {sound.study!r} is in good order: {sound.events} events, each with its digest; "
        f"the last is {sound.digest}.\n"
        f"Money: budget {sound.budget}, spent {sound.spent}, reserved {sound.reserved}, free "
        f"{sound.free}."
    )
    if sound.expected is not None:
        click.echo(
            f"The expected digest is that of event {sound.expected}; "
            f"{sound.events - sound.expected} were written since."
        )


@click.command()
@with_format
@with_prior
@click.option("--out", type=click.Path(dir_okay=False, writable=True, path_type=Path),
              help="Into this file.")  # fmt: skip
@on_a_study
def model(
    found: Study,
    format: str | None,
    shares: tuple[str, ...],
    out: Path | None,
    as_json: bool,
) -> None:
    """Write the classifier, as JSON unless another form is named (--json says so, too)."""
    if as_json and format not in (None, "json"):
        raise click.UsageError(f"--json and --format {format} exclude each other")
    write_as(with_shares(found.model(), shares), "json" if as_json else format, out)


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--model", "model_file", type=click.Path(exists=True, dir_okay=False),
              help="A model's JSON; that of the study unless given.")  # fmt: skip
@with_prior
@click.option("--strict/--no-strict", default=None,
              help="Refuse every column that is no feature of the model; or take any file, and "
              "cells that are no value for unknown.  [default: strict where a feature is missing "
              "and an unknown column is there]")  # fmt: skip
@click.option("--pass", "passed", multiple=True, metavar="COLUMN",
              help="A column that is not for the model, such as an id; once for each. 'case' and "
              "'label' never are.")  # fmt: skip
@click.option("--force", is_flag=True,
              help="Take numbers that are outside the range of their feature.")  # fmt: skip
@with_csv
@click.option("--study", "name", metavar="NAME", envvar="BUDGETED_STUDY", help="Which study.")
@click.option("--out", type=click.Path(dir_okay=False, writable=True), help="Into this file.")
@with_database
@with_json
def predict(
    file: str,
    model_file: str | None,
    shares: tuple[str, ...],
    strict: bool | None,
    passed: tuple[str, ...],
    force: bool,
    delimiter: str | None,
    encoding: str,
    name: str | None,
    out: str | None,
    database: str,
    as_json: bool,
) -> None:
    """Predict the labels of new cases in a CSV, with probabilities.

    Cells may be empty: cases need not be known in full. Columns that are no feature are passed on,
    and named on stderr with the feature that was probably meant. Where the file also lacks a
    feature, such a column is an error: it may be that feature, misspelt.

    Ends with 0 if every row has its prediction, with 1 and no prediction if the file does not fit
    the model, and with 2 if the options make no sense.
    """
    from budgeted.learners.model import Model
    from budgeted.listing import did_you_mean
    from budgeted.simulation.predictions import PASSED, predict_rows
    from budgeted.studies.csv_rows import read_rows
    from budgeted.studies.log import as_csv
    from budgeted.studies.study import Study

    if model_file is None:
        with Study.open(database, name) as found:
            chosen = found.model()
    else:
        chosen = Model.read(model_file)
    columns, cells, lines = read_rows(file, delimiter, encoding)
    if absent := [each for each in passed if each not in columns]:
        raise click.BadParameter(
            f"{file} has no column {absent[0]!r}. {did_you_mean(absent[0], columns)}".strip(),
            param_hint="--pass",
        )
    header, rows, notes = predict_rows(
        with_shares(chosen, shares),
        columns,
        cells,
        lines,
        strict=strict,
        passed=(*PASSED, *passed),
        source=file,
        force=force,
    )
    for note in notes:
        click.echo(f"{file}: {note}", err=True)
    if as_json:
        predicted = [dict(zip(header, row, strict=True)) for row in rows]
        write(json.dumps(predicted, indent=2) + "\n", out)
    else:
        write(as_csv(header, rows), out)
