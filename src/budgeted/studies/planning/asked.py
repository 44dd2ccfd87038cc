"""What somebody wants to know before a study begins, put together from all that was told.

A table ``[plan]`` in the study file may hold the assumptions, the target, the number of cases and
what-ifs; what is told besides comes first. The command line, Python and the server ask this way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from decimal import Decimal
from os import PathLike
from pathlib import Path
from typing import Any

from budgeted.errors import PlanError
from budgeted.problem import money
from budgeted.studies.case_lists import Columns
from budgeted.studies.files import StudyFile
from budgeted.studies.planning.assumptions import Assumptions
from budgeted.studies.planning.designs import (
    AS_PLANNED,
    MOST_CASES,
    StudyLike,
    WhatIf,
    plan_settings,
    read_designs,
    times_mistake,
)
from budgeted.studies.planning.making import RUNS, Source, make_plan
from budgeted.studies.planning.plan import Plan, Target
from budgeted.studies.planning.sources import pilot_values

CASES = 200
"""So many cases there will be, unless told otherwise."""
FEWEST_RUNS = 5


@dataclass(frozen=True)
class Asked:
    """A question that can be answered: everything in it was checked.

    Attributes
    ----------
    designs
        The study as planned, and what-ifs beside it.
    source
        What is known of the tests.
    target, up_to
        What is to be reached, and the largest budget to look at.
    runs, seed
        In how many models each design is played, and of the draws.
    """

    designs: Mapping[str, StudyFile]
    source: Source
    target: Target | None = None
    up_to: Decimal | None = None
    runs: int = RUNS
    seed: int = 0

    @property
    def total(self) -> int:
        """How many runs are to be made: the study itself is also played case by case."""
        return self.runs * (len(self.designs) + 1)

    def plan(
        self,
        at: str,
        *,
        pool: Executor | None = None,
        workers: int = 1,
        keep: Path | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Plan:
        """Return the answer; the arguments are those of `make_plan`."""
        return make_plan(
            self.designs,
            self.source,
            at,
            target=self.target,
            up_to=self.up_to,
            runs=self.runs,
            seed=self.seed,
            pool=pool,
            workers=workers,
            keep=keep,
            progress=progress,
        )


def ask(
    study: StudyLike,
    *,
    cases: str | PathLike[str] | bytes | int | None = None,
    table: str | PathLike[str] | bytes | None = None,
    matter: float | None = None,
    best_alone: float | None = None,
    target: float | None = None,
    probability: float | None = None,
    up_to: money.MoneyLike | None = None,
    what_ifs: Iterable[WhatIf] = (),
    runs: int = RUNS,
    seed: int = 0,
    columns: Columns | None = None,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    most_cases: int = MOST_CASES,
) -> Asked:
    """Return a question about a study that has not begun, or an error that says what is wrong.

    Parameters
    ----------
    study
        A study file: where it is, its content as bytes, or what it holds.
    cases
        The list of cases, as a file or as its content in bytes, or how many there will be.
    table
        A CSV of old cases, as a file or as its content in bytes.
    matter, best_alone
        What is expected of the tests; see `Assumptions`.
    target, probability
        The error that is to be reached, and how sure that is to be; see `Target`.
    up_to
        The largest budget to look at; twice that of the study unless given.
    what_ifs
        Looked at beside those of the study file.
    runs, seed
        In how many models each design is played, and of the draws.
    columns, delimiter, encoding
        Of the CSV files; see `budgeted.studies.files.read_study`.
    most_cases
        That all designs may have together.

    Examples
    --------
    >>> study = {"budget": 8, "labels": ["well", "ill"], "prior": [0.7, 0.3], "features": [
    ...     {"name": name, "values": ["no", "yes"], "cost": 1} for name in ("fever", "cough")]}
    >>> asked = ask(study, cases=30, best_alone=0.8, target=0.25, runs=5)
    >>> asked.source.words(), asked.total
    ('the best test alone gets 80 % right', 10)
    >>> cheap = study | {"policy": {"name": "round-robin"}}
    >>> ask(cheap, cases=30, runs=5).plan("2026-01-05T09:30:00Z").words()  # doctest: +ELLIPSIS
    'For 8.00, ... wrong answers are expected (nine of ten possibilities: ...'
    >>> ask(study, best_alone=0.6)
    Traceback (most recent call last):
    ...
    budgeted.errors.PlanError: best_alone: who always says 'well' gets 70% right, so the best test \
cannot get 60%; give at least 0.70
    """
    settings = plan_settings(study)
    assumptions = Assumptions(
        settings.get("matter") if matter is None else matter,
        settings.get("best_alone") if best_alone is None else best_alone,
    )
    if runs < FEWEST_RUNS:
        raise PlanError(f"runs: must be at least {FEWEST_RUNS}, got {runs}")
    designs = read_designs(
        study,
        settings.get("cases", CASES) if cases is None else cases,
        [*_listed(settings), *what_ifs],
        columns=columns,
        delimiter=delimiter,
        encoding=encoding,
        most_cases=most_cases,
    )
    problem = designs[AS_PLANNED].problem
    assumptions.check(problem)
    reached = _target(settings, target, probability)
    if reached is not None:
        reached.check(problem)
    source = Source(assumptions=assumptions)
    if table is not None:
        label = "label" if columns is None else columns.label
        values = pilot_values(
            table, problem, label_column=label, delimiter=delimiter, encoding=encoding
        )
        source = Source(values, "" if isinstance(table, bytes) else Path(table).name, assumptions)
    return Asked(
        designs,
        source,
        reached,
        _amount(settings.get("up_to") if up_to is None else up_to),
        runs,
        seed,
    )


def changes(
    without: Sequence[str] = (), costs: Mapping[str, Any] | None = None, times: float | None = None
) -> list[WhatIf]:
    """Return what-ifs of one change each, with names that say which.

    Parameters
    ----------
    without
        Tests, each of which is left out.
    costs
        Test, or panel → what it costs instead; see `WhatIf`.
    times
        How many times as many cases there are.

    Examples
    --------
    >>> [each.name for each in changes(["scan"], {"crp": "5"}, 2)]
    ['without scan', 'crp for 5', '2 times the cases']
    """
    found = [WhatIf(f"without {name}", without=(name,)) for name in without]
    found += [
        WhatIf(f"{name} for {amount}", costs={name: amount})
        for name, amount in (costs or {}).items()
    ]
    if times is not None:
        wrong = times_mistake(times)
        if wrong:
            raise PlanError(f"times: {wrong}")
        found.append(WhatIf(f"{times:g} times the cases", cases=times))
    return found


def _listed(settings: Mapping[str, Any]) -> list[WhatIf]:
    listed = settings.get("what_if", [])
    if not isinstance(listed, list):
        raise PlanError(f"what_if: must be tables, each under [[plan.what_if]], got {listed!r}")
    return [WhatIf.read(each, at) for at, each in enumerate(listed)]


def _target(
    settings: Mapping[str, Any], target: float | None, probability: float | None
) -> Target | None:
    error = settings.get("target_error") if target is None else target
    sure = settings.get("probability") if probability is None else probability
    if error is None:
        if sure is not None:
            raise PlanError("probability: is about an error to be reached; say which one as well")
        return None
    return Target(error) if sure is None else Target(error, sure)


def _amount(given: money.MoneyLike | None) -> Decimal | None:
    try:
        return None if given is None else money.parse(given, above_zero=True)
    except (ValueError, TypeError) as error:
        raise PlanError(f"up_to: {error}") from None
