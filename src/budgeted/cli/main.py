"""The command line: a thin skin over the package.

Numerics are imported by the commands that need them, so that ``--help`` answers at once.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from budgeted import __version__
from budgeted.cli import output
from budgeted.cli.datasets import datasets
from budgeted.cli.diagnose import diagnose
from budgeted.cli.experiments import experiment
from budgeted.cli.models import model
from budgeted.cli.optimal import optimal
from budgeted.cli.options import known_loss, parameters_for, prices_of, settings_of
from budgeted.cli.plan import plan
from budgeted.cli.serve import serve, serve_password, serve_token
from budgeted.cli.studies import study
from budgeted.cli.studies.hints import words
from budgeted.errors import BudgetedError, FigureError

if TYPE_CHECKING:
    from rich.table import Table

    from budgeted.experiments.runs import Runs
    from budgeted.learners import Learner
    from budgeted.policies import Policy
    from budgeted.problem import PriceList
    from budgeted.simulation.synthetic import Synthetic

PROBLEMS = ("figure-3a", "figure-3b")

DEMO_BUDGET = 100
DEMO_POLICIES: dict[str, tuple[str, dict[str, Any]]] = {
    "random shopper": ("random-shopper", {}),
    "uniform expenditure": ("uniform-expenditure", {}),
    "round robin": ("round-robin", {}),
    "biased robin (cells)": ("biased-robin", {"over": "cells"}),
    "biased robin (features)": ("biased-robin", {}),
    "greedy": ("greedy", {}),
    "lookahead (SFL)": ("sfl", {}),
    "the default (auto)": ("auto", {}),
}


class _Group(output.Group):
    """Commands whose own errors end in one line, not in a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with output.plain_warnings():
                return super().invoke(ctx)
        except BudgetedError as error:
            raise click.ClickException(words(error)) from error


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="budgeted")
def main() -> None:
    """Buy training data piece by piece.

    The labels of the cases are known, every feature value costs money, the budget is firm:
    find the best classifier that this money can buy.
    """


main.add_command(datasets)
main.add_command(diagnose)
main.add_command(experiment)
main.add_command(model)
main.add_command(optimal)
main.add_command(plan)
main.add_command(study)
main.add_command(serve)
main.add_command(serve_password)
main.add_command(serve_token)


@main.command()
@click.option("--runs", default=30, show_default=True, type=click.IntRange(min=1),
              help="How many worlds to average over.")  # fmt: skip
@click.option("--seed", default=2003, show_default=True, type=click.IntRange(min=0),
              help="Which worlds.")  # fmt: skip
@click.option(
    "--figure",
    default="budgeted-demo.png",
    show_default=True,
    type=click.Path(dir_okay=False, writable=True),
    help="Where to draw the curves (.png, .svg, .pdf, .html or .json).",
)
def demo(runs: int, seed: int, figure: str) -> None:
    """Watch the default and the paper's policies spend money, then a real study (a minute).

    The problem is the paper's Figure 3(b): ten Boolean features for sale, one of which tells the
    two labels apart (0.9 against 0.1). Each policy buys 100 values. The study is that of 'budgeted
    study example', in a temporary folder: ask, tell, fail, correct, status, model.
    """
    from rich.console import Console

    from budgeted.experiments.figures import check_target
    from budgeted.policies import policy
    from budgeted.simulation.synthetic import FIGURE_3B

    console, drawable = Console(), True
    try:
        check_target(figure)
    except FigureError as error:  # the table is worth having without its figure
        click.echo(str(error), err=True)
        drawable = False
    console.print(
        "Ten features for sale. One tells the labels apart; which one, nobody knows.\n"
        f"Each policy spends {DEMO_BUDGET} on single values, in the same {runs} worlds.\n"
    )
    built = {label: policy(name, **kw) for label, (name, kw) in DEMO_POLICIES.items()}
    results = _run_all(FIGURE_3B, built, budget=str(DEMO_BUDGET), runs=runs, seed=seed)
    console.print(_comparison_table(results))
    complete = float(next(iter(results.values())).complete.mean())
    console.print(f"Complete training data (8 000 values): {complete:.3f}. Best possible: 0.100.\n")
    if drawable:
        _draw(figure, "One feature of ten matters", results)
    try:
        from budgeted.cli.studies.story import tell_story

        tell_story(console)
    except BudgetedError as error:  # the policies are worth having without studies
        click.echo(str(error), err=True)
    console.print(
        "Next: [bold]budgeted study example[/bold], [bold]budgeted simulate --help[/bold], "
        "or the README for Python.\n"
        "To do all this in the browser: [bold]make serve[/bold], or "
        "[bold]budgeted serve --example[/bold].",
        highlight=False,
    )


def _teacher(chosen: Policy, name: str | None, taught: Mapping[str, Any]) -> Learner:
    """Return the learner of that name, or the one that goes with the policy."""
    from budgeted.learners import learner_from
    from budgeted.policies import preferences

    usual = preferences(chosen).get("learner", "naive-bayes")
    return learner_from({"name": name or usual, **taught})


@main.command()
@click.option("--problem", type=click.Choice(PROBLEMS), default="figure-3b", show_default=True,
              help="Which of the paper's synthetic problems.")  # fmt: skip
@click.option("--policy", "policy_name", default="sfl", show_default=True,
              help="Who chooses; see 'budgeted policies'.")  # fmt: skip
@click.option("--budget", default="100", show_default=True, help="Money; a value costs 1.")
@click.option("--runs", default=50, show_default=True, type=click.IntRange(min=1),
              help="How many worlds to average over.")  # fmt: skip
@click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0),
              help="Which worlds.")  # fmt: skip
@click.option("--max-depth", type=int, help="Policy parameter: look at most so far ahead.")
@click.option("--loss", callback=known_loss,
              help="Policy parameter: which loss steers; gini, entropy, zero_one, or your "
              "own.")  # fmt: skip
@click.option("--over", type=click.Choice(["features", "cells"]),
              help="Policy parameter: what biased robin goes round.")  # fmt: skip
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", callback=settings_of,
              help="Any parameter of the policy, with learner.NAME one of the learner, with "
              "prices.NAME one of the price list; may be repeated.")  # fmt: skip
@click.option("--learner", metavar="NAME",
              help="Who makes the classifier; as the policy likes it unless given.")  # fmt: skip
@click.option("--prices", metavar="NAME|FILE",
              help="Problem: what orders cost; see 'budgeted price-lists'. Or a TOML file with a "
              "table [prices], such as a study.")  # fmt: skip
@click.option("--features", type=int, help="Problem: number of features.  [default: 10]")
@click.option("--discriminative", type=int,
              help="Problem: how many features tell the labels apart (figure-3b: 1).")  # fmt: skip
@click.option("--strength", type=float,
              help="Problem: P(first value | first label) of those.  [default: 0.9]")  # fmt: skip
@click.option("--class-prior", type=float,
              help="Problem: share of the first label.  [default: 0.5]")  # fmt: skip
@click.option("--figure", type=click.Path(dir_okay=False, writable=True),
              help="Draw the curve into this file.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print JSON for scripts.")
def simulate(
    problem: str,
    policy_name: str,
    budget: str,
    runs: int,
    seed: int,
    settings: dict[str, Any],
    learner: str | None,
    prices: str | None,
    figure: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Rehearse one policy on a synthetic problem.

    Prints the mean validation error with its standard error after each purchase, and how often
    each feature was bought.
    """
    from dataclasses import replace

    from budgeted.experiments.figures import check_target
    from budgeted.learners import parameters_of
    from budgeted.policies import policy
    from budgeted.problem.prices import PerFeature
    from budgeted.problem.prices import parameters_of as price_parameters
    from budgeted.simulation.synthetic import SYNTHETIC

    given = {key: value for key, value in options.items() if value is not None}
    knobs = {key: given.pop(key) for key in
             ("features", "discriminative", "strength", "class_prior") if key in given}  # fmt: skip
    if figure:
        check_target(figure)  # before the runs, not after them
    taught = parameters_for("learner", settings)
    listed = prices_of(prices, parameters_for("prices", settings)) or PerFeature()
    given |= settings
    chosen = policy(policy_name, **given)
    teacher = _teacher(chosen, learner, taught)
    if problem == "figure-3a" and {"strength", "discriminative"} & knobs.keys():
        raise click.UsageError(
            "in figure-3a every feature matters: --strength and --discriminative are for figure-3b"
        )
    setting = replace(SYNTHETIC[problem], **knobs)
    setting.draw(seed, budget, listed)  # a wrong budget ends here, not behind a progress bar
    result = _run_all(
        setting, {policy_name: chosen}, budget=budget, runs=runs, seed=seed, prices=listed,
        learner=teacher,
    )  # fmt: skip
    if figure:
        _draw(figure, f"{policy_name} on {problem}", result)
    runs_of = result[policy_name]
    if as_json:
        document = {
            "problem": problem,
            "knobs": knobs,
            "prices": listed.name,
            "price_parameters": price_parameters(listed),
            "policy": policy_name,
            "parameters": given,
            "learner": teacher.name,
            "learner_parameters": parameters_of(teacher),
            "budget": budget,
            "runs": runs,
            "seed": seed,
            "curve": runs_of.curve(),
            "mean_purchases": _mean_purchases(runs_of),
            "mean_purchases_of_discriminative": float(runs_of.discriminative.mean()),
            "complete_training_data_error": float(runs_of.complete.mean()),
        }
        click.echo(json.dumps(document, indent=2))
        return
    _print_curve(runs_of)


@main.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON for scripts.")
def policies(as_json: bool) -> None:
    """List the policies, a line each, with their parameters."""
    from budgeted.policies import POLICIES, parameter_names

    available = POLICIES.available()
    if as_json:
        listed = [
            {"name": name, "summary": kind.summary, "parameters": list(parameter_names(kind))}
            for name, kind in available.items()
        ]
        click.echo(json.dumps(listed, indent=2))
        return
    width = max(map(len, available))
    for name, kind in available.items():
        takes = ", ".join(parameter_names(kind))
        click.echo(f"{name:<{width}}  {kind.summary}" + (f"  ({takes})" if takes else ""))


@main.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON for scripts.")
def price_lists(as_json: bool) -> None:
    """List the price lists, a line each, with their parameters."""
    from budgeted.problem.prices import PRICE_LISTS, parameter_names_of

    available = {
        name: (kind.summary, parameter_names_of(kind))
        for name, kind in PRICE_LISTS.available().items()
    }
    if as_json:
        listed = [
            {"name": name, "summary": summary, "parameters": takes}
            for name, (summary, takes) in available.items()
        ]
        click.echo(json.dumps(listed, indent=2))
        return
    width = max(map(len, available))
    for name, (summary, takes) in available.items():
        click.echo(f"{name:<{width}}  {summary}" + (f"  ({', '.join(takes)})" if takes else ""))


def _run_all(
    setting: Synthetic,
    chosen: Mapping[str, Policy],
    *,
    budget: str,
    runs: int,
    seed: int,
    prices: PriceList | None = None,
    learner: Learner | None = None,
) -> dict[str, Runs]:
    from rich.console import Console
    from rich.progress import Progress

    from budgeted.experiments.runs import repeat

    results = {}
    with Progress(console=Console(stderr=True), transient=True) as progress:
        for label, each in chosen.items():
            task = progress.add_task(label, total=runs)
            results[label] = repeat(
                lambda run_seed: setting.draw(run_seed, budget, prices),
                each,
                runs=runs,
                seed=seed,
                learner=learner,
                after_run=lambda task=task: progress.advance(task),  # type: ignore[misc]
            )
    return results


def _comparison_table(results: Mapping[str, Runs]) -> Table:
    from rich.table import Table

    checkpoints = [DEMO_BUDGET // 4, DEMO_BUDGET // 2, DEMO_BUDGET]
    table = Table(
        title="0/1 error on validation cases: mean ± standard error",
        caption="hits: mean purchases of the one feature that matters",
    )
    table.add_column("policy", no_wrap=True)
    for checkpoint in checkpoints:
        table.add_column(f"after {checkpoint}", justify="right", no_wrap=True)
    table.add_column("hits", justify="right")
    for label, runs in results.items():
        curve = runs.curve()
        errors = [
            f"{curve[at - 1]['mean_error']:.3f} ±{_figure(curve[at - 1]['standard_error'], 3)}"
            for at in checkpoints
        ]
        table.add_row(label, *errors, f"{runs.discriminative.mean():.1f}")
    return table


def _print_curve(runs: Runs) -> None:
    if not runs.errors.size:
        click.echo(
            "nothing was bought: the budget is below every cost, or the policy wants nothing"
        )
        return
    click.echo("purchases  spent  mean error  standard error")
    for point in runs.curve():
        click.echo(
            f"{point['purchases']:>9}  {point['spent']:>5g}  {point['mean_error']:>10.4f}"
            f"  {_figure(point['standard_error'], 4):>14}"
        )
    click.echo("\nmean purchases per feature")
    for name, mean in _mean_purchases(runs).items():
        click.echo(f"{name:>9}  {mean:.2f}")
    click.echo(f"of the discriminative ones: {runs.discriminative.mean():.2f}")
    click.echo(f"error of complete training data: {runs.complete.mean():.4f}")


def _figure(number: float | None, decimals: int) -> str:
    return "unknown" if number is None else f"{number:.{decimals}f}"


def _mean_purchases(runs: Runs) -> dict[str, float]:
    return {name: float(runs.purchases[:, i].mean()) for i, name in enumerate(runs.features)}


def _draw(path: str, title: str, results: Mapping[str, Runs]) -> None:
    from budgeted.experiments.figures import error_curves, save

    first = next(iter(results.values()))
    figure = error_curves(
        {label: runs.curve() for label, runs in results.items()},
        title=title,
        subtitle=f"mean of {len(first.errors)} runs, 95 % bands",
        lines={"complete training data": float(first.complete.mean())},
    )
    click.echo(f"figure: {save(figure, path)}", err=True)
