"""Write docs/benchmark.md from the results that are kept with the code.

    python -m research.quality.report --keep results/zoo

With ``--keep`` the results of a folder are packed into research/quality/kept first.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np

from budgeted.errors import BudgetedError
from budgeted.experiments.figures import Figure, frame, save
from budgeted.statistics import Mean, paired
from research.pictures import slim
from research.quality import fixed
from research.quality.comparison import DOCS, Runs
from research.quality.comparison import KEPT as HERE
from research.quality.verdicts import (
    OURS,
    PLAIN,
    TAUGHT,
    InStratum,
    Kept,
    noisy_coverage,
    signed,
    strata,
    verdicts,
)
from research.quality.zoo.entries import CHALLENGERS, DEFAULT, PAPER, SLOW
from research.quality.zoo.plays import LOOKS
from research.quality.zoo.results import Looks, Results, keep, kept
from research.quality.zoo.summary import HARM, Calibration, above_majority
from research.quality.zoo.tables import RUNS, TABLES, world_of
from research.quality.zoo.traits import CONFIRMATION_SEED, SELECTION_SEED, TABLES_SEED

KEPT = {
    "confirmation": ("confirmation", [DEFAULT, *PAPER]),
    "challengers": ("confirmation", [DEFAULT, *(each for each in CHALLENGERS if each not in SLOW)]),
    **{name: ("confirmation", [DEFAULT, name]) for name in SLOW},
    "tables": ("tables", [DEFAULT, *PAPER]),
}
"""Files of results: of which worlds, and of whom."""
NEARLY_EVEN = 0.55
"""Two labels of which the more frequent one has a smaller share are as good as even. This line was drawn
after the figures had been seen, to explain them; no claim rests on it.
"""


def page(kept: Kept, played: Runs, rows: np.ndarray) -> str:
    """Return the text of the page."""
    zoo, tables = kept.zoo, kept.tables
    judged = verdicts(kept, played, rows)
    each = strata(zoo)
    parts = [
        _head(zoo, tables),
        _table(
            ["must hold", "seen", ""],
            [
                [one.claim, one.seen, "holds" if one.holds else "**does not hold**"]
                for one in judged
            ],
        ),
        "## The zoo as a whole",
        _WHOLE.format(worlds=len(zoo.majority), majority=f"{zoo.majority.mean():.4f}"),
        _whole(kept),
        "![Mean error on the way](benchmark/on-the-way.svg)",
        "## By stratum",
        _STRATA,
        _by_stratum(each),
        "## The tables of the package",
        _TABLES.format(runs=RUNS),
        _by_table(tables, rows),
        "## Can the error be believed?",
        _calibration(zoo, tables, rows),
        "![Expected and true error](benchmark/calibration.svg)",
        "## What comes from where",
        _ablations(kept),
        "## Losses",
        _losses(zoo, tables, each),
        "## Cost",
        _cost(kept),
    ]
    return "\n\n".join(parts) + "\n"


def _head(zoo: Results, tables: Results) -> str:
    return f"""\
# The default against all others

How good is the policy `auto` with the hierarchical learner, which studies use unless told otherwise? It was
let loose in a zoo of {len(zoo.majority)} worlds that nobody had seen before, and on the tables of the
package, beside the paper's policies and {len(CHALLENGERS)} challengers. Gains and losses are said as plainly.

A *world* is a problem with prices, a budget, cases to buy from and 4 000 cases to be judged by. Worlds are
drawn from the distribution in `research/quality/zoo/traits.py`: 4 to 100 features of 2 to 14 values, none to all of
them relevant, weak to strong, skewed or even; two to six labels, the most frequent with a share up to .95;
independent features, copies, correlated groups; missing cells; prices equal, by chance from 1 to 20, or rising
with worth; money for 1 to 30 values of every feature. Rules and constants were chosen in worlds of seed
{SELECTION_SEED}; what stands here is from seed {CONFIRMATION_SEED} and, for the tables, {TABLES_SEED}, which chose
nothing. Each policy spends the same money in the same worlds. The default uses the case rule `settle`; all others buy from fresh cases, as in the papers they come from, but for `whole-cases`, which is
round robin case by case. *On the way* is the mean over
looks at 1/8, 1/4, 1/2, 3/4 and all of the money. Differences are the default minus the other, world by world,
± one standard error: negative is good. Judged by code `{zoo.code}` (tables: `{tables.code}`)."""


_WHOLE = """\
Mean error over {worlds} worlds, and by how much the default is below it (negative: the default is better).
Always saying the most frequent label: {majority}. Each policy's purchases teach plain naive Bayes, with which
it was published; those of the paper's policies, and random ones, also the hierarchical learner."""

_STRATA = """\
The default beside the best one of the paper's policies in each stratum, with naive Bayes; ▲ marks where the
default is above it by more than chance. The last columns: how often the 90 % interval holds the true error,
and the expected minus the true error."""

_TABLES = """\
{runs} random splits of each table, columns in random order, 14 with each pattern of prices, money for five
values of every feature. The error is that on rows nobody could buy."""


def _whole(kept: Kept) -> str:
    ours = kept.zoo.looks[OURS]
    rows = [[f"**{DEFAULT}**", "", "", f"**{ours.end.mean():.4f}**",
             f"**{ours.on_the_way.mean():.4f}**", "", ""]]  # fmt: skip
    for name in (*PAPER, *CHALLENGERS):
        plain, taught = (f"{name} / {learner}" for learner in (PLAIN, TAUGHT))
        rows.append(_row(_named(name, kept), kept.of(name), plain, taught))
    head = ["policy", "naive Bayes: end", "way", "hierarchical: end", "way",
            "default − with naive Bayes, end", "default − with hierarchical, end"]  # fmt: skip
    return _table(head, rows)


def _row(name: str, results: Results, own: str, taught: str) -> list[str]:
    """A policy with the learner that it came with, and with the hierarchical one if it was tried."""
    ours, columns, differences = results.looks[OURS], [], []
    for looks in (results.looks[own], results.looks.get(taught)):
        if looks is None:
            columns += ["", ""]
            differences.append("")
            continue
        columns += [f"{looks.end.mean():.4f}", f"{looks.on_the_way.mean():.4f}"]
        differences.append(signed(paired(ours.end, looks.end)))
    return [name, *columns, *differences]


def _named(name: str, kept: Kept) -> str:
    worlds = len(kept.of(name).majority)
    if name in PAPER:
        return f"{name} (paper)"
    if name == SLOW[-1]:
        return f"{name} ({worlds} worlds with two labels)"
    return name if worlds == len(kept.zoo.majority) else f"{name} ({worlds} worlds)"


def _by_stratum(each: Sequence[InStratum]) -> str:
    rows = []
    for one in each:
        said = one.calibration
        rows.append([
            one.stratum,
            str(one.worlds),
            f"{one.error:.3f}",
            f"{signed(one.end)} ({one.best_end})" + " ▲" * one.end_beyond,
            "" if said is None else f"{said.coverage:.0%}",
            "" if said is None else f"{said.bias:+.3f}",
        ])  # fmt: skip
    head = ["stratum", "worlds", "error", "end, minus the paper's best", "covered", "bias"]
    return _table(head, rows)


def _by_table(tables: Results, test_rows: np.ndarray) -> str:
    rows = []
    ours = tables.looks[OURS]
    covered = noisy_coverage(ours, test_rows)
    for name in TABLES:
        inside = tables.members[name]
        mine = ours.where(inside)
        others = {each: tables.looks[f"{each} / {PLAIN}"].where(inside) for each in PAPER}
        best = min(others, key=lambda each: float(others[each].end.mean()))
        rows.append([
            name,
            f"{tables.majority[inside].mean():.3f}",
            str(Mean.of(mine.end)),
            f"{mine.on_the_way.mean():.3f}",
            f"{signed(paired(mine.end, others[best].end))} ({best})",
            f"{covered[inside].mean():.0%}",
        ])  # fmt: skip
    head = ["table", "most frequent label", "default, end", "way", "end, minus the paper's best",
            "covered"]  # fmt: skip
    return _table(head, rows)


def _calibration(zoo: Results, tables: Results, rows: np.ndarray) -> str:
    ours = zoo.looks[OURS]
    said = Calibration.of(ours)
    assert said is not None
    by_look = ((ours.low <= ours.error) & (ours.error <= ours.high)).mean(axis=0)
    looks = ", ".join(f"{each:.0%}" for each in by_look)
    width = (ours.high - ours.low).mean()
    table = noisy_coverage(tables.looks[OURS], rows).mean()
    apart = (tables.looks[OURS].predicted - tables.looks[OURS].error).mean()
    return f"""\
Over all worlds and looks the 90 % interval of the default holds the true error in {said.coverage:.1%} of cases (at
the five looks: {looks}); it is {width:.2f} wide on average, and the expected error is off by {said.bias:+.3f} on
average. On the tables, allowing for the noise of the test rows, {table:.1%}, off by {apart:+.3f}."""


def _ablations(kept: Kept) -> str:
    zoo = kept.zoo
    own, plain = (zoo.looks[f"{DEFAULT} / {each}"] for each in (TAUGHT, PLAIN))
    rows = [
        ["the classifier: hierarchical instead of naive Bayes, on what the default buys",
         signed(paired(own.end, plain.end)), signed(paired(own.on_the_way, plain.on_the_way))],
    ]  # fmt: skip
    for name, words in (("sfl", "sfl"), ("round-robin", "round robin"),
                        ("random-shopper", "buying at random")):  # fmt: skip
        own, other = (kept.of(name).looks[each] for each in (OURS, f"{name} / {TAUGHT}"))
        rows.append([f"the rule: the default's instead of {words}, the learner the same",
                     signed(paired(own.end, other.end)),
                     signed(paired(own.on_the_way, other.on_the_way))])  # fmt: skip
    words = "By how much the error changes if one part is exchanged."
    return words + "\n\n" + _table(["what", "end", "on the way"], rows)


def _losses(zoo: Results, tables: Results, each: Sequence[InStratum]) -> str:
    ours = zoo.looks[OURS]
    lines = []
    above = [one for one in each if max(one.end.value, one.way.value) > 0]
    if above:
        names = "; ".join(f"{one.stratum} ({signed(one.end)} at the end, {signed(one.way)} on the way)"
                          for one in above)  # fmt: skip
        lines.append(f"- Above the paper's best with naive Bayes, beyond chance or not, in {len(above)} of "
                     f"{len(each)} strata: {names}.")  # fmt: skip
    harm = above_majority(ours, zoo.majority)
    others = ", ".join(
        f"{name} {above_majority(zoo.looks[f'{name} / {PLAIN}'], zoo.majority):.0%}"
        for name in ("sfl", "biased-robin", "round-robin")
    )
    lines.append(f"- More than {HARM} above the most frequent label in {harm:.1%} of looks (with "
                 f"naive Bayes {others}).{_where_labels_are_even(zoo)}")  # fmt: skip
    for name in TABLES:
        inside = tables.members[name]
        for other in (f"{each} / {PLAIN}" for each in PAPER):
            gap = paired(
                tables.looks[OURS].where(inside).end, tables.looks[other].where(inside).end
            )
            if gap.above():
                lines.append(f"- {name}: {signed(gap)} above {other.split(' / ')[0]} at the end.")
    return "\n".join(lines)


def _where_labels_are_even(zoo: Results) -> str:
    """Return how much of that comes from worlds in which no label is much more frequent."""
    even = zoo.members["two labels"] & (zoo.majority > 1 - NEARLY_EVEN)
    if not even.any() or even.all():
        return ""
    there, elsewhere = (
        above_majority(zoo.looks[OURS].where(some), zoo.majority[some]) for some in (even, ~even)
    )
    return (f" Where two labels are nearly even, the more frequent one below {NEARLY_EVEN} (a line drawn afterwards), it is {there:.1%} of "
            f"looks: no label is much more frequent there, and who has little to go by is as often above as below. "
            f"Elsewhere it is {elsewhere:.1%}.")  # fmt: skip


def _cost(kept: Kept) -> str:
    names = (DEFAULT, *PAPER, *CHALLENGERS)
    seconds = {name: _seconds(kept.of(name), name) for name in names}
    listed = ", ".join(
        f"{name} {seconds[name]:.2g}" for name in sorted(seconds, key=lambda each: seconds[each])
    )
    return f"""\
Seconds to spend a whole budget, on average over the worlds in which each has played, on one core with other work
beside it (with three labels or more, lookahead samples 200 cases; the default does not): {listed}.

`make speed-against` times decisions beside an earlier revision. The runs on this page take about three hours on two cores:
`make benchmark`; they can be stopped and go on where they were."""


def _seconds(results: Results, name: str) -> float:
    """Mean time of an entry, whatever the learner."""
    looks = next(each for key, each in results.looks.items() if key.startswith(f"{name} / "))
    return float(looks.seconds[:, 0].mean())


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


_PERCENT = {"format": ".0%"}


def on_the_way(curves: Mapping[str, Looks], majority: float) -> Figure:
    """Return mean errors against the share of the budget that is spent."""
    rows = [
        {"who": name, "spent": look, "error": float(looks.error[:, at].mean())}
        for name, looks in curves.items()
        for at, look in enumerate(LOOKS)
    ]
    names = list(curves)
    x = {"field": "spent", "type": "quantitative", "title": "spent of the budget", "axis": _PERCENT}
    y = {
        "field": "error",
        "type": "quantitative",
        "title": "mean error over the worlds",
        "scale": {"zero": False},
        "axis": _PERCENT,
    }
    colour = {"field": "who", "type": "nominal", "sort": names, "title": None}
    line = {"mark": {"type": "line", "point": True}, "encoding": {"x": x, "y": y, "color": colour}}
    rule = {
        "data": {"values": [{"error": majority}]},
        "mark": {"type": "rule", "strokeDash": [4, 4]},
        "encoding": {"y": {**y}},
    }
    title, said = (
        "Mean error over the confirmation worlds",
        "dashed: always the most frequent label",
    )
    return frame(title, said, rows) | {"width": 520, "height": 300, "layer": [line, rule]}


def predicted_and_true(looks: Looks, bins: int = 12) -> Figure:
    """Return the true errors against the expected ones, in groups of looks of the same size."""
    predicted, true = looks.predicted.ravel(), looks.error.ravel()
    rows: Sequence[Mapping[str, Any]] = [
        {
            "expected": float(predicted[part].mean()),
            "true": float(true[part].mean()),
            "low": float(np.quantile(true[part], 0.05)),
            "high": float(np.quantile(true[part], 0.95)),
            "said low": float(looks.low.ravel()[part].mean()),
            "said high": float(looks.high.ravel()[part].mean()),
        }
        for part in np.array_split(np.argsort(predicted, kind="stable"), bins)
    ]
    x = {"field": "expected", "type": "quantitative", "title": "expected error", "axis": _PERCENT}
    y = {"type": "quantitative", "title": "true error", "axis": _PERCENT}
    band = {
        "mark": {"type": "area", "opacity": 0.2, "color": "#0072B2"},
        "encoding": {"x": x, "y": {**y, "field": "said low"}, "y2": {"field": "said high"}},
    }
    bars = {
        "mark": {"type": "rule"},
        "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}},
    }
    dots = {
        "mark": {"type": "point", "filled": True, "size": 60, "color": "#D55E00", "opacity": 1},
        "encoding": {"x": x, "y": {**y, "field": "true"}},
    }
    ends = [{"expected": 0, "true": 0}, {"expected": 0.8, "true": 0.8}]
    line = {
        "data": {"values": ends},
        "mark": {"type": "line", "strokeDash": [4, 4], "color": "#999999"},
        "encoding": {"x": x, "y": {**y, "field": "true"}},
    }
    title = "Expected and true error of the default"
    said = "dots: mean of a twelfth of all looks; lines: where nine tenths of them are; band: what was said"
    layers = [band, line, bars, dots]
    return frame(title, said, rows) | {"width": 520, "height": 300, "layer": layers}


def rows_of_tables() -> np.ndarray:
    """Return on how many rows each trial is judged."""
    numbers = range(len(TABLES) * RUNS)
    by_table = {
        name: len(world_of("tables", at * RUNS).test_labels) for at, name in enumerate(TABLES)
    }
    return np.array([by_table[TABLES[number // RUNS]] for number in numbers])


def write(docs: Path = DOCS) -> Path:
    """Write the page and its figures from what is kept; return where."""
    found = {name: kept(HERE / f"{name}.json.xz") for name in KEPT}
    slow = {name: found[name] for name in SLOW}
    zoo = found["confirmation"]
    there = Kept(zoo, found["challengers"], slow, found["tables"])
    path = docs / "benchmark.md"
    path.write_text(page(there, fixed.COMPARISON.kept(), rows_of_tables()), encoding="utf-8")
    (docs / "benchmark").mkdir(exist_ok=True)
    curves = {
        f"{DEFAULT}": zoo.looks[OURS],
        **{f"{name}, naive Bayes": zoo.looks[f"{name} / {PLAIN}"]
           for name in ("sfl", "biased-robin", "round-robin")},
    }  # fmt: skip
    drawn = {
        "on-the-way": on_the_way(curves, float(zoo.majority.mean())),
        "calibration": predicted_and_true(zoo.looks[OURS]),
    }
    for name, figure in drawn.items():
        slim(save(figure, docs / "benchmark" / f"{name}.svg"))
    return path


@click.command()
@click.option("--keep", "results", type=click.Path(exists=True, file_okay=False, path_type=Path),
              help="Pack the results of this folder into research/quality/kept first.")  # fmt: skip
def main(results: Path | None) -> None:
    """Write docs/benchmark.md."""
    try:
        _write(results)
    except BudgetedError as error:
        raise click.ClickException(str(error)) from error


def _write(results: Path | None) -> None:
    if results is not None:
        for name, (source, entries) in KEPT.items():
            found = Results.read(results / source, entries)
            if name == source and found.left_out:
                raise click.ClickException(f"{source}: {found.left_out} worlds are not judged yet")
            keep(found, HERE / f"{name}.json.xz", source, found.code)
            click.echo(f"{name}: {len(found.majority)} worlds, {found.left_out} left out")
    click.echo(f"wrote {write()}")


if __name__ == "__main__":
    sys.exit(main())
