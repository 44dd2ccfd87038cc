"""Write docs/benchmark.md from the runs there are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isinf
from pathlib import Path

from reproduction.origin import Origin

from benchmark.comparison import Comparison
from benchmark.drawing import RIVALS, draw, shown
from benchmark.problems import (
    BROAD,
    CONTENDERS,
    DEFAULT,
    LATER,
    MUST_HOLD,
    SEED,
    TABLES_SEED,
    Line,
)
from benchmark.promises import HOLDS, NOT, PROMISES, TOO_FEW, Outcome, outcome, signed
from benchmark.statistics import Verdict, area
from budgeted.results import Store
from budgeted.runs import Runs

Found = Mapping[str, Comparison]

SIGNS = {"better": " ▼ better", "worse": " ▲ worse", "level": ""}
MARKS = {HOLDS: "✔ holds", NOT: "✘ **does not hold**", TOO_FEW: "… not enough runs"}
CHOSEN = Path(__file__).with_name("how_the_default_was_chosen.md")
FORMER = (
    "The figures on this page are those of the default before `budgeted.learners`, when another "
    "classifier went with it; the page will be made anew from the zoo (`benchmark/zoo`)."
)
"""To be taken out when the page is made from runs of the learners."""


@dataclass(frozen=True)
class Material:
    """All runs that a page is made from; `lacking` names the lines that have not all of theirs."""

    found: Found
    everyone: Mapping[Line, Mapping[str, Runs]]
    lacking: tuple[str, ...]

    @classmethod
    def read(
        cls,
        results: Path,
        runs: int | None = None,
        lines: Iterable[Line] = MUST_HOLD,
        broad: Iterable[Line] = BROAD,
        fingerprint: str = "",
    ) -> Material:
        """Return what is in a folder of results, computed by one and the same code."""
        read = {line: Comparison.read(line, results, runs, fingerprint) for line in lines}
        lacking = [line.name for line, each in read.items() if each is None or not each.enough]
        everyone = {}
        for line in broad:
            numbers, runs_of = Store(results, line.experiment(runs), fingerprint).load_common()
            if len(numbers) < line.runs:
                lacking.append(line.name)
            if len(numbers) > 1:
                everyone[line] = runs_of
        found = {line.name: each for line, each in read.items() if each is not None}
        return cls(found, everyone, tuple(lacking))

    @property
    def origin(self) -> Origin:
        """The code behind them."""
        compared = [*self.everyone.values(), *(each.runs for each in self.found.values())]
        return Origin.of(runs for each in compared for runs in each.values())


def write(material: Material, docs: Path) -> list[Outcome]:
    """Write the page and its figures; return how the promises stand."""
    outcomes = [outcome(promise, material.found) for promise in PROMISES]
    # One run has no standard error, so that it is counted above and shown nowhere else.
    found = {name: each for name, each in material.found.items() if len(each) > 1}
    text = page(found, material.everyone, outcomes, shown(found), material.origin)
    docs.mkdir(parents=True, exist_ok=True)
    draw(found, docs / "benchmark")
    (docs / "benchmark.md").write_text(text, encoding="utf-8")
    return outcomes


def page(
    found: Found,
    everyone: Mapping[Line, Mapping[str, Runs]],
    outcomes: list[Outcome],
    curves: list[tuple[str, str]],
    origin: Origin,
) -> str:
    """Return the page."""
    kept, broken, open_ = (
        sum(each.verdict == verdict for each in outcomes) for verdict in (HOLDS, NOT, TOO_FEW)
    )
    parts = [
        "# The default against all others",
        FORMER,
        "How good the policy `auto` is that studies use unless told otherwise: gains, and losses as "
        "plainly.",
        f"Written by `make benchmark` from runs computed {origin}; each table says how many. "
        "All policies meet the same worlds, drawn from seed "
        f"{SEED}, splits of tables from {TABLES_SEED} "
        f"({', '.join(f'{name}: {seed}' for name, seed in LATER.items())}). Every budget has runs of its own. "
        "`auto` comes with its belief, its learner and its choice of cases; the others have the plain belief, plain "
        "naive Bayes and fresh cases, as in the paper.",
        "An error is the 0/1 error when the money is spent: the true error of the drawn model in figures "
        "3(a) and 3(b), elsewhere that on validation cases which nobody bought. `mean ± standard error`; "
        "differences are paired, world by world, and negative is good for `auto`. *Significant* means 2 "
        "standard errors. Nothing is corrected for the number of comparisons. Missing cells are "
        "an own value in mushroom, elsewhere they cost money and bring nothing. Costs from 1 to 5: the "
        "position of the feature in the table, modulo 5, plus 1. Diabetes is left out: its table is "
        "not in the package.",
        "## What was promised",
        f"{kept} hold, {broken} do not, {open_} cannot be decided yet.",
        _promises(outcomes),
        "Two more promises are measured elsewhere: `make speed` compares the cost of a decision with that of "
        "one of single feature lookahead, and `budgeted optimal` computes exact regret on small problems.",
    ]
    if found:
        parts += [
            "## Gains and losses",
            *(_balance(found, rival) for rival in RIVALS),
            "![Paired differences](benchmark/differences.png)",
            "## Errors when the money is spent",
            _errors(found),
            "## Paired differences",
            "The last column is against the best of the paper's policies, *picked afterwards* on each "
            "line: chance favours whoever is picked, so this column is biased against `auto`.",
            _differences(found),
            "## On the way",
            "The area under the error curve, divided by the budget: the mean error on the way.",
            _areas(found),
            "The data utilisation rate: the money a policy needs until the mean error over 5 % of the budget "
            "is at or below the target, divided by what the random shopper needs. The target is the "
            "mean error of the random shopper over the last 20 % of its money. Below 1 is good; a dash: "
            "not reached with this budget.",
            _rates(found),
        ]
        several = [each for each in found.values() if not each.line.problem.startswith("figure")]
        if several:
            parts += [
                "## Against always predicting the most frequent label",
                "At the end, and where on its way `auto` is worst in standard errors.",
                _majority(several),
            ]
    if everyone:
        parts += [
            "## Every policy with either belief",
            "With *relevance* a policy has all that goes with the default: the relevance-aware belief, the "
            "hierarchical learner and overlapping cases. Few runs, so small differences mean nothing.",
            _broad(everyone),
        ]
    if curves:
        parts += ["## Curves", *(f"![{title}](benchmark/{file})" for title, file in curves)]
    parts += ["## How the default was chosen", CHOSEN.read_text(encoding="utf-8").strip()]
    return "\n\n".join(parts) + "\n"


def table(heads: Iterable[str], rows: Iterable[Iterable[str]], left: int = 1) -> str:
    """Return a Markdown table whose first columns are text and the others figures."""
    heads = list(heads)
    rule = ["---"] * left + ["---:"] * (len(heads) - left)
    return "\n".join(f"| {' | '.join(row)} |" for row in (heads, rule, *map(list, rows)))


def _promises(outcomes: list[Outcome]) -> str:
    return table(
        ("on", "must hold", "seen", "runs", ""),
        (
            (
                each.promise.line.name,
                each.promise.words,
                each.seen,
                f"{each.runs} of {each.promise.line.runs}",
                MARKS[each.verdict],
            )
            for each in outcomes
        ),
        left=5,
    )


def _balance(found: Found, rival: str) -> str:
    gaps = {name: each.against(rival) for name, each in found.items() if each.enough}
    better = [name for name, gap in gaps.items() if Verdict(gap).better]
    worse = [name for name, gap in gaps.items() if Verdict(gap).worse]
    lost = ", ".join(f"{name} ({signed(*gaps[name])})" for name in worse)
    return (
        f"Against {rival}, on {len(gaps)} lines: significantly better on {len(better)}, significantly "
        f"worse on {len(worse)}{f': {lost}' if worse else ''}, level on "
        f"{len(gaps) - len(better) - len(worse)}."
        f"{f' Not enough runs on {open_} more.' if (open_ := len(found) - len(gaps)) else ''}"
    )


def _errors(found: Found) -> str:
    def row(each: Comparison) -> list[str]:
        least = min(each.mean(name).value for name in CONTENDERS)
        means = [each.mean(name) for name in CONTENDERS]
        cells = [f"**{mean}**" if mean.value == least else str(mean) for mean in means]
        complete = f"{each.runs[DEFAULT].complete.mean():.3f}"
        return [each.line.name, str(len(each)), *cells, complete]

    return table(("", "runs", *CONTENDERS, "complete data"), map(row, found.values()))


def _differences(found: Found) -> str:
    def row(each: Comparison) -> list[str]:
        cells = [_gap(each, rival) for rival in RIVALS]
        return [each.line.name, str(len(each)), *cells, f"{_gap(each, each.best)} ({each.best})"]

    heads = ("", "runs", *(f"auto − {rival}" for rival in RIVALS), "auto − best of the paper's")
    return table(heads, map(row, found.values()))


def _gap(each: Comparison, rival: str) -> str:
    gap = each.against(rival)
    return f"{signed(*gap)}{SIGNS[str(Verdict(gap))]}"


def _areas(found: Found) -> str:
    rows = (
        [name, *(str(area(each.runs[policy], each.line.budget)) for policy in CONTENDERS)]
        for name, each in found.items()
    )
    return table(("", *CONTENDERS), rows)


def _rates(found: Found) -> str:
    def cell(rate: float) -> str:
        return "–" if isinf(rate) else f"{rate:.2f}"

    policies = CONTENDERS[:-1]
    rows = (
        [name, *(cell(each.rate(policy)) for policy in policies)] for name, each in found.items()
    )
    return table(("", *policies), rows)


def _majority(several: list[Comparison]) -> str:
    def row(each: Comparison) -> list[str]:
        money, gap = each.above_majority()
        shares = (f"{each.majority.mean():.3f}", str(each.mean(DEFAULT)))
        return [each.line.name, *shares, f"{signed(*gap)} after {money}"]

    return table(("", "majority class", "auto at the end", "auto − majority at its worst"),
                 map(row, several))  # fmt: skip


def _broad(everyone: Mapping[Line, Mapping[str, Runs]]) -> str:
    labels = dict.fromkeys(label for runs in everyone.values() for label in runs)
    heads = [f"{line.topic} {line.budget} ({len(next(iter(runs.values())))} runs)"
             for line, runs in everyone.items()]  # fmt: skip
    rows = (
        [label, *(str(runs[label].final) if label in runs else "" for runs in everyone.values())]
        for label in labels
    )
    return table(("policy, belief", *heads), rows)
