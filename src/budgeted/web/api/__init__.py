"""The JSON twins of the pages, and everything that programs can do."""

from __future__ import annotations

from fastapi import APIRouter, Depends

from budgeted.web.api import (
    cases,
    changes,
    forecasts,
    live,
    preparing,
    queries,
    rehearsals,
    report,
    results,
    studies,
)
from budgeted.web.auth.roles import managed


def router() -> APIRouter:
    """Return the routes, with all operations that are registered by now."""
    made = APIRouter(prefix="/api", dependencies=[Depends(managed)])
    parts = (
        preparing.router,
        studies.router,
        queries.router,
        forecasts.router,
        cases.router,
        report.router,
        results.router,
        changes.router(),
        live.router,
        rehearsals.router,
    )
    for part in parts:
        made.include_router(part)
    return made
