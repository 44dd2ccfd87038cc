"""Visits and panels on real tables: the default, the paper's policies, and a default that is blind.

    python -m research.quality.visits

Every setting has a price list in which values of a patient who is there anyway cost less. All spend
the same money on the same splits. *Blind* is the default as it is where each feature has one price:
it sees the prices without fees and set-ups, picks cases by its rule, and pays what is really due.
"""

from __future__ import annotations

import json
import lzma
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np

from budgeted.experiments import executors
from budgeted.files import write_atomically
from budgeted.learners import Hierarchical, NaiveBayes
from budgeted.policies import Policy, for_learner, policy
from budgeted.policies.base import choose
from budgeted.problem import CaseSoFar, Order, Problem
from budgeted.problem.orders import Purchase
from budgeted.problem.prices import PriceList
from budgeted.problem.prices.tariff import Tariff
from budgeted.seeds import POLICY, stream
from budgeted.simulation.datasets import Rehearsal, load, split
from budgeted.simulation.worlds import TableWorld
from budgeted.state import State
from budgeted.statistics import Mean, paired
from research.quality.zoo.plays import fingerprint

RESULTS = Path(__file__).with_name("kept") / "visits.json.xz"
SEED, RUNS = 20261221, 60
PAGE = Path(__file__).parents[2] / "docs" / "orders.md"
_BEGIN, _END = "<!-- visits -->", "<!-- end of visits -->"
_VISITS = 7
"""Path of the streams of this module, below the seed; see `budgeted.seeds`."""
PATIENTS = 8
"""The money would pay for every test on so many patients."""
PANEL, PANELS, SETUP, FEE = 4, 2, 2, 5
"""Features of a panel, how many there are, the set-up of one, and the fee, in mean prices."""

TURNEY = {"plasma-glucose": "17.61", "serum-insulin-2h": "22.78"}
"""Turney (1995), *Cost-sensitive classification*, JAIR 2: the other six tests cost 1.00."""
DRAWN_ONCE = {
    "name": "blood sample",
    "features": ["plasma-glucose", "serum-insulin-2h"],
    "shared": "2.10",
}

PAPER: Mapping[str, Policy] = {
    "round-robin": policy("round-robin"),
    "round-robin, whole cases": policy("round-robin", over="cases"),
    "uniform-expenditure": policy("uniform-expenditure"),
    "biased-robin": policy("biased-robin"),
    "greedy": policy("greedy"),
    "sfl": policy("sfl"),
}


@dataclass(frozen=True)
class Setting:
    """A table with a price list: what features cost, and what is due besides."""

    title: str
    table: str
    costs: Callable[[str], str] = lambda name: "1"
    prices: Callable[[tuple[str, ...], np.random.Generator], PriceList] = lambda *_: Tariff()
    fees: bool = True


def _clinic(names: tuple[str, ...], rng: np.random.Generator) -> Tariff:
    """A visit fee, and two panels drawn at random."""
    drawn = rng.permutation(len(names))[: PANEL * PANELS].reshape(PANELS, PANEL)
    panels = [
        {"name": f"panel {at}", "features": [names[each] for each in row], "setup": SETUP}
        for at, row in enumerate(drawn, start=1)
    ]
    return Tariff(FEE, panels=panels)


SETTINGS: Mapping[str, Setting] = {
    "diabetes": Setting("diabetes, Turney's prices, each test by itself", "diabetes",
                        lambda name: TURNEY.get(name, "1.00"), fees=False),
    "diabetes-shared": Setting("diabetes, Turney's prices, blood drawn once", "diabetes",
                               lambda name: TURNEY.get(name, "1.00"),
                               lambda *_: Tariff(panels=[DRAWN_ONCE]), fees=False),
    "mushroom": Setting("mushroom, a fee and two panels", "mushroom", prices=_clinic),
    "votes": Setting("votes, a fee and two panels", "votes", prices=_clinic),
    "breast-wisconsin": Setting("breast-wisconsin, a fee and two panels", "breast-wisconsin",
                                prices=_clinic),
}  # fmt: skip


def rehearsal_of(name: str, number: int) -> tuple[Rehearsal, int]:
    """Return the split, the prices and the budget of a run, and its seed."""
    setting = SETTINGS[name]
    rng = stream(SEED, _VISITS, list(SETTINGS).index(name), number)
    seed = int(rng.integers(2**31))
    table = load(setting.table)
    costs = {each: setting.costs(each) for each in table.features}
    prices = setting.prices(table.features, rng)
    probe = split(table, seed, 1, missing="own value", costs=costs, price_list=prices)
    everything = Order(tuple(range(len(table.features))), 0)
    one = probe.problem.quote(everything, CaseSoFar())
    made = split(table, seed, one * PATIENTS, missing="own value", costs=costs, price_list=prices,
                 case_rule="settle")  # fmt: skip
    return made, seed


def play(rehearsal: Rehearsal, chooser: Policy, seed: int) -> State:
    """Return what a policy ends with that knows the price list."""
    stock, state = rehearsal.world.open(), State.start(rehearsal.problem, rehearsal.world.cases)
    while (choice := _choice(chooser, state, seed)) is not None:
        for bought in stock.buy(choice.order, state.free):
            state = state.after(bought)
    return state


def play_blind(rehearsal: Rehearsal, chooser: Policy, seed: int) -> State:
    """Return what a policy ends with that sees one price for each feature and pays what is due."""
    problem = rehearsal.problem
    plain = Problem(problem.features, problem.labels, problem.prior, problem.budget)
    world = rehearsal.world
    stock = TableWorld(plain, world.values, world.labels, world.seed, world.case_rule).open()
    seen, paid = State.start(plain, world.cases), State.start(problem, world.cases)
    while (choice := _choice(chooser, seen, seed)) is not None:
        (bought,) = stock.buy(choice.order)
        order = Order((bought.feature,), bought.label, bought.case)
        assert bought.case is not None
        due = problem.quote(order, paid.visited.get(bought.case, CaseSoFar(label=bought.label)))
        if due > paid.free:
            break
        paid = paid.after(Purchase(bought.feature, bought.label, bought.value, due, bought.case))
        seen = seen.after(bought)
        if seen.free > paid.free:  # what is gone is gone
            seen = seen.changed(remaining=paid.remaining)
    return paid


def _choice(chooser: Policy, state: State, seed: int) -> Any:
    return choose(chooser, state, stream(seed, POLICY, len(state.history)), chooser.name)


def run(name: str, number: int) -> dict[str, dict[str, float]]:
    """Return for each entry of a run its errors, values and visits."""
    rehearsal, seed = rehearsal_of(name, number)
    plain, ours = NaiveBayes(), Hierarchical()
    auto = for_learner(policy("auto"), lambda: ours)
    states = {each: play(rehearsal, chooser, seed) for each, chooser in PAPER.items()}
    states["auto"] = play(rehearsal, auto, seed)
    states["blind"] = play_blind(rehearsal, auto, seed)
    judge = rehearsal.validation
    return {
        each: {
            "naive-bayes": round(judge.error(plain.fit(rehearsal.problem, state.history)), 6),
            "hierarchical": round(judge.error(ours.fit(rehearsal.problem, state.history)), 6),
            "values": len(state.history),
            "visits": len({bought.case for bought in state.history}),
            "spent": float(state.spent / rehearsal.problem.budget),
        }
        for each, state in states.items()
    }


def errors(found: list[dict[str, dict[str, float]]], entry: str, learner: str) -> Any:
    """Return the errors of all runs of an entry with a learner."""
    return np.array([each[entry][learner] for each in found])


def summary(name: str, found: list[dict[str, dict[str, float]]]) -> Iterator[str]:
    """Yield the lines of a setting: every entry, and the default less each of them."""
    yield SETTINGS[name].title
    ours = errors(found, "auto", "hierarchical")
    for entry in found[0]:
        own = "hierarchical" if entry in ("auto", "blind") else "naive-bayes"
        theirs = errors(found, entry, own)
        values, visits = (np.mean([each[entry][key] for each in found])
                          for key in ("values", "visits"))  # fmt: skip
        yield (
            f"  {entry:26} {Mean.of(theirs):.4f}  with hierarchical "
            f"{errors(found, entry, 'hierarchical').mean():.4f}  default less it "
            f"{paired(ours, theirs):+.4f}  values {values:.0f}  visits {visits:.1f}"
        )


def kept() -> dict[str, list[dict[str, dict[str, float]]]]:
    """Return the runs of each setting that were kept."""
    found = json.loads(lzma.decompress(RESULTS.read_bytes()))
    return {name: each["runs"] for name, each in found.items()}


def best_of_the_paper(found: list[dict[str, dict[str, float]]]) -> str:
    """Return the paper's policy with the least mean error, with naive Bayes as published."""
    return min(PAPER, key=lambda each: float(errors(found, each, "naive-bayes").mean()))


def table() -> str:
    """Return what was kept as a table in Markdown, a row for each setting."""
    lines = [
        "| setting | default | the paper's best | default less it | blind default | default less it | "
        "values a visit: default, blind |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, found in kept().items():
        ours, blind = (errors(found, each, "hierarchical") for each in ("auto", "blind"))
        best = best_of_the_paper(found)
        theirs = errors(found, best, "naive-bayes")
        each_visit = [
            sum(run[entry]["values"] for run in found) / sum(run[entry]["visits"] for run in found)
            for entry in ("auto", "blind")
        ]
        share = paired(ours, blind).value / float(blind.mean())
        lines.append(
            f"| {SETTINGS[name].title} | {Mean.of(ours):.4f} | {Mean.of(theirs):.4f} ({best}) | "
            f"{paired(ours, theirs):+.4f} | {Mean.of(blind):.4f} | "
            f"{paired(ours, blind):+.4f} ({share:+.0%}) | "
            f"{each_visit[0]:.1f}, {each_visit[1]:.1f} |"
        )
    return "\n".join(lines)


def written(page: str) -> str:
    """Return a page with the table of what was kept between its two marks."""
    begin, rest = page.split(_BEGIN)
    _, end = rest.split(_END)
    return f"{begin}{_BEGIN}\n\n{table()}\n\n{_END}{end}"


@click.command()
@click.argument("names", nargs=-1)
@click.option("--workers", type=click.IntRange(min=1), help="Processes.  [default: one per core]")
@click.option("--runs", type=click.IntRange(min=2), help="Of each, for a look; nothing is written.")
def main(names: tuple[str, ...], workers: int | None, runs: int | None) -> None:
    """Play the settings NAMES (all unless named) and keep what came out."""
    wanted = names or tuple(SETTINGS)
    unknown = [name for name in wanted if name not in SETTINGS]
    if unknown:
        raise click.UsageError(f"there is no {', '.join(unknown)}; there are {', '.join(SETTINGS)}")
    results = json.loads(lzma.decompress(RESULTS.read_bytes())) if RESULTS.exists() else {}
    with executors.processes(workers) as pool:
        for name in wanted:
            number = runs or RUNS
            found = list(pool.map(run, [name] * number, range(number)))
            for line in summary(name, found):
                click.echo(line)
            results[name] = {"code": fingerprint(), "seed": SEED, "runs": found}
            if runs is None:
                text = json.dumps(results, separators=(",", ":"))
                write_atomically(RESULTS, lzma.compress(text.encode(), preset=9))
                PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
