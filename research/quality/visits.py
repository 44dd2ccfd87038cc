"""Visits and panels on real tables: the default, the paper's policies, and a default that is blind.

    python -m research.quality.visits

Every setting has a price list in which values of a patient who is there anyway cost less. All spend
the same money on the same splits. *Blind* is the default as it is where each feature has one price:
it sees the prices without fees and set-ups, picks cases by its rule, and pays what is really due.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

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
from research.quality.comparison import Comparison, Runs

SEED, RUNS = 20261221, 60
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
            "naive-bayes": judge.error(plain.fit(rehearsal.problem, state.history)),
            "hierarchical": judge.error(ours.fit(rehearsal.problem, state.history)),
            "values": len(state.history),
            "visits": len({bought.case for bought in state.history}),
            "spent": float(state.spent / rehearsal.problem.budget),
        }
        for each, state in states.items()
    }


def errors(found: list[dict[str, dict[str, float]]], entry: str, learner: str) -> Any:
    """Return the errors of all runs of an entry with a learner."""
    return np.array([each[entry][learner] for each in found])


def best_of_the_paper(found: list[dict[str, dict[str, float]]]) -> str:
    """Return the paper's policy with the least mean error, with naive Bayes as published."""
    return min(PAPER, key=lambda each: float(errors(found, each, "naive-bayes").mean()))


def table_of(results: Runs) -> str:
    """Return what was kept as a table in Markdown, a row for each setting."""
    lines = [
        "| setting | default | the paper's best | default less it | blind default | default less it | "
        "values a visit: default, blind |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, found in results.items():
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


COMPARISON = Comparison(
    "visits", run, dict.fromkeys(SETTINGS, RUNS), {"orders.md": table_of}, "visits"
)


if __name__ == "__main__":
    COMPARISON.command()()
