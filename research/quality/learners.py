"""Where each learner pays: all tables of the package, with little money and with more.

    python -m research.quality.learners

All learners learn from the same values of the same worlds. *Steered* are those that the default
bought; *scattered* those of round robin, each of a case of its own; *whole cases* those of round
robin that buys all of a case. Money is so many values of each feature, all of which cost 1.
Differences are those of paired worlds. What is known of the table but is not bought is seen by
nobody.

Constants of the learners were chosen on seeds 101 to 108 of the same tables, none of which is here.
"""

from __future__ import annotations

import json
import lzma
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import click
import numpy as np

from budgeted.experiments import executors
from budgeted.files import write_atomically
from budgeted.learners import Learner, fitted, learner
from budgeted.policies import Policy, for_learner, policy
from budgeted.policies.base import choose
from budgeted.problem.orders import Purchase
from budgeted.seeds import POLICY, stream
from budgeted.simulation.datasets import Rehearsal, load, split
from budgeted.state import State
from budgeted.statistics import Floats, Mean, paired, threshold
from research.quality.zoo.plays import fingerprint

RESULTS = Path(__file__).with_name("kept") / "learners.json.xz"
PAGE = Path(__file__).parents[2] / "docs" / "other-learners.md"
_BEGIN, _END = "<!-- learners -->", "<!-- end of learners -->"
SEED, RUNS = 20261301, 24
_LEARNERS = 13
"""Path of the streams of this module, below the seed; see `budgeted.seeds`."""
TABLES = (
    "mushroom", "nursery", "votes", "car", "chess", "breast-wisconsin", "breast-ljubljana",
    "diabetes",
)  # fmt: skip
BASE = "hierarchical"
LEARNERS = (BASE, "naive-bayes", "logistic-regression", "scikit-learn")
STEERED, SCATTERED, WHOLE = "steered", "scattered", "whole cases"
BUYERS: Mapping[str, tuple[Policy, str]] = {
    STEERED: (policy("auto"), "settle"),
    SCATTERED: (policy("round-robin"), "fresh"),
    WHOLE: (policy("round-robin", over="cases"), "fresh"),
}
"""Who buys, and the case rule."""
SETTINGS = tuple((buyer, level) for level in (2, 10, 50) for buyer in (STEERED, SCATTERED, WHOLE))
"""Who buys, and for how many values of each feature; in the order of the page."""

Run = dict[str, float]
"""Learner → error on validation cases."""
Results = dict[str, dict[str, list[Run]]]
"""Setting → table → runs."""


def title(setting: tuple[str, int]) -> str:
    """Return what a setting is called in files."""
    return f"{setting[0]}, {setting[1]}"


def drawn(table: str, setting: tuple[str, int], number: int, source: int = SEED) -> Rehearsal:
    """Return a world; whoever buys in it, and for how much, the split is the same."""
    order = TABLES.index(table)
    seed = int(stream(source, _LEARNERS, order, number).integers(2**31))
    buyer, level = setting
    cells = load(table)
    budget = level * len(cells.features)
    return split(cells, seed, budget, missing="own value", case_rule=BUYERS[buyer][1])


def bought(world: Rehearsal, setting: tuple[str, int], seed: int) -> list[Purchase]:
    """Return what is bought in a world."""
    made: Learner = learner(BASE)
    chooser = for_learner(BUYERS[setting[0]][0], lambda: made)
    stock, state = world.world.open(), State.start(world.problem, world.world.cases)
    while True:
        rng = stream(seed, POLICY, len(state.history))
        choice = choose(chooser, state, rng, chooser.name)
        if choice is None:
            return list(state.history)
        for each in stock.buy(choice.order, state.free):
            state = state.after(each)


def run(table: str, buyer: str, level: int, number: int, source: int = SEED) -> Run:
    """Return the error of each learner with what was bought in a world."""
    setting = (buyer, level)
    world = drawn(table, setting, number, source)
    values = bought(world, setting, number)
    return {
        each: round(world.validation.error(fitted(learner(each), world.problem, values)), 6)
        for each in LEARNERS
    }


def errors(found: list[Run], name: str) -> Floats:
    """Return the errors of a learner, world by world."""
    return np.array([each[name] for each in found])


def comparisons(results: Results) -> int:
    """Return how many differences the page shows."""
    return sum(len(tables) * (len(LEARNERS) - 1) for tables in results.values())


def mark(gap: Mean, firm: float) -> str:
    """Return what a difference shows: better, worse, and whether also as one of all."""
    sign = "▼" if gap.below() else "▲" if gap.above() else ""
    return f" {sign}{sign if gap.below(firm) or gap.above(firm) else ''}" if sign else ""


def lines(results: Results) -> Iterator[str]:
    """Yield the tables of the page, in Markdown: what it comes to first, and all of it folded."""
    firm = threshold(max(1, comparisons(results)))
    yield (
        f"In how many of {len(TABLES)} tables a learner is better and worse than `{BASE}`, by two standard "
        f"errors of {RUNS} worlds:"
    )
    yield ""
    yield from _tally(results)
    yield ""
    yield "<details><summary>All tables, who buys and how much</summary>"
    yield ""
    yield from _all_tables(results, firm)
    yield ""
    yield "</details>"


def _gaps(results: Results) -> Iterator[tuple[tuple[str, int], str, Mean, dict[str, Mean]]]:
    """Yield setting, table, the error of the default learner, and by how much others differ."""
    for setting in SETTINGS:
        for table, found in results.get(title(setting), {}).items():
            own = errors(found, BASE)
            gaps = {each: paired(errors(found, each), own) for each in LEARNERS[1:]}
            yield setting, table, Mean.of(own), gaps


def _tally(results: Results) -> Iterator[str]:
    names = LEARNERS[1:]
    yield "| values of each feature | bought | " + " | ".join(f"`{each}`" for each in names) + " |"
    yield "| ---: | --- |" + " --- |" * len(names)
    counts: dict[tuple[str, int], dict[str, list[int]]] = {}
    for setting, _, _, gaps in _gaps(results):
        row = counts.setdefault(setting, {each: [0, 0] for each in names})
        for each, gap in gaps.items():
            row[each][0] += gap.below()
            row[each][1] += gap.above()
    for setting, row in counts.items():
        cells = [f"{better} better, {worse} worse" for better, worse in row.values()]
        yield f"| {setting[1]} | {setting[0]} | {' | '.join(cells)} |"


def _all_tables(results: Results, firm: float) -> Iterator[str]:
    names = [f"`{each}`" for each in LEARNERS]
    yield f"| values of each feature | bought | table | {' | '.join(names)} |"
    yield "| ---: | --- | --- | ---: |" + " ---: |" * (len(names) - 1)
    for setting, table, own, gaps in _gaps(results):
        cells = [f"{gap:+.3f}{mark(gap, firm)}" for gap in gaps.values()]
        yield f"| {setting[1]} | {setting[0]} | {table} | {own:.3f} | {' | '.join(cells)} |"


def kept() -> Results:
    """Return the runs that were kept."""
    if not RESULTS.exists():
        return {}
    found = json.loads(lzma.decompress(RESULTS.read_bytes()))
    return {
        title(setting): {
            table: found[title(setting)][table]["runs"]
            for table in TABLES
            if table in found[title(setting)]
        }
        for setting in SETTINGS
        if title(setting) in found
    }


def written(page: str) -> str:
    """Return a page with the tables of what was kept between its two marks."""
    begin, rest = page.split(_BEGIN)
    _, end = rest.split(_END)
    return f"{begin}{_BEGIN}\n\n" + "\n".join(lines(kept())) + f"\n\n{_END}{end}"


@click.command()
@click.argument("names", nargs=-1)
@click.option("--buyer", type=click.Choice(list(BUYERS)), help="Only this one.")
@click.option("--level", type=int, help="Only so many values of each feature.")
@click.option("--workers", type=click.IntRange(min=1), default=1, help="Processes.")
@click.option("--look", type=click.IntRange(min=1), nargs=2, default=None,
              help="So many worlds of another seed; nothing is written.")  # fmt: skip
@click.option("--only-write", is_flag=True, help="Write the page from what was kept.")
def main(
    names: tuple[str, ...], buyer: str | None, level: int | None, workers: int,
    look: tuple[int, int] | None, only_write: bool,
) -> None:  # fmt: skip
    """Play the tables NAMES (all unless named) and keep what came out."""
    unknown = [name for name in names if name not in TABLES]
    if unknown:
        raise click.UsageError(f"there is no {', '.join(unknown)}; there are {', '.join(TABLES)}")
    number, source = look or (RUNS, SEED)
    results = json.loads(lzma.decompress(RESULTS.read_bytes())) if RESULTS.exists() else {}
    with executors.processes(workers) as pool:
        for setting in () if only_write else SETTINGS:
            if buyer not in (None, setting[0]) or level not in (None, setting[1]):
                continue
            for name in names or TABLES:
                found = list(pool.map(
                    run, [name] * number, [setting[0]] * number, [setting[1]] * number,
                    range(number), [source] * number,
                ))  # fmt: skip
                means = {each: round(float(errors(found, each).mean()), 4) for each in found[0]}
                click.echo(f"{title(setting)}, {name}: {means}")
                if look is None:
                    kept_run = {"code": fingerprint(), "seed": source, "runs": found}
                    results.setdefault(title(setting), {})[name] = kept_run
                    text = json.dumps(results, separators=(",", ":"))
                    write_atomically(RESULTS, lzma.compress(text.encode(), preset=9))
    if look is None:
        PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
