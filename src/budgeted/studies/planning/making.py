"""Make a plan: many runs, in parallel if wanted, that can be stopped and continued."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from budgeted.errors import PlanError
from budgeted.learners import learner_from
from budgeted.learners.imagined import ImaginedModel
from budgeted.policies import accompanying, policy
from budgeted.problem.orders import Purchase
from budgeted.studies.files import StudyFile
from budgeted.studies.forecast import code
from budgeted.studies.planning.assumptions import Assumptions
from budgeted.studies.planning.designs import AS_PLANNED
from budgeted.studies.planning.plan import Curve, Plan, Target
from budgeted.studies.planning.runs import OWN, WHOLE_CASES, Played, begin, for_design, play
from budgeted.studies.planning.sources import possible_models

RUNS = 100
"""In so many models each design is played, unless told otherwise."""
POINTS = 12
"""Amounts of money, from nothing to the largest one."""
_CENT = Decimal("0.01")
_TOGETHER = 4
"""Runs for which a process begins a study once."""


class Task(NamedTuple):
    """A run that is to be made: of which design, by whom, in which model."""

    design: str
    who: str
    number: int


@dataclass(frozen=True)
class Source:
    """What is known of the tests before a study.

    Attributes
    ----------
    pilot, table
        Values of old cases, and what the table is called.
    assumptions
        What is expected besides.
    """

    pilot: tuple[Purchase, ...] = ()
    table: str = ""
    assumptions: Assumptions = field(default_factory=Assumptions)

    def words(self) -> str:
        """Return it in words."""
        said = self.assumptions.words()
        if self.pilot:
            rows = len({each.case for each in self.pilot})
            cases = "1 case" if rows == 1 else f"{rows} cases"
            table = f"{cases} of {self.table or 'a pilot table'}"
            return f"{table}, and {said}" if said else table
        return said or "nothing but what the learner expects of any study"


def make_plan(
    designs: Mapping[str, StudyFile],
    source: Source,
    at: str,
    *,
    target: Target | None = None,
    up_to: Decimal | None = None,
    runs: int = RUNS,
    seed: int = 0,
    pool: Executor | None = None,
    workers: int = 1,
    keep: Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Plan:
    """Return what to expect of a study, and of what-ifs beside it.

    Every design is played in the same models, by its own policy, and the study itself also by
    ordering every test of one case after the other.

    Parameters
    ----------
    designs
        The study as planned comes first; see `budgeted.studies.planning.designs.read_designs`.
    source
        What is known of the tests.
    at
        The time that it is, for prices that change; a plan that goes on keeps that of its runs.
    target, up_to
        What is to be reached, and the largest budget to look at; twice that of the study unless
        given, and never more than a soft budget may become.
    runs, seed
        In how many models, and of the draws.
    pool, workers
        Where runs are made, and how many at once; here, unless given.
    keep
        A file in which runs are kept as they are made. If it is there already, and was made for the
        same plan by the same code, it is gone on with.
    progress
        Told how many runs there are, of how many.
    """
    first = designs[AS_PLANNED]
    budget = first.problem.budget
    top = 2 * budget if up_to is None else up_to
    if first.problem.soft is not None:  # whatever is looked at, no more than that is spent
        top = min(top, budget)
    if top <= 0:
        raise PlanError(f"up_to: must be an amount above 0, got {top}")
    if target is not None:
        target.check(first.problem)
    amounts = _amounts(budget, top)
    chosen = accompanying(policy(first.policy, **first.parameters), learner=first.learner)
    learner = learner_from(chosen["learner"])
    models = possible_models(
        first.problem,
        learner,
        runs,
        pilot=source.pilot,
        assumptions=source.assumptions,
        seed=seed,
    ).models
    tasks = [
        Task(design, who, number)
        for number in range(runs)
        for design in designs
        for who in ((OWN, WHOLE_CASES) if design == AS_PLANNED else (OWN,))
    ]
    kept = _Kept(keep, _digest(designs, source, amounts, runs, seed), at)
    at = kept.at
    done = {task: kept.runs[task] for task in tasks if task in kept.runs}
    left = [task for task in tasks if task not in done]
    made = (
        _here(designs, left, models, amounts, seed, at)
        if pool is None
        else _elsewhere(pool, workers, designs, left, models, amounts, seed, at)
    )
    if progress is not None:
        progress(len(done), len(tasks))
    for task, played in made:
        kept.add(task, played)
        done[task] = played
        if progress is not None:
            progress(len(done), len(tasks))
    pairs = dict.fromkeys((task.design, task.who) for task in tasks)
    curves = tuple(
        Curve.of(design, who, amounts, [done[Task(design, who, each)] for each in range(runs)])
        for design, who in pairs
    )
    return Plan(budget, source.words(), runs, curves, target)


def _amounts(budget: Decimal, top: Decimal) -> tuple[Decimal, ...]:
    """Amounts from nothing to the top, the budget of the study among them."""
    steps = {(top * each / POINTS).quantize(_CENT) for each in range(POINTS + 1)}
    return tuple(sorted({*steps, top, *([budget] if budget <= top else [])}))


def _here(
    designs: Mapping[str, StudyFile],
    tasks: Sequence[Task],
    models: Sequence[ImaginedModel],
    amounts: Sequence[Decimal],
    seed: int,
    at: str,
) -> Iterator[tuple[Task, Played]]:
    begun = {name: begin(design, at) for name, design in designs.items()}
    for task in tasks:
        projection = begun[task.design]
        model = for_design(models[task.number], projection.state.problem)
        yield task, play(projection, task.who, model, amounts, task.number, seed, at)


def _several(
    design: StudyFile,
    tasks: Sequence[Task],
    models: Sequence[ImaginedModel],
    amounts: Sequence[Decimal],
    seed: int,
    at: str,
) -> list[Played]:
    projection = begin(design, at)
    return [
        play(
            projection,
            task.who,
            for_design(model, projection.state.problem),
            amounts,
            task.number,
            seed,
            at,
        )
        for task, model in zip(tasks, models, strict=True)
    ]


def _elsewhere(
    pool: Executor,
    workers: int,
    designs: Mapping[str, StudyFile],
    tasks: Sequence[Task],
    models: Sequence[ImaginedModel],
    amounts: Sequence[Decimal],
    seed: int,
    at: str,
) -> Iterator[tuple[Task, Played]]:
    """The same runs, a few at a time in each process."""
    bundles = [
        bundle
        for design in designs
        for mine in [[task for task in tasks if task.design == design]]
        for start in range(0, len(mine), _TOGETHER)
        for bundle in [mine[start : start + _TOGETHER]]
    ]
    bundles.sort(key=lambda each: each[0].number)  # whole models first, so that stopping is useful
    waiting: dict[Future[list[Played]], list[Task]] = {}
    queue = iter(bundles)
    while True:
        while len(waiting) < 2 * workers and (bundle := next(queue, None)) is not None:
            own = [models[task.number] for task in bundle]
            design = designs[bundle[0].design]
            waiting[pool.submit(_several, design, bundle, own, amounts, seed, at)] = bundle
        if not waiting:
            return
        finished, _ = wait(waiting, return_when=FIRST_COMPLETED)
        for each in finished:
            yield from zip(waiting.pop(each), each.result(), strict=True)


def _digest(
    designs: Mapping[str, StudyFile],
    source: Source,
    amounts: Sequence[Decimal],
    runs: int,
    seed: int,
) -> str:
    """What decides the runs of a plan, but for its time, as a short name.

    How many there are decides it only where models are weighed by assumptions: then they are taken
    from more or fewer.
    """
    drawn = runs if source.assumptions.any else 0
    parts = [repr(designs), repr(source), repr(amounts), drawn, seed, code()]
    return sha256(json.dumps(parts).encode()).hexdigest()[:24]


class _Kept:
    """Runs in a file, a line each, behind a line that says for which plan and when; or no file."""

    def __init__(self, path: Path | None, digest: str, at: str) -> None:
        self._path, self.runs, self.at = path, dict[Task, Played](), at
        if path is None:
            return
        try:
            text = path.read_text(encoding="utf-8") if path.exists() else ""
            if not text:
                path.write_text(json.dumps({"plan": digest, "at": at}) + "\n", encoding="utf-8")
                return
            head, *rows = text.split("\n")
            if not self._is_of(head, digest):
                raise PlanError(
                    f"{path}: holds the runs of another plan, or of another version of the "
                    f"package; take another file, or remove this one"
                )
            whole = rows[:-1]  # of a line that was cut off, no end was written
            for row in whole:
                task, errors, floor = json.loads(row)
                self.runs[Task(*task)] = Played(tuple(errors), floor)
            if rows and rows[-1]:
                path.write_text("\n".join([head, *whole, ""]), encoding="utf-8")
        except OSError as error:
            raise PlanError(f"{path}: runs cannot be kept there: {error.strerror}") from None
        except PlanError:
            raise
        except (ValueError, TypeError):
            raise PlanError(
                f"{path}: is damaged, or holds something else than runs; take another file, or "
                f"remove this one"
            ) from None

    def _is_of(self, head: str, digest: str) -> bool:
        plain = json.loads(head)
        if not isinstance(plain, dict) or plain.get("plan") != digest:
            return False
        self.at = str(plain["at"])
        return True

    def add(self, task: Task, played: Played) -> None:
        """Write a run down."""
        if self._path is not None:
            row = json.dumps([list(task), *asdict(played).values()])
            with self._path.open("a", encoding="utf-8") as file:
                file.write(row + "\n")
