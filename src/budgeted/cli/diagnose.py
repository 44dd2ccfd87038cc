"""Which test does a new case need next? On the command line: by dialogue, for a file, as a tree."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from budgeted.cli.studies.options import with_csv, with_json

if TYPE_CHECKING:
    from budgeted.diagnosis import ActiveClassifier, Decision, Experience, Strategy
    from budgeted.diagnosis.experience import AskedModel
    from budgeted.learners.model import Model

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@click.argument("model_file", metavar="MODEL", type=_FILE)
@click.argument("terms_file", metavar="[TERMS]", type=_FILE, required=False)
@click.option("--price", "prices", multiple=True, metavar="TEST=AMOUNT",
              help="What a test of a new case costs; instead of that in TERMS.")  # fmt: skip
@click.option("--known", multiple=True, metavar="TEST=VALUE",
              help="What is known of the case before, for nothing; once for each.")  # fmt: skip
@click.option("--limit", metavar="AMOUNT",
              help="What tests of a case may cost together; instead of that in TERMS.")  # fmt: skip
@click.option("--wrong", metavar="AMOUNT",
              help="What every wrong answer costs; instead of what TERMS say.")  # fmt: skip
@click.option("--without", multiple=True, metavar="TEST",
              help="A test that cannot be ordered; once for each.")  # fmt: skip
@click.option("--cases", "cases_file", type=_FILE,
              help="A CSV of cases whose values are known: order of these what would be "
              "ordered.")  # fmt: skip
@click.option("--experience", "experience_file", type=_FILE,
              help="A CSV of cases with a column label, from which it sees how tests go "
              "together.")  # fmt: skip
@click.option("--strategy", "whole", is_flag=True,
              help="Show the whole strategy: its tree, its cost, how often it errs.")  # fmt: skip
@with_csv
@with_json
def diagnose(
    model_file: Path,
    terms_file: Path | None,
    prices: tuple[str, ...],
    known: tuple[str, ...],
    limit: str | None,
    wrong: str | None,
    without: tuple[str, ...],
    cases_file: Path | None,
    experience_file: Path | None,
    whole: bool,
    delimiter: str | None,
    encoding: str,
    as_json: bool,
) -> None:
    """Say which test a new case needs next, or what to answer.

    MODEL is a model's JSON, which knows no prices. TERMS is a TOML file with a table [costs] of
    what each test of a new case costs, and, if wanted, [wrong] for what wrong answers cost, limit,
    and [prices] for fees and panels; or a study file, whose prices are taken, and the limit that
    it buys for. Where there are few tests, --price will do instead.

    Without --cases and --strategy it is a dialogue: it names a test, you type its value, and so on
    until it answers. An empty line means that the test cannot be done.
    """
    from budgeted.diagnosis.terms import active_classifier, read_terms
    from budgeted.learners.model import Model

    if cases_file is not None and (whole or known):
        other = "--strategy" if whole else "--known"
        raise click.UsageError(f"--cases and {other}: give one of them")
    model = Model.read(model_file)
    terms = {} if terms_file is None else read_terms(terms_file.read_bytes())
    terms |= {
        key: value for key, value in (("limit", limit), ("wrong", wrong)) if value is not None
    }
    if prices and isinstance(terms.get("costs", {}), dict):
        own = _pairs(prices, "--price")
        terms["costs"] = terms.get("costs", {}) | own
    if "costs" not in terms:
        _no_prices(model, without)
    experience = None
    if experience_file is not None:
        experience = _experience(model, experience_file, delimiter, encoding)
    active = active_classifier(model, terms, without, experience)
    row = _pairs(known, "--known")
    if cases_file is not None:
        _for_file(active, cases_file, delimiter, encoding, as_json)
    elif whole:
        from budgeted.diagnosis import Strategy

        _show(Strategy.of(active, row), as_json)
    elif as_json:
        click.echo(json.dumps(_plain(active.next_test(row)), indent=2))
    else:
        _dialogue(active, row)


def _pairs(given: tuple[str, ...], option: str) -> dict[str, str]:
    """Return what stands before and behind each "=": a name may hold one, and so may a value."""
    found: dict[str, str] = {}
    for each in given:
        name, mark, value = each.rpartition("=") if option == "--price" else each.partition("=")
        if not mark:
            form = "TEST=AMOUNT" if option == "--price" else "TEST=VALUE"
            raise click.BadParameter(f"must be {form}, got {each!r}", param_hint=option)
        if name in found:
            raise click.BadParameter(f"{name} is given twice", param_hint=option)
        found[name] = value
    return found


def _no_prices(model: Model, without: tuple[str, ...]) -> None:
    """Say which prices are missing, and how to give them."""
    names = [each.name for each in model.features if each.name not in without]
    shown = ", ".join(map(repr, names[:8])) + (", …" if len(names) > 8 else "")
    raise click.UsageError(
        f"A model knows no prices, and {len(names)} tests need one: {shown}. Name a study file or "
        f"a file with a table [costs] behind the model, or give each with --price TEST=AMOUNT; "
        f"--without says that a test cannot be ordered."
    )


def _experience(model: Model, path: Path, delimiter: str | None, encoding: str) -> Experience:
    """Return the cases of a table with their labels."""
    from budgeted.diagnosis import Experience
    from budgeted.errors import DiagnosisError
    from budgeted.studies.csv_rows import read_rows

    columns, cells, _ = read_rows(path, delimiter, encoding)
    if "label" not in columns:
        raise click.ClickException(f"{path}: there is no column label")
    names = [each for each in columns if each not in ("case", "label")]
    cases = [dict(zip(columns, cell, strict=True)) for cell in cells]
    try:
        return Experience.of(
            model,
            [{name: case[name] for name in names} for case in cases],
            [case["label"] for case in cases],
        )
    except DiagnosisError as error:
        first, *others = error.mistakes
        more = f" (and {len(others)} more)" if others else ""
        raise click.ClickException(f"{path}: {first}{more}") from None


def _dialogue(active: ActiveClassifier, known: dict[str, Any]) -> None:
    """Ask for one value after the other until there is an answer."""
    from budgeted.diagnosis.active import reason
    from budgeted.errors import ModelError

    ordered: list[str] = []
    impossible: list[str] = []
    while True:
        decision = active.next_test(known, ordered, impossible)
        if decision.test is None:
            break
        feature = active.model.feature(decision.test)
        click.echo(f"Order {decision.test} for {decision.price:f}. {reason(active, decision)}")
        told = click.prompt(
            f"Its value ({feature.expects}; empty: it cannot be done)",
            default="",
            show_default=False,
        ).strip()
        if not told:
            impossible.append(decision.test)
            continue
        try:
            active.model.value(feature, told)
        except ModelError as error:
            click.echo(str(error), err=True)
            continue
        known[decision.test] = told
        ordered.append(decision.test)
    chances = ", ".join(f"{label} {chance:.1%}" for label, chance in decision.chances.items())
    positions = [active.model.features.index(active.model.feature(each)) for each in ordered]
    click.echo(reason(active, decision))
    click.echo(f"Answer: {decision.answer} ({chances}). Tests cost {active.paid(positions):f}.")


def _show(strategy: Strategy, as_json: bool) -> None:
    figures: dict[str, Any] = {
        "expected_price": strategy.price,
        "expected_error": strategy.error,
        "expected_answer_cost": strategy.answer_cost,
        "followed": strategy.followed,
        "ordered": strategy.frequencies,
    }
    if as_json:
        click.echo(json.dumps(figures | {"strategy": strategy.to_plain()}, indent=2))
        return
    click.echo(strategy.text())
    click.echo(f"\nTests of a case cost {strategy.price:.2f} on average; {strategy.error:.1%} of "
               f"the answers are expected to be wrong.")  # fmt: skip
    if strategy.active.weighs_prices:
        click.echo(f"Wrong answers cost {strategy.answer_cost:.2f} on average.")
    ordered = ", ".join(f"{name} {share:.0%}" for name, share in strategy.frequencies.items())
    click.echo(f"Ordered: {ordered or 'nothing'}.")
    if strategy.followed < 1 - 1e-9:
        click.echo(f"{1 - strategy.followed:.1%} of the cases go on where the tree was cut; the "
                   f"figures are as if they were answered there.")  # fmt: skip


def _for_file(
    active: ActiveClassifier, path: Path, delimiter: str | None, encoding: str, as_json: bool
) -> None:
    import numpy as np

    from budgeted.diagnosis.terms import diagnose_all, summary
    from budgeted.studies.csv_rows import read_rows
    from budgeted.studies.log import as_csv

    columns, cells, lines = read_rows(path, delimiter, encoding)
    labels = [cell[columns.index("label")] for cell in cells] if "label" in columns else None
    rows = _positions(active.model, path, columns, cells, lines)
    found = diagnose_all(active, np.array(rows, dtype=np.int64))
    total = summary(active, found, labels)
    if as_json:
        click.echo(json.dumps({
            "cases": [
                ({"case": cell[columns.index("case")]} if "case" in columns else {})
                | vars(each) | {"paid": f"{each.paid:f}"}
                for cell, each in zip(cells, found, strict=True)
            ],
            "paid": f"{total.paid:f}", "ordered": total.frequencies, "wrong": total.wrong,
            "answer_cost": total.answer_cost, "expected_error": total.expected_error,
            "expected_answer_cost": total.expected_answer_cost,
        }, indent=2))  # fmt: skip
        return
    head = [*columns, "tests", "paid", "answer", "probability"]
    table = [
        [*cell, "; ".join(each.tests), f"{each.paid:f}", each.answer, f"{each.probability:.6f}"]
        for cell, each in zip(cells, found, strict=True)
    ]
    click.echo(as_csv(head, table), nl=False)
    said = f"{total.cases} cases, {total.paid:f} in all"
    if total.cases:
        said += f", {float(total.paid) / total.cases:.2f} for a case; "
        said += f"{total.expected_error:.1%} of the answers are expected to be wrong"
    if total.wrong is not None:
        said += f", {total.wrong:.1%} are"
    if active.weighs_prices and total.cases:
        said += f". Wrong answers are expected to cost {total.expected_answer_cost:.2f} for a case"
        if total.answer_cost is not None:
            said += f", and cost {total.answer_cost:.2f}"
    ordered = ", ".join(f"{name} {share:.0%}" for name, share in total.frequencies.items())
    click.echo(f"{said}. Ordered: {ordered or 'nothing'}.", err=True)


def _positions(
    model: AskedModel, path: Path, columns: list[str], cells: list[list[str]], lines: list[int]
) -> list[list[int]]:
    """Return the cases of a table, or all that is wrong with it."""
    from budgeted.errors import BudgetedError, StudyFileError
    from budgeted.listing import shortened

    names = [each for each in columns if each not in ("case", "label")]
    rows, mistakes = [], [] if cells else ["there are no rows"]
    for line, cell in zip(lines, cells, strict=True):
        case = dict(zip(columns, cell, strict=True))
        if case.get("label", model.labels[0]) not in model.labels:
            listed = ", ".join(map(repr, model.labels))
            mistakes.append(f"line {line}: there is no label {case['label']!r}; there are {listed}")
        try:
            rows.append(model.positions({name: case[name] for name in names}))
        except BudgetedError as error:
            mistakes.append(f"line {line}: {error}")
    if mistakes:
        raise StudyFileError(str(path), shortened(mistakes))
    return rows


def _plain(decision: Decision) -> dict[str, Any]:
    return {
        "test": decision.test,
        "price": f"{decision.price:f}",
        "answer": decision.answer,
        "chances": dict(decision.chances),
        "answer_cost": decision.answer_cost,
        "expected_cost": decision.expected_cost,
        "offers": {
            name: {"expected_cost": cost, "price": f"{price:f}"}
            for name, (cost, price) in decision.offers.items()
        },
        "exact": decision.exact,
    }
