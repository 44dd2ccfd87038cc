"""The command about the optimum: how far is every policy from it?"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from budgeted.cli.options import known_loss

if TYPE_CHECKING:
    from budgeted.optimal import Comparison, Yardstick

_MOST_STATES, _MOST_SITUATIONS = 1_000_000, 200_000


@click.command()
@click.option("--features", type=click.IntRange(min=1),
              help="How many.  [default: as many as there are costs, else 2]")  # fmt: skip
@click.option("--budget", default="12", show_default=True, help="Money.")
@click.option("--values", default="2", show_default=True,
              help="How many values each feature has: 3, or 2,4 for two features.")  # fmt: skip
@click.option("--costs", default="1", show_default=True,
              help="Price of a value of each feature: 1, or 1,4 for two features.")  # fmt: skip
@click.option("--prior", default="0.5,0.5", show_default=True, help="Share of each label.")
@click.option("--prior-counts", "counts", default="1", show_default=True,
              help="Dirichlet counts: ';' between features, '/' between labels, ',' between "
              "values, or one for all: '6,2/2,6; 1' for two features.")  # fmt: skip
@click.option("--loss", default="gini", show_default=True, callback=known_loss,
              help="Which loss is to be low in the end: gini, entropy, zero_one, or your "
              "own.")  # fmt: skip
@click.option("--policy", "names", multiple=True,
              help="Evaluate this one; may be repeated.  [default: all]")  # fmt: skip
@click.option("--yardstick",
              help="Instead of all that: a problem of the suite, by its name.")  # fmt: skip
@click.option("--suite", is_flag=True, help="All problems of the suite, as Markdown tables.")
@click.option("--most-states", default=_MOST_STATES, show_default=True,
              type=click.IntRange(min=1),
              help="Refuse problems with more states than this.")  # fmt: skip
@click.option("--most-situations", default=_MOST_SITUATIONS, show_default=True,
              type=click.IntRange(min=1),
              help="Give up on a policy that tells more apart than this.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print JSON for scripts.")
def optimal(
    names: tuple[str, ...],
    yardstick: str | None,
    suite: bool,
    most_states: int,
    most_situations: int,
    as_json: bool,
    **options: Any,
) -> None:
    """Solve a small problem exactly; print every policy's exact regret.

    The optimum comes from dynamic programming over all states of knowledge, and the policies are
    evaluated over all their draws and all answers, not by simulation. Regret is how much more loss
    a policy is expected to end with than the optimum; its share is of what the optimum takes off
    the loss.
    """
    from budgeted.optimal import YARDSTICKS, compare
    from budgeted.optimal.yardsticks import markdown

    if suite:
        problems = list(YARDSTICKS.values())
    elif yardstick is None:
        problems = [_own(**options)]
    elif yardstick in YARDSTICKS:
        problems = [YARDSTICKS[yardstick]]
    else:
        raise click.UsageError(
            f"there is no yardstick {yardstick!r}; there are {', '.join(YARDSTICKS)}"
        )
    with _progress() as tell:
        found = [
            compare(
                each,
                names,
                most_states=most_states,
                most_situations=most_situations,
                before=lambda what, each=each: tell(f"{each.name}: {what}"),  # type: ignore[misc]
            )
            for each in problems
        ]
    if as_json:
        plain = [each.to_plain() for each in found]
        click.echo(json.dumps(plain if suite else plain[0], indent=2))
    elif suite:
        click.echo(markdown(found), nl=False)
    else:
        _print(found[0])


def _own(
    features: int | None,
    budget: str,
    values: str,
    costs: str,
    prior: str,
    counts: str,
    loss: str,
) -> Yardstick:
    from budgeted.optimal.yardsticks import Yardstick, small_problem

    sizes = _numbers("--values", values, int)
    prices = [each.strip() for each in costs.split(",")]
    known = [_counts(each) for each in counts.split(";")]
    number = features or max(2, len(sizes), len(prices), len(known))
    problem = small_problem(
        _for_each("--values", sizes, number),
        _for_each("--costs", prices, number),
        _for_each("--prior-counts", known, number),
        _numbers("--prior", prior, float),
        budget,
    )
    return Yardstick("this problem", "given on the command line", problem, loss)


def _for_each(option: str, entries: list[Any], number: int) -> list[Any]:
    if len(entries) not in (1, number):
        raise click.BadParameter(
            f"{option}: give one for all, or one for each of {number} features; got {len(entries)}"
        )
    return entries * number if len(entries) == 1 else entries


def _numbers(option: str, text: str, kind: Callable[[str], Any]) -> list[Any]:
    try:
        return [kind(each) for each in text.split(",")]
    except ValueError:
        raise click.BadParameter(
            f"{option}: must be numbers with commas between, got {text!r}"
        ) from None


def _counts(text: str) -> Any:
    rows = [_numbers("--prior-counts", row, float) for row in text.split("/")]
    if len(rows) > 1:
        return rows
    return rows[0] if len(rows[0]) > 1 else rows[0][0]


@contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda _: None
        return
    with console.status("") as status:
        yield status.update


def _print(found: Comparison) -> None:
    from rich.console import Console
    from rich.table import Table

    from budgeted.optimal.yardsticks import percent

    kind = found.yardstick.loss
    click.echo(
        f"{kind} loss now {found.loss_now:.6f}; optimal after spending "
        f"{found.yardstick.problem.budget}: {found.optimal:.6f} ({found.states} states)"
    )
    table = Table()
    table.add_column("policy", no_wrap=True)
    for head in ("expected loss", "regret", "of the reduction"):
        table.add_column(head, justify="right", no_wrap=True)
    for name, each in found.played.items():
        regret = found.regret(name)
        if regret is None:
            table.add_row(name, "–", "–", "–")
        else:
            table.add_row(name, f"{each.expected:.6f}", f"{max(0.0, regret):.6f}",
                          percent(found.share(name)))  # fmt: skip
    Console().print(table)
    _print_missing(found)


def _print_missing(found: Comparison) -> None:
    missing: Sequence[tuple[str, str]] = [
        (name, each.why_not) for name, each in found.played.items() if each.why_not
    ]
    for name, why in missing:
        click.echo(f"{name}: not evaluated exactly: {why}")
