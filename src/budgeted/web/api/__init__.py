"""The JSON twins of the pages, and everything that programs can do."""

from __future__ import annotations

from collections.abc import Iterable

from fastapi import APIRouter, Depends

from budgeted.studies.commands import Command
from budgeted.web.api import cases, operations, plans, queries, studies
from budgeted.web.auth.roles import managed


def router(kinds: Iterable[type[Command]]) -> APIRouter:
    """Return the routes, those of the given operations among them."""
    made = APIRouter(prefix="/api", dependencies=[Depends(managed)])
    parts = (
        studies.router,
        queries.router,
        cases.router,
        operations.router(kinds),
        plans.forecasts,
        plans.router,
    )
    for part in parts:
        made.include_router(part)
    return made
