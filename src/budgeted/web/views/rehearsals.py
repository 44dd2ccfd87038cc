"""The pages of rehearsals."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan

from pydantic import Field

from budgeted.experiments.runs import Runs
from budgeted.statistics import Mean
from budgeted.web.jobs import RUNNING, WAITING, Job
from budgeted.web.views.parts import View
from budgeted.web.views.studies import PolicyChoice, policy_choices


class RehearsalCard(View):
    """A rehearsal at a glance."""

    id: str
    title: str
    state: str = Field(examples=["waiting", "running", "done", "failed", "cancelled"])
    message: str = Field(description="what went wrong, if anything")
    done: int = Field(description="runs that are finished")
    total: int
    percent: float
    at: str
    by: str
    rows: int
    features: int
    labels: list[str]
    policies: list[str]
    budgets: list[str]
    runs: int
    active: bool = Field(description="whether it waits or runs, so that it can be cancelled")


class RehearsalsView(View):
    """All rehearsals, and what can be chosen for a new one."""

    rehearsals: list[RehearsalCard]
    policies: list[PolicyChoice]
    most_runs: int


class ResultRow(View):
    """What a policy reached with a budget: 0/1 error on rows that it never saw."""

    policy: str
    budget: str
    label: str
    runs: int
    error: float
    standard_error: float | None
    words: str = Field(examples=["0.170 ± 0.013"])
    purchases: float = Field(description="mean number of values bought")
    best: bool = Field(description="least error of all with this budget")


class RehearsalView(View):
    """Everything on the page of a rehearsal."""

    rehearsal: RehearsalCard
    seq: int
    results: list[ResultRow]
    complete: float | None = Field(description="mean error with the whole training table")
    single: float | None = Field(description="mean error with the best single feature")
    charts: list[str] = Field(description="those that can be drawn: error, purchases")


def rehearsal_card(job: Job) -> RehearsalCard:
    """Return a rehearsal at a glance."""
    return RehearsalCard(
        id=job.id,
        title=job.wanted.title,
        state=job.state,
        message=job.message,
        done=job.done,
        total=job.total,
        percent=round(100 * job.done / job.total, 1),
        at=job.at,
        by=job.by,
        rows=job.rows,
        features=len(job.features),
        labels=list(job.labels),
        policies=list(job.wanted.policies),
        budgets=list(job.wanted.budgets),
        runs=job.wanted.runs,
        active=job.state in (WAITING, RUNNING),
    )


def rehearsals_view(jobs: list[Job], most_runs: int) -> RehearsalsView:
    """Return the list of rehearsals."""
    return RehearsalsView(
        rehearsals=[rehearsal_card(job) for job in jobs],
        policies=policy_choices(),
        most_runs=most_runs,
    )


def rehearsal_view(job: Job, results: Mapping[str, Runs]) -> RehearsalView:
    """Return a rehearsal with what its runs say so far."""
    rows = []
    several = len(job.wanted.budgets) > 1
    for policy in job.wanted.policies:
        for budget in job.wanted.budgets:
            label = f"{policy}, {budget}" if several else policy
            runs = results.get(label)
            if runs is not None and runs.errors.size:
                rows.append((policy, budget, label, runs))
    least = {
        budget: min(each.final.value for _, of, _, each in rows if of == budget)
        for _, budget, _, _ in rows
    }
    first = rows[0][3] if rows else None
    return RehearsalView(
        rehearsal=rehearsal_card(job),
        seq=job.changes,
        results=[
            _row(policy, budget, label, runs, runs.final.value <= least[budget])
            for policy, budget, label, runs in rows
        ],
        complete=None if first is None else float(first.complete.mean()),
        single=None if first is None else float(first.single.mean()),
        charts=["error", "purchases"] if rows else [],
    )


def _row(policy: str, budget: str, label: str, runs: Runs, best: bool) -> ResultRow:
    final: Mean = runs.final
    unknown = isnan(final.standard_error)
    return ResultRow(
        policy=policy,
        budget=budget,
        label=label,
        runs=len(runs),
        error=final.value,
        standard_error=None if unknown else final.standard_error,
        words=f"{final.value:.3f}" if unknown else str(final),
        purchases=float(runs.purchases.sum(axis=1).mean()),
        best=best,
    )
