"""Everything that changes a study, as routes for programs."""

from __future__ import annotations

from collections.abc import Iterable

from fastapi import APIRouter

from budgeted.studies.commands import Command
from budgeted.web.api.operations import add_route


def router(operations: Iterable[type[Command]]) -> APIRouter:
    """Return the routes of operations."""
    made = APIRouter(prefix="/studies/{name}", tags=["changes"])
    for kind in operations:
        add_route(made, kind)
    return made
