"""The active classifier on real tables, against a fixed order, information gain, and a tree.

    python -m research.quality.diagnosing

Of each table ten random splits are taken, of mushroom, which is large, five. The default learner is given the whole training part, and
the model that it makes diagnoses the other cases, with b_C of money for each of them at the most;
wrong answers are counted. *With experience* it has the training cases as well
(`budgeted.diagnosis.experience`), as the tree has them.
"""

from __future__ import annotations

import json
import lzma
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import click
import numpy as np

from budgeted.diagnosis import ActiveClassifier, Experience
from budgeted.diagnosis.asked import Cases
from budgeted.diagnosis.cases import diagnose_all
from budgeted.experiments import executors
from budgeted.experiments.figures import Figure
from budgeted.files import write_atomically
from budgeted.learners import Hierarchical
from budgeted.learners.model import Model
from budgeted.problem.orders import Purchase
from budgeted.problem.prices import PriceList
from budgeted.problem.prices.tariff import Tariff
from budgeted.seeds import stream
from budgeted.simulation.datasets import load, split
from budgeted.statistics import Floats, Mean, paired, threshold
from research.pictures import slim
from research.quality.rivals import Labels, Outcome, Table, by_fixed_order, by_information
from research.quality.rivals import by_tree as tree_of
from research.quality.visits import DRAWN_ONCE, TURNEY
from research.quality.zoo.plays import fingerprint

RESULTS = Path(__file__).with_name("kept") / "diagnosing.json.xz"
PAGE = Path(__file__).parents[2] / "docs" / "diagnosing.md"
FIGURE = PAGE.with_name("diagnosing.svg")
_BEGIN, _END = "<!-- curves -->", "<!-- end of curves -->"
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


def run(name: str, number: int, limits: tuple[str, ...] = ()) -> Curve:
    """Return the curves of a split.

    Parameters
    ----------
    name, number
        Of the setting, and of the split.
    limits
        Those to try, for a look at a few; all unless given.
    """
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
    for limit in map(Decimal, limits or setting.limits):
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


def at_equal_money(found: list[Curve], ours: str, rival: str) -> list[Mean]:
    """Return the same where the rival pays on average what we pay at each limit.

    Between two of its limits a rival can toss a coin for each case, so that its curve is the line
    between them; before the first one it is level, in our disfavour.
    """
    result = []
    for at in range(len(found[0][ours])):
        gaps = []
        for each in found:
            paid, error = each[ours][at]
            curve = sorted(each[rival])
            gaps.append(error - float(np.interp(paid, *np.array(curve).T)))
        result.append(Mean.of(np.round(gaps, 12)))
    return result


def verdicts(results: Mapping[str, list[Curve]], ours: str = OURS) -> Iterator[str]:
    """Yield where an active classifier is significantly above a rival, in words."""
    number = sum(len(SETTINGS[name].limits) for name in results) * len(RIVALS)
    for how, compare in (("limit", at_equal_limit), ("money", at_equal_money)):
        for name, found in results.items():
            for rival in RIVALS:
                for limit, gap in zip(
                    SETTINGS[name].limits, compare(found, ours, rival), strict=True
                ):
                    if gap.above():
                        firm = " and as one of all comparisons" * gap.above(threshold(number))
                        yield f"equal {how}: {name}, b_C {limit}, {rival}: {gap:+.4f}{firm}"


def table_of(results: Mapping[str, list[Curve]]) -> str:
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


def figure_of(results: Mapping[str, list[Curve]]) -> Figure:
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


def kept() -> dict[str, list[Curve]]:
    """Return the splits of each setting that were kept, in the order of the settings."""
    found = json.loads(lzma.decompress(RESULTS.read_bytes()))
    return {name: found[name]["runs"] for name in SETTINGS if name in found}


def written(page: str) -> str:
    """Return a page with the table of what was kept between its two marks."""
    begin, rest = page.split(_BEGIN)
    _, end = rest.split(_END)
    return f"{begin}{_BEGIN}\n\n{table_of(kept())}\n\n{_END}{end}"


def _write() -> None:
    from budgeted.experiments.figures import save  # noqa: PLC0415 - an extra

    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    slim(save(figure_of(kept()), FIGURE))


@click.command()
@click.argument("names", nargs=-1)
@click.option("--workers", type=click.IntRange(min=1), default=1, help="Processes.")
@click.option("--splits", type=click.IntRange(min=2), help="For a look; nothing is written.")
@click.option("--only-write", is_flag=True, help="Write the page from what was kept.")
def main(names: tuple[str, ...], workers: int, splits: int | None, only_write: bool) -> None:
    """Diagnose the cases of the settings NAMES (all unless named) and keep what came out."""
    wanted = () if only_write else names or tuple(SETTINGS)
    unknown = [name for name in wanted if name not in SETTINGS]
    if unknown:
        raise click.UsageError(f"there is no {', '.join(unknown)}; there are {', '.join(SETTINGS)}")
    results = json.loads(lzma.decompress(RESULTS.read_bytes())) if RESULTS.exists() else {}
    with executors.processes(workers) as pool:
        for name in wanted:
            number = splits or SETTINGS[name].splits
            found = list(pool.map(run, [name] * number, range(number)))
            click.echo(table_of({name: found}))
            results[name] = {"code": fingerprint(), "seed": SEED, "runs": found}
            if splits is None:
                text = json.dumps(results, separators=(",", ":"))
                write_atomically(RESULTS, lzma.compress(text.encode(), preset=9))
    if splits is None:
        for ours in (OURS, ALONE):
            for line in verdicts(kept(), ours):
                click.echo(f"{ours} is above, {line}")
        _write()


if __name__ == "__main__":
    sys.exit(main())
