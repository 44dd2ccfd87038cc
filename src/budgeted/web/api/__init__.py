"""The JSON twins of the pages, and everything that programs can do."""

from __future__ import annotations

from fastapi import APIRouter

from budgeted.web.api import cases, changes, live, queries, rehearsals, report, studies


def router() -> APIRouter:
    """Return the routes, with all operations that are registered by now."""
    made = APIRouter(prefix="/api")
    parts = (
        studies.router,
        queries.router,
        cases.router,
        report.router,
        changes.router(),
        live.router,
        rehearsals.router,
    )
    for part in parts:
        made.include_router(part)
    return made
