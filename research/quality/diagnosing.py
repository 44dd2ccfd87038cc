"""The active classifier on real tables, against a fixed order, information gain, and a tree.

    python -m research.quality.diagnosing

Of each table ten random splits are taken, of mushroom, which is large, five. The default learner is given the whole training part, and
the model that it makes diagnoses the other cases, with b_C of money for each of them at the most;
wrong answers are counted. *With experience* it has the training cases as well
(`budgeted.diagnosis.experience`), as the tree has them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any

import numpy as np

from budgeted.diagnosis import ActiveClassifier, Experience
from budgeted.diagnosis.experience import Cases
from budgeted.diagnosis.terms import diagnose_all
from budgeted.experiments.figures import Figure
from budgeted.learners import Hierarchical
from budgeted.learners.model import Model
from budgeted.problem.orders import Purchase
from budgeted.problem.prices import PriceList
from budgeted.problem.prices.tariff import Tariff
from budgeted.seeds import stream
from budgeted.simulation.datasets import load, split
from budgeted.statistics import Floats, Mean, paired
from research.pictures import slim
from research.quality.comparison import DOCS, Comparison, Runs
from research.quality.rivals import Labels, Outcome, Table, by_fixed_order, by_information
from research.quality.rivals import by_tree as tree_of
from research.quality.visits import DRAWN_ONCE, TURNEY

SEED, SPLITS = 20261118, 10
CELLS = 1_200
"""Situations of one programme; fewer than is usual, since there are thousands of decisions."""
_DIAGNOSING = 11
"""Path of the streams of this module, below the seed; see `budgeted.seeds`."""
OURS, ALONE = "active, with experience", "active, model alone"
RIVALS = ("fixed order", "information per money", "tree")
ENTRIES = (OURS, ALONE, *RIVALS)

Curve = dict[str, list[tuple[float, float]]]
"""Entry → (paid on average, error) for each limit of its setting."""


@dataclass(frozen=True)
class Setting:
    """A table, what its tests cost, the limits to try, and how many splits."""

    title: str
    table: str
    limits: tuple[str, ...]
    costs: Callable[[str], str] = lambda name: "1"
    price_list: PriceList | None = None
    splits: int = SPLITS


def _turney(name: str) -> str:
    return TURNEY.get(name, "1.00")


_TESTS = ("1", "2", "3", "4", "5")
SETTINGS: Mapping[str, Setting] = {
    "votes": Setting("votes, each test 1", "votes", _TESTS),
    "breast-wisconsin": Setting("breast-wisconsin, each test 1", "breast-wisconsin", _TESTS),
    "mushroom": Setting("mushroom, each test 1", "mushroom", _TESTS[:4], splits=5),
    "diabetes": Setting("diabetes, Turney's prices", "diabetes",
                        ("2", "4", "19", "22", "41", "46"), _turney),
    "diabetes-shared": Setting("diabetes, blood drawn once", "diabetes",
                               ("19", "22", "39", "42"), _turney,
                               Tariff(panels=[DRAWN_ONCE])),
}  # fmt: skip


def run(name: str, number: int) -> Curve:
    """Return the curves of a split."""
    setting = SETTINGS[name]
    order = list(SETTINGS).index(name)
    seed = int(stream(SEED, _DIAGNOSING, order, number).integers(2**31))
    table = load(setting.table)
    costs = {each: setting.costs(each) for each in table.features}
    made = split(table, seed, 1, missing="own value", costs=costs, price_list=setting.price_list)
    values, labels = made.world.values, made.world.labels
    model = Model.of(Hierarchical().fit(made.problem, _all_of(values, labels)))
    experience = Experience(values, labels)
    prices = ActiveClassifier(model, costs, setting.price_list)

    @cache
    def paid(tests: frozenset[int]) -> Decimal:
        return prices.paid(tests)

    given = Table(model, values, labels, lambda tests: paid(frozenset(tests)), experience)
    rows, truth = made.validation.values, made.validation.masses.argmax(axis=1)
    found: Curve = {entry: [] for entry in ENTRIES}
    for limit in map(Decimal, setting.limits):
        outcomes = {
            OURS: _active(model, costs, setting.price_list, limit, rows, experience),
            ALONE: _active(model, costs, setting.price_list, limit, rows, None),
            "fixed order": by_fixed_order(given, rows, limit),
            "information per money": by_information(given, rows, limit),
            "tree": tree_of(given, rows, limit),
        }
        for entry, outcome in outcomes.items():
            if outcome.paid.max(initial=0) > float(limit):
                raise AssertionError(f"{name}, {entry}: a case was over the limit of {limit}")
            found[entry].append((float(outcome.paid.mean()), outcome.error(truth)))
    return found


def _all_of(values: Cases, labels: Labels) -> list[Purchase]:
    """Every value of the training part, as if all of it had been bought."""
    return [
        Purchase(feature, label, value, 1, str(case))
        for case, (row, label) in enumerate(zip(values.tolist(), labels.tolist(), strict=True))
        for feature, value in enumerate(row)
        if value >= 0
    ]


def _active(
    model: Model,
    costs: Mapping[str, str],
    price_list: PriceList | None,
    limit: Decimal,
    rows: Cases,
    experience: Experience | None,
) -> Outcome:
    active = ActiveClassifier(
        model, costs, price_list, limit=limit, most_cells=CELLS, experience=experience
    )
    found = diagnose_all(active, rows)
    return Outcome(
        np.array([float(each.paid) for each in found]),
        np.array([model.labels.index(each.answer) for each in found]),
    )


def errors(found: list[Curve], entry: str, at: int) -> Floats:
    """Return the error of an entry at a limit, split by split."""
    return np.array([each[entry][at][1] for each in found])


def at_equal_limit(found: list[Curve], ours: str, rival: str) -> list[Mean]:
    """Return the error of ours less a rival's at each limit, by paired splits."""
    limits = len(found[0][ours])
    return [paired(errors(found, ours, at), errors(found, rival, at)) for at in range(limits)]


def table_of(results: Runs) -> str:
    """Return what was kept as a table in Markdown, a row for each setting and limit."""
    lines = [
        f"| table | b_C | {OURS} | paid | {' | '.join((*RIVALS, ALONE))} |",
        f"| --- | ---: | ---: | ---: |{' ---: |' * (len(RIVALS) + 1)}",
    ]
    for name, found in results.items():
        for at, limit in enumerate(SETTINGS[name].limits):
            paid = np.mean([each[OURS][at][0] for each in found])
            others = []
            for rival in (*RIVALS, ALONE):
                gap = at_equal_limit(found, OURS, rival)[at]
                mark = " ▲" if gap.above() else " ▼" if gap.below() else ""
                others.append(f"{errors(found, rival, at).mean():.3f} ({gap:+.3f}){mark}")
            lines.append(
                f"| {SETTINGS[name].title} | {limit} | "
                f"{Mean.of(errors(found, OURS, at)):.3f} | {paid:.2f} | {' | '.join(others)} |"
            )
    return "\n".join(lines)


def figure_of(results: Runs) -> Figure:
    """Return the error against what a case costs on average, a panel for each setting."""
    rows: list[dict[str, Any]] = []
    for name, found in results.items():
        for entry in ENTRIES:
            rows += [
                {
                    "table": SETTINGS[name].title,
                    "entry": entry,
                    "paid": round(float(np.mean([each[entry][at][0] for each in found])), 3),
                    "error": round(float(errors(found, entry, at).mean()), 4),
                }
                for at in range(len(SETTINGS[name].limits))
            ]
    colour = {"field": "entry", "type": "nominal", "sort": list(ENTRIES), "title": None,
              "legend": {"orient": "bottom", "columns": 3, "labelLimit": 300}}  # fmt: skip
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "data": {"values": rows},
        "facet": {"field": "table", "type": "nominal", "title": None,
                  "sort": [SETTINGS[name].title for name in results]},
        "columns": 3,
        "spec": {
            "width": 210, "height": 170,
            "mark": {"type": "line", "point": {"size": 22}, "strokeWidth": 1.5},
            "encoding": {
                "x": {"field": "paid", "type": "quantitative", "title": "paid for a case"},
                "y": {"field": "error", "type": "quantitative", "title": "error",
                      "scale": {"zero": False}},
                "color": colour,
                "order": {"field": "paid"},
            },
        },
        "resolve": {"scale": {"x": "independent", "y": "independent"}},
        "config": {"background": "white"},
    }  # fmt: skip


def _draw(results: Runs) -> None:
    from budgeted.experiments.figures import save  # noqa: PLC0415 - an extra

    slim(save(figure_of(results), DOCS / "diagnosing.svg"))


COMPARISON = Comparison(
    "diagnosing",
    run,
    {name: each.splits for name, each in SETTINGS.items()},
    {"diagnosing.md": table_of},
    "curves",
    _draw,
)


if __name__ == "__main__":
    COMPARISON.command()()
