"""The JSON twins of the pages, and everything that programs can do."""

from __future__ import annotations

from fastapi import APIRouter

from budgeted.web.api import changes, live, preparing, queries, rehearsals, studies


def router() -> APIRouter:
    """Return the routes, with all operations that are registered by now."""
    made = APIRouter(prefix="/api")
    for part in (
        preparing.router,
        studies.router,
        queries.router,
        changes.router(),
        live.router,
        rehearsals.router,
    ):
        made.include_router(part)
    return made
