"""The JSON twins of the pages, and everything that programs can do."""

from __future__ import annotations

from fastapi import APIRouter

from budgeted.web.api import cases, changes, live, queries, rehearsals, report, studies


def router() -> APIRouter:
    """Return the routes, with all operations that are registered by now."""
    made = APIRouter(prefix="/api")
    for part in (
        studies.router,
        queries.router,
        cases.router,
        changes.router(),
        live.router,
        rehearsals.router,
    ):
        made.include_router(part)
    return made
