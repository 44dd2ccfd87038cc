"""A study like a rehearsal: its tests, values, cuts, labels and prices, and its best policy."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from budgeted.errors import StudyError
from budgeted.experiments.runs import Runs
from budgeted.problem.numbers import plain
from budgeted.simulation.tables import Reading, parse_csv
from budgeted.simulation.tables.coding import Missing, Scale
from budgeted.studies.preparing import Preparation
from budgeted.web.jobs import DONE, Job
from budgeted.web.views.rehearsals import rehearsal_view

_BINS = 5
"""As `budgeted.simulation.datasets.split` has it, and so the rehearsal."""


def preparation_like(job: Job, results: Mapping[str, Runs]) -> Preparation:
    """Return a study to be prepared with what a finished rehearsal had; cases and budget are open.

    Parameters
    ----------
    job, results
        The rehearsal, and its runs by the label of the policy.
    """
    if job.state != DONE:
        raise StudyError(f"this rehearsal is {job.state}; a study can be like one that is done")
    wanted = job.wanted
    content = (job.folder / "table.csv").read_bytes()
    table = parse_csv(content, Reading(wanted.label, wanted.ignore), name="table")
    features = []
    for name, cells in zip(table.features, table.columns, strict=True):
        scale = Scale.learn(name, cells, _missing(wanted.missing), _BINS)
        cost = wanted.costs if isinstance(wanted.costs, str) else wanted.costs.get(name, "")
        features.append(_feature(scale, wanted.title) | {"cost": cost})
    return Preparation(
        {
            "name": wanted.title,
            "labels": list(table.labels),
            "policy": {"name": best_policy(job, results)},
            "features": features,
        },
        filled=True,
    )


def best_policy(job: Job, results: Mapping[str, Runs]) -> str:
    """Return the policy with the least error at the largest budget; ``auto`` if there is none."""
    rows = rehearsal_view(job, results).results
    largest = max((Decimal(row.budget) for row in rows), default=None)
    best = [row for row in rows if Decimal(row.budget) == largest and row.best]
    return best[0].policy if best else "auto"


def _missing(said: str) -> Missing:
    return "own value" if said == "own value" else "no value"


def _feature(scale: Scale, title: str) -> dict[str, Any]:
    if not scale.edges:
        return {"name": scale.feature, "values": list(scale.values)}
    cuts = [plain(round(Decimal(repr(edge)), 12).normalize()) for edge in scale.edges]
    source = f"quintiles of the rehearsal {title}"[:200]
    return {"name": scale.feature, "kind": "number", "cuts": cuts, "source": source}
