"""Record what every policy buys, and check that it buys the same after a change of the code.

    python tools/same_numbers.py record    # before
    python tools/same_numbers.py check     # after

For every policy, on three problems and with three seeds: a digest of all purchases, and the errors
of both learners. For changes that must not change a number; on another machine a tie may break the
other way, so this is no test.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

import click

from budgeted.learners import LEARNERS
from budgeted.policies import POLICIES, policy, preferences
from budgeted.problem.orders import Purchase
from budgeted.simulation.datasets import Rehearsal, load, split
from budgeted.simulation.simulator import simulate
from budgeted.simulation.synthetic import Synthetic

RECORD = Path(__file__).with_name("same_numbers.json")
SEEDS = (1, 2, 3)
PROBLEMS: Mapping[str, Callable[[int], Rehearsal]] = {
    "figure 3(b)": lambda seed: Synthetic().draw(seed, 40),
    "votes": lambda seed: split(load("votes"), seed, 30),
    "car": lambda seed: split(load("car"), seed, 14),
}
"""Two labels; missing values; four labels and several values."""


def played(name: str, problem: str, seed: int) -> dict[str, object]:
    """Return what a policy buys, and how wrong the classifiers are that learn from it."""
    rehearsal = PROBLEMS[problem](seed)
    chooser = policy(name)
    world = replace(rehearsal.world, case_rule=preferences(chooser).get("case_rule", "fresh"))
    steps = simulate(rehearsal.problem, chooser, world, seed=seed, loss=None)
    bought = [Purchase(each.feature, each.label, each.value, each.cost, each.case)
              for each in steps]  # fmt: skip
    rows = [[each.feature, each.label, each.value, str(each.cost), each.case] for each in bought]
    digest = hashlib.sha256(json.dumps(rows).encode()).hexdigest()
    judge = rehearsal.truth or rehearsal.validation
    errors = {
        learner: repr(judge.error(kind().fit(rehearsal.problem, bought)))
        for learner, kind in LEARNERS.items()
    }
    return {"purchases": len(bought), "digest": digest[:16], **errors}


@click.command()
@click.argument("what", type=click.Choice(["record", "check"]))
def main(what: str) -> None:
    """Record what is bought now, or check that it is the same as recorded."""
    jobs = [(name, problem, seed) for problem in PROBLEMS for name in POLICIES for seed in SEEDS]
    with ProcessPoolExecutor() as pool:
        rows = pool.map(played, *zip(*jobs, strict=True))
        found = {" / ".join(map(str, job)): row for job, row in zip(jobs, rows, strict=True)}
    if what == "record":
        lines = [f"{json.dumps(job)}: {json.dumps(row)}" for job, row in found.items()]
        RECORD.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
        click.echo(f"recorded {len(found)} runs")
        return
    recorded = json.loads(RECORD.read_text(encoding="utf-8"))
    wrong = [job for job in {**recorded, **found} if recorded.get(job) != found.get(job)]
    for job in wrong:
        click.echo(f"{job}: was {recorded.get(job)}, is {found.get(job)}")
    click.echo(f"{len(found) - len(wrong)} of {len(found)} runs are the same")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
