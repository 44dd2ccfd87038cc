"""The JSON twins of the pages, and everything that programs can do."""

from __future__ import annotations

from fastapi import APIRouter, Depends

from budgeted.web.api import changes, live, queries, rehearsals, studies
from budgeted.web.auth.roles import managed


def router() -> APIRouter:
    """Return the routes, with all operations that are registered by now."""
    made = APIRouter(prefix="/api", dependencies=[Depends(managed)])
    for part in (studies.router, queries.router, changes.router(), live.router, rehearsals.router):
        made.include_router(part)
    return made
